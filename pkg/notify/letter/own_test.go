package letter

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// TestW20ValuesOfAChange checks the value of each variable (W20).
func TestW20ValuesOfAChange(t *testing.T) {
	c := changed(feed.Content, "Storm lamp", "-Price: 79 EUR", "+Price: 84 EUR")
	c.At, c.Tags, c.Why, c.Type = time.Date(2026, 11, 27, 8, 30, 0, 0, time.UTC), []string{"a", "b"}, "other text", "url"
	c.Listed = &api.ListedEntry{Title: "Minutes", URL: "https://shop.example/minutes"}
	c.Fields = []api.ChangedField{{Name: "price", Previous: 79, Currency: "EUR", Text: "79 EUR → none",
		Condition: "price disappears"}}
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	values := Values(Part{Change: c, Count: 1, Links: Links{Difference: "d", Why: "w", Mute: "m"}}, "Prices", "i", zone)
	for name, want := range map[string]string{"title": "Storm lamp", "summary": "new: Minutes", "removed": "Price: 79 EUR",
		"added": "Price: 84 EUR", "difference": "- Price: 79 EUR\n+ Price: 84 EUR", "tags": "a, b", "rule": "Prices",
		"time": "2026-11-27 09:30 CET", "link": "d", "whyLink": "w", "mute": "m", "item": "i", "entry": "Minutes",
		"entryUrl": "https://shop.example/minutes", "kind": "content", "url": c.URL, "host": c.Host, "type": "url",
		"why": "other text", "extent": Extent(c),
		"field": "price", "previous": "79 EUR", "current": "none", "value": "79 EUR → none",
		"condition": "price disappears"} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range variableNames() {
		if _, ok := values[name]; !ok {
			t.Errorf("there is no value of %s", name)
		}
	}
}

// TestW20OwnHTMLHasNoMarkupOfValues checks that whatever the values of a wording are, its HTML has no elements but
// links to addresses of the web (W20).
func TestW20OwnHTMLHasNoMarkupOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		evil := rapid.StringOf(rapid.SampledFrom([]rune("<>\"'&;=/ahrefscript:javon`{}\n")))
		w, err := ParseWording("<b>{{title}}</b> {{url}} {{added}}", MaxText)
		if err != nil {
			t.Fatal(err)
		}
		begin := rapid.SampledFrom([]string{"", "https://", "javascript:", "\" onclick=", "<script>"})
		values := Words{}
		for _, name := range variableNames() {
			values[name] = begin.Draw(t, "begin") + evil.Draw(t, "evil")
		}
		z := html.NewTokenizer(strings.NewReader(OwnHTML(values["title"], w.With(values))))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return
			case html.StartTagToken:
				tag := z.Token()
				const known = " html head meta title style body table tr td span p "
				n := len(tag.Attr) - 1
				if tag.Data == "a" && n == 2 && tag.Attr[n].Key == "href" && strings.HasPrefix(tag.Attr[n].Val, "https://") {
					continue
				}
				if !strings.Contains(known, " "+tag.Data+" ") {
					t.Fatalf("%v of %q", tag, values)
				}
			}
		}
	})
}
