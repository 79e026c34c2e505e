package letter

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Values returns the values of the variables of a message about a change. The item is the address of its page here, or
// "".
func Values(p Part, rule, item string, zone *time.Location) Words {
	c := p.Change
	out := Words{
		"title": name(c), "url": c.URL, "host": c.Host, "type": c.Type, "kind": string(c.Kind), "summary": what(c),
		"added": passagesOf(c, "added"), "removed": passagesOf(c, "removed"), "difference": Difference(c),
		"extent": Extent(c), "why": c.Why, "tags": strings.Join(c.Tags, ", "), "rule": rule,
		"time": c.At.In(zone).Format("2006-01-02 15:04 MST"),
		"link": p.Links.Difference, "item": item, "whyLink": p.Links.Why, "mute": p.Links.Mute,
	}
	out["field"] = fieldValue(c, func(f api.ChangedField) string { return f.Name })
	out["previous"] = fieldValue(c, func(f api.ChangedField) string { return orNone(f.Previous, f.Currency) })
	out["current"] = fieldValue(c, func(f api.ChangedField) string { return orNone(f.Current, f.Currency) })
	out["value"] = fieldValue(c, func(f api.ChangedField) string { return f.Text })
	out["condition"] = fieldValue(c, func(f api.ChangedField) string { return f.Condition })
	if e := c.Listed; e != nil {
		out["entry"], out["entryUrl"] = e.Title, e.URL
	}
	return out
}

// passagesOf returns the passages that were added or removed, one on a line.
func passagesOf(c api.FeedChange, op string) string {
	var out []string
	for _, p := range c.Passages {
		if p.Op == op {
			out = append(out, words.Clean(p.Text))
		}
	}
	return strings.Join(out, "\n")
}

// OwnHTML returns a text of a user's wording as a document. Only the addresses among its values lead anywhere.
func OwnHTML(title string, text []Piece) string {
	return rendered("own", struct {
		Title string
		Text  []Piece
	}{title, text})
}
