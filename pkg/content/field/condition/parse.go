package condition

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Parse reads a condition. Errors: Invalid, with the name of the field of the API that is wrong, such as when.value.
func Parse(spec api.Condition) (Condition, error) {
	c := Condition{name: strings.TrimSpace(spec.Field), op: spec.Op, first: spec.First, percent: spec.Unit == Percent}
	if err := options.FieldName(c.name); err != nil {
		return c, fault.Field("when.field", "when.field must name a field, such as price: %w", err)
	}
	err := c.constants(spec)
	if err == nil {
		err = c.reads(spec)
	}
	return c, cmp.Or(err, superfluous(spec))
}

// constants reads the constants of a condition.
func (c *Condition) constants(spec api.Condition) error {
	for _, one := range []struct {
		name string
		text api.Constant
		into *constant
	}{{"when.value", spec.Value, &c.value}, {"when.from", spec.From, &c.from}, {"when.to", spec.To, &c.to}} {
		if len(one.text) > maxConstant {
			return fault.Field(one.name, "%s must be at most %d bytes long", one.name, maxConstant)
		}
		*one.into = parseConstant(string(one.text))
	}
	return nil
}

// reads reads what the operator needs.
func (c *Condition) reads(spec api.Condition) error {
	switch c.op {
	case Less, atMost, Equal, atLeast, more:
		return c.readComparison(cmp.Or(spec.Against, Value))
	case ChangedBy:
		return c.readDifference(spec)
	case FromTo:
		if spec.From == spec.To && !c.isAnyChange() {
			return fault.Field("when.to", "when.to must differ from when.from")
		}
	case Appears, Disappears:
	default:
		return fault.Field("when.op", "when.op must be one of %s, not %.40q", strings.Join(Ops, ", "), c.op)
	}
	return nil
}

func (c *Condition) readComparison(against string) error {
	c.against = against
	switch {
	case !slices.Contains(References, against):
		return fault.Field("when.against", "when.against must be one of %s, not %.40q", strings.Join(References, ", "),
			against)
	case against != Value && !c.value.isNone():
		return fault.Field("when.value", "when.value must be left out: the comparison is with the %s value", against)
	case against == Value && c.value.isNone():
		return fault.Field("when.value", "when.value must be the value to compare with, such as 80 or 80 EUR")
	case against == Value && c.op != Equal && !c.value.isOrdered():
		return fault.Field("when.value", "when.value must be a number, an amount or a date for %s, such as 80, 80 EUR or "+
			"2026-11-27%s", c.op, because(c.value.why))
	}
	return nil
}

func (c *Condition) readDifference(spec api.Condition) error {
	c.against = cmp.Or(spec.Against, Previous)
	text, sign := strings.CutSuffix(strings.TrimSpace(string(spec.Value)), "%")
	if sign {
		c.value, c.percent = parseConstant(text), true
	}
	least := cmp.Or(c.value.number.Number, c.value.money.Number)
	switch {
	case c.against == Value || !slices.Contains(References, c.against):
		return fault.Field("when.against", "when.against must be one of %s for %s, not %.40q",
			strings.Join(References[1:], ", "), ChangedBy, c.against)
	case spec.Unit != "" && spec.Unit != Percent && spec.Unit != Absolute:
		return fault.Field("when.unit", "when.unit must be %s or %s, not %.40q", Absolute, Percent, spec.Unit)
	case sign && spec.Unit == Absolute:
		return fault.Field("when.unit", "when.unit must be %s, as in when.value, or be left out", Percent)
	case least == "" || least.Compare("0") <= 0:
		return fault.Field("when.value", "when.value must be a number above 0, the least difference%s",
			because(c.value.why))
	case c.percent && c.value.money.Currency != "":
		return fault.Field("when.value", "when.value must be a number without a currency for a percentage")
	}
	return nil
}

// superfluous reports what is given of a condition and has no meaning for its operator.
func superfluous(spec api.Condition) error {
	for _, one := range []struct {
		name  string
		given bool
		ops   []string
	}{
		{"when.value", spec.Value != "", Ops[:6]},
		{"when.from", spec.From != "", []string{FromTo}},
		{"when.to", spec.To != "", []string{FromTo}},
		{"when.unit", spec.Unit != "" && spec.Unit != Absolute, []string{ChangedBy}},
		{"when.against", spec.Against != "" && spec.Against != Value, Ops[:6]},
	} {
		if one.given && !slices.Contains(one.ops, spec.Op) {
			return fault.Field(one.name, "%s must be left out for %s: it has no meaning there", one.name, spec.Op)
		}
	}
	return nil
}

// Fits reports why the condition can never hold for a field of a type. Errors: Invalid, with the name of the field of
// the API that is wrong.
func (c Condition) Fits(t field.Type) error {
	ordered := t == field.Number || t == field.Money || t == field.Date
	for _, one := range []struct {
		name    string
		k       constant
		matters bool
	}{{"when.value", c.value, c.against == Value}, {"when.from", c.from, true}, {"when.to", c.to, true}} {
		if one.matters && !one.k.isNone() && !one.k.fits(t) {
			return fault.Field(one.name, "%s is not a value for the field %s, whose type is %s", one.name, c.name, t)
		}
	}
	switch {
	case !ordered && (c.op == Less || c.op == more || c.op == atMost || c.op == atLeast):
		return fault.Field("when.op", "when.op must be %s, %s, %s or %s for the field %s, whose type is %s", Equal, FromTo,
			Appears, Disappears, c.name, t)
	case c.op == ChangedBy && t != field.Number && t != field.Money:
		return fault.Field("when.op", "when.op cannot be %s for the field %s, whose type is %s", ChangedBy, c.name, t)
	case !ordered && (c.against == Lowest || c.against == highest):
		return fault.Field("when.against", "when.against cannot be %s for the field %s, whose type is %s", c.against, c.name,
			t)
	}
	return nil
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return "; " + why
}
