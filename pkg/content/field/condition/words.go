package condition

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

var _ = form.Write(fromText, Text)

// Text writes the condition of a rule for people; "" for none. Of one that is not read, as that of a later release, it
// writes the beginning.
func Text(spec *api.Condition) string {
	if spec == nil {
		return ""
	}
	c, err := Parse(*spec)
	if err != nil {
		return strings.TrimSpace(spec.Field + " " + spec.Op)
	}
	return c.String()
}

// Selected says which changes a rule selects, besides the page that it is for; "" for all.
func Selected(r api.RuleSpec) string {
	r.Filter.ItemID = ""
	text := form.Line(r.Filter)
	if when := Text(r.When); when != "" {
		text += "; when " + when
	}
	return strings.TrimPrefix(text, "; ")
}

// String writes the condition for people: "price < 80 EUR", "price changes by at least 10 % against the previous
// value".
func (c Condition) String() string {
	text := nameOf(c.name) + " " + c.predicate()
	if c.first {
		text += ", also at the first check"
	}
	return text
}

func (c Condition) predicate() string {
	switch c.op {
	case Appears, Disappears:
		return c.op
	case ChangedBy:
		least := c.value.String()
		if c.percent {
			least += " %"
		}
		return "changes by at least " + least + " against the " + c.against + " value"
	case FromTo:
		switch {
		case c.isAnyChange():
			return "changes"
		case c.from.isNone():
			return "goes to " + c.to.String()
		case c.to.isNone():
			return "goes from " + c.from.String() + " to another value"
		}
		return "goes from " + c.from.String() + " to " + c.to.String()
	}
	if c.against != Value {
		return c.op + " the " + c.against + " value"
	}
	return c.op + " " + c.value.String()
}
