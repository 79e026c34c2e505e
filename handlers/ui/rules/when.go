package rules

import (
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
)

// conditionValues adds the condition of a rule to the values of the form's fields.
func conditionValues(f url.Values, c *api.Condition) {
	if c == nil {
		return
	}
	for name, value := range map[string]string{"field": c.Field, "op": c.Op, "value": string(c.Value),
		"from": string(c.From), "to": string(c.To), "unit": c.Unit, "against": c.Against} {
		f.Set("when."+name, value)
	}
	if c.First {
		f.Set("when.first", "1")
	}
}

// conditionOf reads the condition from the form of a rule: nil if all of it is empty.
func conditionOf(f url.Values) *api.Condition {
	text := func(name string) string { return strings.TrimSpace(f.Get("when." + name)) }
	c := api.Condition{Field: text("field"), Op: text("op"), Value: api.Constant(text("value")),
		From: api.Constant(text("from")), To: api.Constant(text("to")), Unit: text("unit"), Against: text("against"),
		First: text("first") != ""}
	if c == (api.Condition{}) {
		return nil
	}
	return &c
}

// operators returns the choices for what a condition wants of a field.
func operators() []show.Choice {
	return show.Choices("", "…", "<", "is below", "<=", "is at most", "=", "is", ">=", "is at least", ">", "is above",
		"changedBy", "changes by at least", "fromTo", "goes from … to …", "appears", "appears", "disappears", "disappears")
}

// references returns the choices for what a condition compares with.
func references() []show.Choice {
	return show.Choices("", "a value; of a change, the previous", "previous", "the previous", "first", "the first",
		"lowest", "the lowest", "highest", "the highest")
}
