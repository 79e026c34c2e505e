package letter

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// fieldText says in one line what has become of a field: "price: 79 → 84 EUR (lowest 72 in May)".
func fieldText(f api.ChangedField) string { return words.Clean(field.Word(f.Name) + ": " + f.Text) }

// conditionText says which condition a field meets, or "".
func conditionText(f api.ChangedField) string {
	if f.Condition == "" {
		return ""
	}
	return "Condition: " + words.Clean(f.Condition)
}

// fields says what has become of the fields of a change, one on a line, and which condition of the rule is met.
func fields(c api.FeedChange) string {
	var out []string
	for _, f := range shownFields(c) {
		out = append(out, fieldText(f), conditionText(f))
	}
	return lines(out...)
}

// WhyBeside returns why there is a change, without what it says of some fields, which are shown by themselves.
func WhyBeside(why string, fields []api.ChangedField) string {
	for cut := true; cut; {
		cut = false
		for _, f := range fields {
			rest, found := strings.CutPrefix(why, f.Name+": "+f.Text)
			if found && (rest == "" || strings.HasPrefix(rest, "; ")) { // or else the value is longer than that
				why, cut = strings.TrimPrefix(rest, "; "), true
			}
		}
	}
	return why
}

// shownFields returns the fields that a message says: those that are told, and one that meets a condition.
func shownFields(c api.FeedChange) (out []api.ChangedField) {
	for _, f := range c.Fields {
		if f.Reported && !f.First || f.Condition != "" {
			out = append(out, f)
		}
	}
	return out
}

// leads reports whether what has become of the first field is what a change says first: because it meets the rule's
// condition, or because the fields are all that differs.
func leads(c api.FeedChange) bool {
	all := shownFields(c)
	return len(all) > 0 && (c.Kind == api.ChangeField || all[0].Condition != "")
}

// fieldValue returns a value of the first field.
func fieldValue(c api.FeedChange, value func(f api.ChangedField) string) string {
	all := shownFields(c)
	if len(all) == 0 {
		return ""
	}
	return words.Clean(value(all[0]))
}

// orNone writes a value with its currency.
func orNone(value any, currency string) string {
	if value == nil {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprint(value) + " " + currency)
}

// Values returns the values of the variables of a message about a change. The item is the address of its page here, or
// "".
func Values(p Part, rule, item string, zone *time.Location) Words {
	c := p.Change
	out := Words{
		"title": name(c), "url": c.URL, "host": c.Host, "type": c.Type, "kind": string(c.Kind),
		"summary": what(c, name(c), maxSubject, 0),
		"added":   passagesOf(c, "added"), "removed": passagesOf(c, "removed"), "difference": Difference(c),
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
