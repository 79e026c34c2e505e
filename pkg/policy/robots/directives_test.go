package robots

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseDirectives(t *testing.T) { // A11
	noIndex, noFollow := Directives{NoIndex: true}, Directives{NoFollow: true}
	both := Directives{NoIndex: true, NoFollow: true}
	for _, tc := range []struct {
		name   string
		values string // separated by |
		want   Directives
	}{
		{"nothing", "", Directives{}},
		{"noindex", "noindex", noIndex},
		{"nofollow", "nofollow", noFollow},
		{"a list", "noindex,nofollow", both},
		{"in any case and spacing", " NoIndex ,\tNOFOLLOW ", both},
		{"none is both", "none", both},
		{"all forbids nothing", "all, index, follow", Directives{}},
		{"index does not take noindex back", "noindex, index", noIndex},
		{"values add up", "noindex|nofollow", both},
		{"images, and what is not about indexing", "noimageindex, noarchive", Directives{NoImageIndex: true}},
		{"unknown ones are passed over", "nosnippet, max-snippet:20, max-image-preview: large, x, noindex", noIndex},
		{"part of a word is another word", "noindexed, xnofollow", Directives{}},
		{"for us", "Tidemark: noindex", noIndex},
		{"for us with a version", "tidemark/1.0: noindex", noIndex},
		{"for another", "otherbot: noindex", Directives{}},
		{"for all by name", "robots: noindex|*: nofollow", both},
		{"a prefix holds to the end of its value", "otherbot: noindex, nofollow", Directives{}},
		{"a prefix holds to the next", "otherbot: noindex, tidemark: nofollow", noFollow},
		{"headers joined to one value", "noindex, otherbot: nofollow", noIndex},
		{"a prefix does not reach the next value", "otherbot: noindex|nofollow", noFollow},
		{"past date", "unavailable_after: 25 Jun 2020 15:00:00 PST", noIndex},
		{"past date behind others", "nofollow, unavailable_after: 2020-06-25", both},
		{"future date", "unavailable_after: 25-Aug-2030 15:00:00 EST", Directives{}},
		{"date with a weekday", "unavailable_after: Saturday, 21-Nov-26 11:59:59 GMT, nofollow", both},
		{"date with a short weekday", "unavailable_after: Sat, 21 Nov 2026 12:00:01 GMT, nofollow", noFollow},
		{"the moment itself", "unavailable_after: 2026-11-21T12:00:00Z", noIndex},
		{"zones count: not yet", "unavailable_after: 21 Nov 2026 05:00:00 PST", Directives{}},
		{"zones count: passed", "unavailable_after: 21 Nov 2026 03:59:00 PST", noIndex},
		{"offsets count", "unavailable_after: 2026-11-21T13:30:00+02:00", noIndex},
		{"a date for another", "otherbot: unavailable_after: 2020-06-25", Directives{}},
		{"a date for us", "tidemark: unavailable_after: 2020-06-25", noIndex},
		{"not a date", "unavailable_after: tomorrow", Directives{}},
		{"no date", "unavailable_after:", Directives{}},
		{"blanks", "noindex nofollow", both}, // X10, and those below
		{"semicolons", "noindex;nofollow", both},
		{"slashes", "noindex/nofollow", both},
		{"blanks before a directive with a value", "noindex max-snippet:5 , nofollow", both},
		{"semicolons before a directive with a value", "noindex; max-snippet: 5; nofollow", both},
		{"blanks before a date", "nofollow unavailable_after: 2020-06-25", both},
		{"blanks for us", "tidemark: noindex nofollow", both},
		{"blanks for another", "otherbot: noindex nofollow", Directives{}},
		{"blanks for another before a date", "otherbot: noindex unavailable_after: 2020-06-25", Directives{}},
		{"in quotes", `"noindex", 'nofollow'`, both},
		{"in brackets", "[noindex] (nofollow)", both},
		{"signs between", "noindex+nofollow", both},
		{"a full stop", "noindex. nofollow.", both},
		{"a character without width", "\u200bnoindex\u00a0nofollow", both},
		{"with a value", "noindex: true, nofollow=true", both},
		{"with a hyphen", "no-index, no-follow", both},
		{"part of a word", "noindexed, nofollow-me, max-noindex", Directives{}},
		{"a crawler that is called without directives", "otherbot:, noindex", Directives{}},
		{"a date with its month in full", "unavailable_after: Friday, 25 June 2010 15:00:00 CEST", noIndex},
		{"stray punctuation", ",,:,: ,noindex", Directives{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ParseDirectives(strings.Split(tc.values, "|"), "Tidemark/1.0", now)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDirectivesAreBounded(t *testing.T) {
	flood := strings.Repeat("x,", maxDirectives) + "noindex"
	if got := ParseDirectives([]string{flood, "noindex"}, "x", now); got.NoIndex {
		t.Error("more parts than the bound were read")
	}
}

func FuzzParseDirectives(f *testing.F) {
	f.Add("noindex, tidemark: nofollow, unavailable_after: Sat, 21 Nov 2026 12:00:01 GMT")
	f.Add("unavailable_after: mon")
	f.Add(",:,none")
	f.Add("noindex: true; [nofollow] \"no-index\" otherbot: , max-snippet:1 unavailable_after: Wed, 1 Jan 20 00:00 CET")
	f.Fuzz(func(t *testing.T, value string) {
		got := ParseDirectives([]string{value}, "tidemark", now)
		later := ParseDirectives([]string{value}, "tidemark", now.Add(time.Hour))
		if got.NoIndex && !later.NoIndex {
			t.Error("a page came back into the index by waiting")
		}
		if again := ParseDirectives([]string{value, value}, "tidemark", now); again != got {
			t.Errorf("twice the same: have %+v, want %+v", again, got)
		}
	})
}
