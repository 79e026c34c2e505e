package letter

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
)

// ofTables returns a change of two texts.
func ofTables(old, now string) api.FeedChange {
	c := feed.Change{Kind: feed.Content, Title: "Lamps", ItemID: "url_a", URL: "https://shop.example/lamps"}
	c.SetDifference(textdiff.Text{Text: old}, textdiff.Text{Text: now}, 1<<20, nil)
	return c.JSON()
}

// W22: TestW22Tables checks how messages show rows of a table: as text with the names of the columns, and as a table.
func TestW22Tables(t *testing.T) {
	const head = "| Lamp | Price | Stock |\n| --- | --- | --- |\n"
	const storm, oil = "| Storm lamp | 79 EUR | yes |\n", "| Oil lamp | 30 EUR | no |\n"
	const evil = "| <b>Pit</b> | \x1b1 EUR | no |\n"
	for name, tt := range map[string]struct{ old, now, subject, text string }{
		"a cell": {head + storm + oil, head + "| Storm lamp | 84 EUR | yes |\n" + oil,
			"Lamps: Storm lamp · Price: 79 → 84 EUR", "Storm lamp · Price: 79 → 84 EUR"},
		"two cells": {head + storm + oil, head + "| Storm lamp | 84 EUR | no |\n" + oil,
			"Lamps: Storm lamp · Price: 79 → 84 EUR · Stock: yes → no",
			"Storm lamp · Price: 79 → 84 EUR · Stock: yes → no"},
		"a row": {head + storm, head + storm + oil, "Lamps: new: Oil lamp · Price: 30 EUR · Stock: no",
			"+ Oil lamp · Price: 30 EUR · Stock: no"},
		"a row that went": {head + storm + oil, head + storm, "Lamps: gone: Oil lamp · Price: 30 EUR · Stock: no",
			"- Oil lamp · Price: 30 EUR · Stock: no"},
		"a move": {head + storm + oil, head + oil + storm, "Lamps: moved: Oil lamp", "moved: Oil lamp"},
		"markup": {head + storm, head + storm + evil, "Lamps: new: <b>Pit</b> · Price: �1 EUR · Stock: no",
			"+ <b>Pit</b> · Price: �1 EUR · Stock: no"},
	} {
		c := ofTables(tt.old, tt.now)
		if have := Subject(c); have != tt.subject {
			t.Errorf("%s: subject %q, want %q", name, have, tt.subject)
		}
		if have := Difference(c); have != tt.text {
			t.Errorf("%s: text %q, want %q", name, have, tt.text)
		}
		html := ContentHTML(c, Links{})
		for _, want := range []string{"<th scope=\"col\"", ">Price</th>"} {
			if !strings.Contains(html, want) {
				t.Errorf("%s: no %s in %s", name, want, html)
			}
		}
		if strings.Contains(html, "<b>") || strings.Contains(html, "| ") {
			t.Errorf("%s: %s", name, html)
		}
	}
	html := ContentHTML(ofTables(head+storm, head+"| Storm lamp | 84 EUR | yes |\n"), Links{})
	for _, want := range []string{`>79</del> <ins `, `>84</ins> EUR</td>`, `>yes</td>`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in %s", want, html)
		}
	}
}
