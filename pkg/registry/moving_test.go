package registry

import (
	"regexp"
	"testing"

	"github.com/tidemark/tidemark/pkg/feed"
)

// TestN4MovingNumberIsOffered checks after which changes a rule is offered for a line, and that the rule fits it.
func TestN4MovingNumberIsOffered(t *testing.T) {
	moves := func(m Moving, lines ...string) Moving {
		for i := range lines[1:] {
			m = m.See(feed.Change{Passages: []feed.Passage{{Text: lines[i], Op: feed.Removed},
				{Text: lines[i+1], Op: feed.Added}}})
		}
		return m
	}
	three := []string{"Beds free: 12 (of 1,400)", "Beds free: 9 (of 1,400)", "Beds free: 1,010 (of 1,400)",
		"Beds free: 3.5 (of 1,400)"}
	for name, tt := range map[string]struct {
		have  Moving
		times int
		offer string
	}{
		"three times":          {moves(Moving{}, three...), 3, `^\s*Beds free: [\d.,:]+ \(of [\d.,:]+\)\s*$`},
		"twice":                {moves(Moving{}, three[:3]...), 2, ""},
		"other words":          {moves(Moving{}, "Open at 9", "Open at 10", "Opens at 11", "Opens at 12"), 1, ""},
		"another line between": {moves(moves(Moving{}, three[:3]...), "Door 1", "Door 2"), 1, ""},
		"no number":            {moves(Moving{}, "open", "closed", "open", "closed"), 0, ""},
		"other text between": {moves(moves(Moving{}, three[:3]...).See(feed.Change{Passages: []feed.Passage{
			{Text: "New pier", Op: feed.Added}}}), three[2:]...), 3, `^\s*Beds free: [\d.,:]+ \(of [\d.,:]+\)\s*$`},
		"more that differs": {Moving{}.See(feed.Change{Passages: []feed.Passage{{Text: "a 1", Op: feed.Removed},
			{Text: "a 2", Op: feed.Added}}, Difference: []feed.Passage{}}), 0, ""},
	} {
		if offer := tt.have.Offer(); tt.have.Times != tt.times || offer != tt.offer {
			t.Errorf("%s: %+v offers %q", name, tt.have, offer)
		}
	}
	rule := regexp.MustCompile(moves(Moving{}, three...).Offer())
	if !rule.MatchString("  Beds free: 77 (of 1,400)") || rule.MatchString("Beds free: none (of 1,400)") {
		t.Errorf("the rule is %s", rule)
	}
}
