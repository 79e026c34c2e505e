// Package condition decides whether a change of a field is one that a rule wants: the price is below 80 EUR, lower than
// ever, has changed by 10 %, or the product is available again.
//
// # Once
//
// A condition fires when a check finds that it holds, and the check before did not. So it fires once, and is armed
// again when it holds no longer. Whether it fires follows from a [field.Change] alone, which has both moments; nothing
// is kept of a condition. That holds for differences from the previous value, too: of two that come at two checks in a
// row, the first fires. At the first check of a field a condition fires only if it asks for that.
//
// # What holds
//
// A value is compared with a constant, or with what earlier checks found: the previous, first, lowest or highest
// value. A comparison does not hold if there is no value, nothing to compare with, or if the two cannot be compared:
//
//   - Numbers and amounts are compared exactly. Amounts have to be of one currency, and for one unit such as a month. A
//     constant that names no currency is compared with amounts of every currency, and one that names no unit with
//     amounts for every unit.
//   - Of a range of prices, and of "from 9.90", the lowest price is compared, because that is the price a reader asks
//     about.
//   - Dates are ordered, and compared as precisely as the constant is: 2026-11-27 equals each time on that day.
//   - Texts and availabilities are equal or not; no other comparison holds for them. Availabilities may be given in
//     words. InStock equals those of which few are left or that are sold online only, and OutOfStock those that are
//     sold out or discontinued, too.
//   - Only numbers and amounts have a difference. Any other value differs from zero by every percentage.
//
// "Went from … to …" is about the last value that was seen, so an interval without a value does not matter to it. With
// neither of the two it is any change: it fires at each value that differs from the last one that was seen.
package condition

import (
	"math/big"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/form"
)

// The operators of conditions.
const (
	Less       = "<"
	atMost     = "<="
	Equal      = "="
	atLeast    = ">="
	more       = ">"
	ChangedBy  = "changedBy"
	FromTo     = "fromTo"
	Appears    = "appears"
	Disappears = "disappears"
)

// Ops are the operators.
var Ops = []string{Less, atMost, Equal, atLeast, more, ChangedBy, FromTo, Appears, Disappears}

// What a condition compares with: a constant, or a value that was seen before the check.
const (
	Value    = "value"
	Previous = "previous"
	First    = "first"
	Lowest   = "lowest"
	highest  = "highest"
)

// References are what conditions compare with.
var References = []string{Value, Previous, First, Lowest, highest}

// The units of differences.
const (
	Absolute = "abs"
	Percent  = "%"
)

// Condition is a condition on a field. The zero Condition never fires; others are made by [Parse].
type Condition struct {
	name    string
	op      string
	against string
	first   bool
	percent bool
	value   constant // for ChangedBy, the least difference
	from    constant
	to      constant
}

// Field is the name of the field.
func (c Condition) Field() string { return c.name }

// Fires returns the change that meets the condition; ok is false if none of them does.
func (c Condition) Fires(changes []field.Change) (change field.Change, ok bool) {
	for _, change := range changes {
		if change.Name == c.name && c.met(change) {
			return change, true
		}
	}
	return change, false
}

func (c Condition) met(change field.Change) bool {
	if change.First || change.Begins && c.first {
		return c.first && c.holds(change.Now)
	}
	return c.holds(change.Now) && !c.fired(change.Then)
}

// fired reports whether the condition is not armed at a moment: it holds, or the value is the second of two.
func (c Condition) fired(m field.Moment) bool {
	if c.op == FromTo {
		return !c.isAnyChange() && c.isSecond(m.Value)
	}
	return c.holds(m)
}

// isAnyChange reports whether the field may go from any value to any other one.
func (c Condition) isAnyChange() bool { return c.op == FromTo && c.from.isNone() && c.to.isNone() }

// NeedsSame reports whether the condition can become true at a check that sees the same value as the check before. A
// value equals what was seen before from then on.
func (c Condition) NeedsSame() bool {
	return c.against != Value && (c.op == Equal || c.op == atMost || c.op == atLeast)
}

// holds reports whether the condition holds at a moment.
func (c Condition) holds(m field.Moment) bool {
	switch c.op {
	case Appears:
		return !m.Value.None()
	case Disappears:
		return m.Value.None()
	case FromTo:
		if c.isAnyChange() {
			return !m.Value.None() && !m.Seen.Previous.None() && !m.Value.Equal(m.Seen.Previous)
		}
		return c.isSecond(m.Value) && (c.from.isNone() || c.from.equals(m.Seen.Previous))
	case ChangedBy:
		return c.differs(m.Value, c.reference(m.Seen))
	}
	order, ok := c.value.compare(m.Value)
	if c.against != Value {
		order, ok = compare(m.Value, c.reference(m.Seen))
	}
	return ok && c.wants(order)
}

// wants reports whether a comparison wants an order.
func (c Condition) wants(order int) bool {
	switch c.op {
	case Less:
		return order < 0
	case atMost:
		return order <= 0
	case Equal:
		return order == 0
	case atLeast:
		return order >= 0
	case more:
		return order > 0
	}
	return false
}

// isSecond reports whether a value is the one that the field has to go to.
func (c Condition) isSecond(v field.Value) bool {
	if c.to.isNone() {
		return !v.None() && !c.from.equals(v)
	}
	return c.to.equals(v)
}

func (c Condition) reference(seen field.Seen) field.Value {
	switch c.against {
	case Previous:
		return seen.Previous
	case First:
		return seen.First.Value
	case Lowest:
		return seen.Lowest.Value
	case highest:
		return seen.Highest.Value
	}
	return field.Value{}
}

// differs reports whether a value differs from a reference by the wanted difference.
func (c Condition) differs(v, ref field.Value) bool {
	if _, ok := compare(v, ref); !ok || v.Type != field.Number && v.Type != field.Money {
		return false
	}
	if code := c.value.money.Currency; code != "" && code != v.Currency {
		return false
	}
	diff := new(big.Rat).Sub(v.Number.Rat(), ref.Number.Rat())
	least := c.value.number.Number.Rat()
	if c.value.number.None() {
		least = c.value.money.Number.Rat()
	}
	if c.percent {
		least.Mul(least, new(big.Rat).Abs(ref.Number.Rat()))
		least.Quo(least, big.NewRat(100, 1))
	}
	return diff.Sign() != 0 && diff.Abs(diff).Cmp(least) >= 0
}

// compare compares a value with one that was seen before.
func compare(v, ref field.Value) (order int, ok bool) {
	if v.Type == ref.Type && (v.Type == field.Number || v.Type == field.Money) {
		return v.Number.Compare(ref.Number), v.Currency == ref.Currency && v.Per == ref.Per
	}
	return v.Compare(ref)
}

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
