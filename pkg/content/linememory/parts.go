package linememory

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Decided is a decision about a slot.
type Decided struct {
	ID   string    `json:"id"`
	Line string    `json:"line,omitempty"` // the line of the slot, by which it is found if its id is unknown
	Do   Decision  `json:"do"`
	At   time.Time `json:"at"`
}

// With returns the memory with the decisions of people, and no others.
func (m Memory) With(decided []Decided) Memory {
	slots := slices.Clone(m.Slots)
	for i := range slots {
		s := &slots[i]
		s.Decision = ""
		for _, d := range decided {
			if d.isOf(*s, slots) {
				s.Decision = d.Do
			}
		}
	}
	m.Slots = slots
	return m
}

// isOf reports whether a decision is about one of the slots. What is to be forgotten is what was known when a person
// said so: a slot that was learnt later is another one, even if it stands in the same place.
func (d Decided) isOf(s Slot, slots []Slot) bool {
	if d.Do == Forget {
		return d.ID == s.ID && !s.Since.After(d.At)
	}
	return d.ID == s.ID || d.Line != "" && formOf(d.Line) == formOf(s.Line) && !has(slots, d.ID)
}

func has(slots []Slot, id string) bool {
	return slices.ContainsFunc(slots, func(s Slot) bool { return s.ID == id })
}

// maxDecided is the largest number of decisions about a page.
const maxDecided = 50

// Decide adds what a person wants of a slot to the decisions about a page. Forget takes a decision back, or drops what
// is known of the slot if there is none. It also returns the line of the slot. Errors: Invalid if there is no such slot
// or decision, and Conflict if there are too many decisions.
func (m Memory) Decide(decided []Decided, id string, do Decision, now time.Time) (out []Decided, line string,
	err error) {
	if !slices.Contains([]Decision{Always, Never, Forget}, do) {
		return nil, "", fault.Field("do", "do must be always, never or forget")
	}
	i := slices.IndexFunc(m.Slots, func(s Slot) bool { return s.ID == id })
	had := false
	for _, d := range decided {
		switch is := d.ID == id || i >= 0 && d.isOf(m.Slots[i], m.Slots); {
		case d.Do == Forget && !slices.ContainsFunc(m.Slots, func(s Slot) bool { return d.isOf(s, m.Slots) }): // done
		case is:
			had, line = true, d.Line
		default:
			out = append(out, d)
		}
	}
	switch {
	case i >= 0:
		line = m.Slots[i].Line
	case !had:
		return nil, "", fault.Field("id", "nothing that moves on the page has the id %.60q", id)
	}
	if do == Forget && had {
		return out, line, nil
	}
	if len(out) >= maxDecided {
		return nil, "", fault.New(fault.Conflict,
			"there are %d decisions about parts of this page: take one back first", maxDecided)
	}
	return append(out, Decided{ID: id, Line: line, Do: do, At: now}), line, nil
}

// formOf returns a hash of a line with its numbers masked.
func formOf(line string) uint32 {
	p := pageOf(line)
	return p.form(span{0, len(p.tokens)})
}

// Part is a slot as people read it.
type Part struct {
	ID       string
	Text     string   // the line in which it stands
	Was      string   // the same before the last move
	Moves    []string // what moves: number, time, word, text or order
	Moved    int      // in how many of the last checks it has moved
	Of       int      // the number of these checks
	Often    bool     // it has moved at half of them or more, and not only when somebody tried how the page is told
	Since    time.Time
	Last     time.Time
	Silent   bool // its moves are not told
	Decision Decision
}

// Parts returns the slots that have moved more than once or that a person has decided about, those that move most
// first. Of slots with the same id, which stand in the same place, it returns the one that moves most.
func (m Memory) Parts(check Check) (out []Part) {
	for _, s := range m.Slots {
		if len(s.Moves) < often && s.Decision == "" {
			continue
		}
		p := Part{ID: s.ID, Text: s.Line, Was: s.Was, Since: s.Since, Last: s.last(), Decision: s.Decision,
			Silent: s.Decision == Never || s.Decision == "" && !s.Silent.IsZero(), Moves: s.kinds()}
		if p.Silent && !s.Silent.IsZero() {
			p.Since = s.Silent
		}
		p.Moved, p.Of = s.often(check)
		p.Often = s.recent(Check{Number: check.Number + 1, At: check.At}) >= often && 2*p.Moved >= p.Of
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b Part) int { return b.Moved*max(1, a.Of) - a.Moved*max(1, b.Of) })
	known := map[string]bool{}
	return slices.DeleteFunc(out, func(p Part) bool {
		was := known[p.ID]
		known[p.ID] = true
		return was
	})
}

// often returns at how many of the last checks of the page the slot has moved: ten checks, or as many as there were, or
// those since the first of the moves that are remembered.
func (s Slot) often(check Check) (moved, of int) {
	const most = 10
	if len(s.Moves) == 0 {
		return 0, 0
	}
	if of = min(most, check.Number); len(s.Moves) == maxMoves {
		of = min(of, check.Number-s.Moves[0].Check+1)
	}
	for _, m := range s.Moves {
		if check.Number-m.Check < of {
			moved++
		}
	}
	return moved, of
}

// kinds returns what moves in the slot.
func (s Slot) kinds() []string {
	switch {
	case s.Number && strings.Contains(s.Line, ":"):
		return []string{"time"}
	case s.Number:
		return []string{"number"}
	case s.Block || s.Size > 3:
		return []string{"text"}
	}
	return []string{"word"}
}
