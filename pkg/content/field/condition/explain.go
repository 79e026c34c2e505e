package condition

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// IsMet reports whether the condition is met at a moment, so that it fires only after a check has found that it is met
// no longer. A difference, and a comparison with the previous value, are met at the moment of a change alone.
func (c Condition) IsMet(m field.Moment) bool {
	lasts := c.op != ChangedBy && c.against != Previous && (c.op != FromTo || !c.to.isNone())
	return lasts && c.fired(m)
}

// comparisons are the operators in words.
var comparisons = map[string]string{Less: "below", atMost: "at most", Equal: "equal to", atLeast: "at least",
	more: "above"}

// Words writes the condition for people: "price is below 80 EUR", "price falls", "in stock".
func (c Condition) Words() string {
	name, does := field.Word(c.name), c.predicate()
	if !field.Reported(c.name) {
		name = "“" + name + "”"
	}
	switch isPrevious := c.against == Previous; {
	case c.op == FromTo && c.from.isNone() && c.name == field.Stock && c.to.stock.Text == "InStock":
		name, does = "", c.to.stock.Words()
	case c.op == FromTo && c.from.isNone() && !c.to.isNone():
		does = "becomes " + cmp.Or(c.to.stock.Words(), c.to.String())
	case c.op == Less && isPrevious:
		does = "falls"
	case c.op == more && isPrevious:
		does = "rises"
	case comparisons[c.op] != "":
		does = "is " + comparisons[c.op] + strings.TrimPrefix(does, c.op)
	}
	if c.first {
		does += firstToo
	}
	return strings.TrimSpace(name + " " + does)
}

// WhyNot says why a change of the condition's field does not meet the condition, such as: 89 EUR is not below 80 EUR.
func (c Condition) WhyNot(change field.Change) string {
	now, then := change.Now, change.Then
	value := cmp.Or(now.Value.Words(), "no value")
	switch {
	case change.First && (c.op == FromTo || !c.first && c.holds(now)):
		return value + " was the first value that was seen"
	case c.holds(now):
		return "it was so before: " + cmp.Or(then.Value.Words(), "no value")
	case comparisons[c.op] != "":
		return fmt.Sprintf("%s is not %s %s", value, comparisons[c.op], c.bound(now))
	case c.op == ChangedBy:
		unit := ""
		if c.percent {
			unit = " %"
		}
		return fmt.Sprintf("%s differs from %s by less than %s%s", value, cmp.Or(c.reference(now.Seen).Words(), "no value"),
			c.value, unit)
	case c.op == Appears:
		return "there is no value"
	case c.op == Disappears:
		return "there is a value: " + value
	}
	return fmt.Sprintf("it went from %s to %s", cmp.Or(now.Seen.Previous.Words(), "no value"), value)
}

// bound is what a comparison compares with.
func (c Condition) bound(now field.Moment) string {
	if c.against == Value {
		return c.value.String()
	}
	return "the " + c.against + " value, " + cmp.Or(c.reference(now.Seen).Words(), "which is not known")
}

// Sample makes up a change that meets the condition, of a field with values of a type that has a present value, which
// may be none. ok is false if it finds none.
func (c Condition) Sample(of field.Type, present field.Value) (change field.Change, ok bool) {
	all := c.samples(of, present)
	before := all
	if !present.None() {
		before = append([]field.Value{present}, all...)
	}
	for _, then := range before {
		for _, now := range all {
			change = field.Change{Name: c.name, State: field.Found, Reported: true, Then: field.Moment{Value: then},
				Now: field.Moment{Value: now, Seen: field.Seen{Previous: then}}}
			if now.None() {
				change.State = field.Disappeared
			}
			p := field.Point{Value: then}
			change.Now.Seen.First, change.Now.Seen.Lowest, change.Now.Seen.Highest = p, p, p
			if !then.Equal(now) && c.met(change) {
				return change, true
			}
		}
	}
	return field.Change{}, false
}

// samples are values around the constants of the condition and the present value.
func (c Condition) samples(of field.Type, present field.Value) []field.Value {
	var out []field.Value
	for _, k := range []constant{c.to, c.from, c.value} {
		for _, v := range []field.Value{k.number, k.money, k.date, k.stock, k.text} {
			if v.Type == of {
				out = append(out, v)
			}
		}
	}
	switch of {
	case field.Number, field.Money:
		out = numbersAround(append(out, present, field.Value{Type: of, Number: "100"}), of, present)
	case field.Date:
		out = append(out, field.Value{Type: of, Text: "2000-01-01"}, field.Value{Type: of, Text: "2100-01-01"})
	case field.Availability:
		out = append(out, field.Value{Type: of, Text: "InStock"}, field.Value{Type: of, Text: "OutOfStock"})
	default:
		out = append(out, field.Value{Type: field.Text, Text: "another text"}, field.Value{Type: field.Text, Text: "a text"})
	}
	return append(out, field.Value{})
}

// numbersAround returns numbers at, below and above others, in the currency of those, or of the present value.
func numbersAround(some []field.Value, of field.Type, present field.Value) (out []field.Value) {
	for _, v := range some {
		if v.Type != of {
			continue
		}
		v.Shown, v.High, v.From = "", "", false
		if of == field.Money {
			v.Currency, v.Per = cmp.Or(v.Currency, present.Currency, "EUR"), cmp.Or(v.Per, present.Per)
		}
		for _, share := range []int64{100, 95, 105, 50, 200} {
			n := v
			number := new(big.Rat).Mul(v.Number.Rat(), big.NewRat(share, 100))
			d, ok := field.ParseDecimal(number.FloatString(2))
			if n.Number = d; ok {
				out = append(out, n)
			}
		}
	}
	return out
}
