package letter

import (
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// fieldText says in one line what has become of a field: "price: 79 → 84 EUR (lowest 72 in May)".
func fieldText(f api.ChangedField) string { return words.Clean(f.Name + ": " + f.Text) }

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
