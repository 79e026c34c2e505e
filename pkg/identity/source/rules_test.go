package source_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

func TestTrackers(t *testing.T) {
	for name, row := range map[string]struct {
		entries []string
		query   string
		want    string
	}{
		"A2 prefix":                  {[]string{"utm_"}, "utm_source=1&utm=2&xutm_=3", "utm=2&xutm_=3"},
		"A2 whole name":              {[]string{"gclid"}, "gclid=1&gclid2=2&xgclid=3", "gclid2=2&xgclid=3"},
		"A2 case of the entry":       {[]string{"UTM_", "GclId"}, "utm_a=1&gclid=2", ""},
		"A2 case of the name":        {[]string{"utm_", "gclid"}, "UTM_a=1&GCLID=2", ""},
		"A2 spaces around":           {[]string{" utm_ ", "\tgclid"}, "utm_a=1&gclid=2", ""},
		"A2 escaped name":            {[]string{"mc:id"}, "mc%3Aid=1&mc:id=2", ""},
		"A2 only an underscore":      {[]string{"_"}, "_ga=1&a_=2", "a_=2"},
		"A2 no entries, no trackers": {nil, "utm_source=1", "utm_source=1"},
		"exotic letters do not fold": {[]string{"fbclick"}, "fbclic\u212a=1", "fbclic%E2%84%AA=1"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := source.NewRules(row.entries)
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.ParseURL("https://example.com/?" + row.query)
			if want := strings.TrimSuffix("https://example.com/?"+row.want, "?"); err != nil || s.Normalized != want {
				t.Errorf("have %q, %v; want %q", s.Normalized, err, want)
			}
		})
	}
}

func TestNewRulesRefuses(t *testing.T) {
	for name, entries := range map[string][]string{
		"A2 empty entry":    {"utm_", ""},
		"A2 blank entry":    {" "},
		"A2 asterisk":       {"utm_*"},
		"A2 space inside":   {"utm gclid"},
		"A2 pair":           {"utm=1"},
		"A2 escape":         {"utm%5F"},
		"A2 beyond ASCII":   {"ü"},
		"A2 control":        {"a\x7fb"},
		"A2 entry too long": {strings.Repeat("a", 65)},
		"A2 too many":       slices.Repeat([]string{"a"}, 257),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := source.NewRules(entries)
			if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != "TRACKING_PARAM_PREFIXES" {
				t.Errorf("have %v of field %q, want Invalid", err, fault.FieldOf(err))
			}
		})
	}
}

func TestDefaultRulesAreTheSeeds(t *testing.T) {
	want, err := source.NewRules(strings.Split("utm_, gclid, fbclid, msclkid", ","))
	if err != nil {
		t.Fatal(err)
	}
	const raw = "https://e.com/?utm_a=1&gclid=2&fbclid=3&msclkid=4&utm=5&dclid=6"
	a, _ := want.ParseURL(raw)
	if b := parseURL(t, raw); a != b || a.Normalized != "https://e.com/?dclid=6&utm=5" {
		t.Errorf("A25: have %q, want %q", b.Normalized, a.Normalized)
	}
}
