package condition_test

import (
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

// sight is what the model knows of a field at a check: a value in hundredths or a word, or none.
type sight struct {
	has            bool
	amount         int64
	currency, word string
}

// like reports whether two sights can be compared. A constant may have no currency.
func (s sight) like(other sight) bool {
	return s.has && other.has && (s.word == "") == (other.word == "") &&
		(other.currency == "" || s.currency == other.currency)
}

func (s sight) is(other sight) bool {
	return s.like(other) && s.amount == other.amount && s.word == other.word
}

// text writes a sight as people write a constant.
func (s sight) text() api.Constant {
	if s.word != "" {
		return api.Constant(s.word)
	}
	text := fmt.Sprintf("%d.%02d", s.amount/100, s.amount%100)
	return api.Constant(strings.TrimSpace(strings.TrimSuffix(text, ".00") + " " + s.currency))
}

// plain is a condition as the model has it.
type plain struct {
	field, op, against string
	first              bool
	constant           sight
	from, to           *sight // nil for any
	least              int64  // of a difference, in hundredths; or a percentage
	percent            bool
}

// spec is the same condition for the API.
func (w plain) spec() api.Condition {
	s := api.Condition{Field: w.field, Op: w.op, First: w.first}
	switch w.op {
	case condition.FromTo:
		if w.from != nil {
			s.From = w.from.text()
		}
		if w.to != nil {
			s.To = w.to.text()
		}
	case condition.ChangedBy:
		s.Against, s.Value = w.against, sight{has: true, amount: w.least}.text()
		if w.percent {
			s.Unit, s.Value = condition.Percent, api.Constant(fmt.Sprint(w.least))
		}
	case condition.Appears, condition.Disappears:
	default:
		if s.Against = w.against; w.against == condition.Value {
			s.Value = w.constant.text()
		}
	}
	return s
}

// machine follows one condition through the checks of a field.
type machine struct {
	plain

	armed bool
}

// follower is the model of a field: all that was seen of it since it was defined.
type follower struct {
	seen  []sight
	key   string // its definition
	known bool   // the last check saw it
}

// see tells the model what a check saw, and returns which conditions fire. mute states that the check cannot be
// compared with the one before. untold states that the first sight makes no change.
func (f *follower) see(now sight, machines []*machine, mute, untold bool) (fired []bool) {
	start := len(f.seen) == 0
	for _, m := range machines {
		good := m.holds(f.seen, now)
		fires := good && m.armed && !mute
		if start {
			fires = good && m.first && !untold
		}
		fired = append(fired, fires)
		m.armed = !good
		if m.op == condition.FromTo {
			m.armed = !m.second(now)
		}
	}
	f.seen, f.known = append(f.seen, now), true
	return fired
}

// holds decides naively, from all that was seen.
func (w plain) holds(before []sight, now sight) bool {
	values := []sight{}
	for _, s := range before {
		if s.has {
			values = append(values, s)
		}
	}
	switch w.op {
	case condition.Appears:
		return now.has
	case condition.Disappears:
		return !now.has
	case condition.FromTo:
		if w.from == nil && w.to == nil {
			return now.has && len(values) > 0 && !now.is(values[len(values)-1])
		}
		came := w.from == nil || len(values) > 0 && values[len(values)-1].is(*w.from)
		return came && w.second(now)
	}
	other := w.constant
	if w.against != condition.Value {
		other = w.pick(values)
	}
	if !now.like(other) {
		return false
	}
	if w.op == condition.ChangedBy {
		return now.word == "" && w.far(now.amount, other.amount)
	}
	if now.word != "" {
		same := now.word == other.word
		return same && (w.op == "=" || w.op == "<=" || w.op == ">=")
	}
	return map[string]bool{"<": now.amount < other.amount, "<=": now.amount <= other.amount,
		"=": now.amount == other.amount, ">=": now.amount >= other.amount, ">": now.amount > other.amount}[w.op]
}

func (w plain) second(now sight) bool {
	if w.to == nil {
		return w.from != nil && now.has && !now.is(*w.from)
	}
	return now.is(*w.to)
}

// far reports whether two amounts differ by the wanted difference.
func (w plain) far(a, b int64) bool {
	diff := max(a-b, b-a)
	if w.percent {
		return diff > 0 && 100*diff >= w.least*b
	}
	return diff > 0 && diff >= w.least
}

// pick returns one of the values seen before. Only values in the currency of the first have a lowest and a highest.
func (w plain) pick(values []sight) (out sight) {
	if len(values) == 0 {
		return out
	}
	switch w.against {
	case condition.Previous:
		return values[len(values)-1]
	case condition.First:
		return values[0]
	}
	for _, v := range values {
		switch {
		case v.word != "":
			return sight{}
		case !out.has, v.currency == out.currency && (v.amount < out.amount) == (w.against == condition.Lowest):
			out = v
		}
	}
	return out
}
