package crawl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// berths is a page with its main content, a box beside that, and text that is not compared.
func berths(free int, fee, views string) page {
	return page{body: fmt.Sprintf(`<html lang=en><title>Berths</title><main><article><h1>Berths</h1><p>%s</p><p>%s</p>
<p>Berths free: %d</p><p>%s people are viewing this</p></article></main><aside><p>Night fee: %s EUR</p></aside>
<p>Boat <select><option>sail<option>motor</select></p>`, brass, brass, free, views, fee)}
}

// TestN1BesideHasPassages checks that a change beside the main content says what differs, as one in it does (N1).
func TestN1BesideHasPassages(t *testing.T) {
	r := newRig(t)
	var at feed.Position
	r.site.put("/p", berths(12, "20", "17"))
	r.first("/p")
	r.feedOf(&at)
	r.site.put("/p", berths(12, "25", "18"))
	r.next("/p")
	have := r.feedOf(&at)
	want := []feed.Passage{{Text: "Night fee: 20 EUR", Op: feed.Removed, Of: "Night fee", Weight: 450, Fact: true},
		{Text: "Night fee: 25 EUR", Op: feed.Added, Of: "Night fee", Weight: 450, Fact: true}}
	if len(have) != 1 || have[0].Kind != feed.Beside || cmp.Diff(want, have[0].Passages) != "" {
		t.Errorf("the feed has %+v", have)
	}
	if it := r.item("/p"); !said(it, "changed only what stands elsewhere on the page is different") {
		t.Errorf("the history has %v", it.History)
	}
}

// TestQ3WhatStandsBeside checks which changes beside the main content are small: those in which nothing is a fact, nor
// a sentence that is no link (Q3).
func TestQ3WhatStandsBeside(t *testing.T) {
	r := newRig(t)
	const sentence = "The harbour office will move to the new building at the quay soon."
	for name, c := range map[string]struct {
		was, is string
		small   bool
	}{
		"a promotion":               {"New charts on silk", "Old charts on linen", true},
		"a word of a menu":          {"Moorings and berths", "Moorings and careers", true},
		"a price":                   {"Night fee: 20 EUR", "Night fee: 25 EUR", false},
		"a month":                   {"Closes on 3 March 2027", "Closes on 3 May 2027", false},
		"a negation":                {"Dogs are allowed", "Dogs are not allowed", false},
		"a word beside a fact":      {"Since 1998 in town", "Since 1998 in port", true},
		"a sentence":                {"Welcome", sentence, false},
		"a link of eight words":     {"Welcome", "<a href=/x>" + sentence + "</a>", true},
		"a link with a date in it":  {"Welcome", "<a href=/x>Regatta on 3 May</a>", false},
		"a sentence without spaces": {"欢迎", "港务局不久以后将会搬到码头旁边的那座新大楼里去", false},
		"a few letters of these":    {"欢迎", "关于港口", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := "/" + strings.ReplaceAll(name, " ", "-")
			page := func(text string) page {
				return page{body: fmt.Sprintf(`<html lang=en><title>Berths</title><main><article><h1>Berths</h1><p>%s</p><p>%s</p>
</article></main><aside><p>%s</p><p>%s</p></aside>`, brass, brass, brass, text)}
			}
			var at feed.Position
			r.site.put(path, page(c.was))
			r.first(path)
			r.feedOf(&at)
			for _, text := range []string{c.is, c.was} { // the second change is a text that comes back
				r.site.put(path, page(text))
				r.next(path)
				have := r.feedOf(&at)
				if len(have) != 1 {
					t.Fatalf("the feed has %+v", have)
				}
				if small := have[0].Small != nil && have[0].Small.Why == feed.SmallBeside; small != c.small {
					t.Errorf("%s, %q: small %v, %+v", have[0].Kind, text, small, have[0].Passages)
				}
			}
		})
	}
}

// TestN4NumberThatMovesEachTime checks that the first moves of a number are told, with the offer of a rule; that a page
// whose number moves at each daily check is asked a second time; and that the number is then known to move by itself.
// The item lists what is not compared (N3, N4, Q4, Q5).
func TestN4NumberThatMovesEachTime(t *testing.T) {
	r := newRig(t)
	var at feed.Position
	r.site.put("/p", berths(0, "20", "17"))
	r.first("/p")
	r.feedOf(&at)
	const rule = `^Berths free: \d+$`
	for i := range 5 {
		r.site.put("/p", berths(i+1, "20", fmt.Sprint(20+i)))
		it := r.next("/p")
		have := r.feedOf(&at)
		if len(have) != 1 || have[0].Kind != feed.Content || len(have[0].Passages) != 2 {
			t.Fatalf("the feed has %+v", have)
		}
		offered := it.Moving.Offer("") == rule && strings.HasSuffix(have[0].Why, "ignore it? The pattern would be "+rule)
		if wants := 1 <= i && i <= 2; offered != wants {
			t.Errorf("move %d: offers %q, and says %q", i+1, it.Moving.Offer(""), have[0].Why)
		}
		if again := it.NextCrawlAt.Sub(it.LastChecked) <= 15*time.Minute; again != (i == 2) {
			t.Errorf("move %d: the next check is after %v", i+1, it.NextCrawlAt.Sub(it.LastChecked))
		}
		want := feed.Small{Why: feed.SmallMoves, What: "a number"}
		if small := have[0].Small; (small != nil) != (i > 2) || i > 2 && *small != want ||
			it.Moving.Silent != max(0, min(1, i-2)) {
			t.Errorf("move %d: %+v, %d silent", i+1, small, it.Moving.Silent)
		}
	}
	u := r.item("/p").Uncompared
	folded := []extract.Folded{{Line: "24 people are viewing this", Rule: "people now"}}
	if diff := cmp.Diff(folded, u.Folded); diff != "" || u.Unread != "1 select" {
		t.Errorf("not read: %q; folded: %s", u.Unread, diff)
	}
}

// TestU1AddedPagesAreNoNews checks that the first reading of a page that somebody has added is small, and that of a
// page that Tidemark has found is not (U1).
func TestU1AddedPagesAreNoNews(t *testing.T) {
	r := newRig(t)
	var at feed.Position
	for path, method := range map[string]string{"/added": "", "/found": "BACKFILL"} {
		r.site.put(path, berths(12, "20", "17"))
		must(t, r.reg.Items.Register(t.Context(), []source.Source{r.source(path)},
			registry.RegisterOptions{Method: method})[0].Err)
		r.mustWork()
		have := r.feedOf(&at)
		if len(have) != 1 || have[0].Kind != feed.New || (have[0].Small != nil) != (method == "") {
			t.Errorf("%s: the feed has %+v", path, have)
		}
	}
}
