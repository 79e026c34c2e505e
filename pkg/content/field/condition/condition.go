package condition

import (
	"math/big"

	"github.com/tidemark/tidemark/pkg/content/field"
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
	if change.First {
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
