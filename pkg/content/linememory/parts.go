package linememory

import (
	"slices"
	"strings"
	"time"
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
			if d.ID == s.ID || d.Line != "" && formOf(d.Line) == formOf(s.Line) && !has(slots, d.ID) {
				s.Decision = d.Do
			}
		}
	}
	m.Slots = slots
	return m
}

func has(slots []Slot, id string) bool {
	return slices.ContainsFunc(slots, func(s Slot) bool { return s.ID == id })
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
	Since    time.Time
	Last     time.Time
	Silent   bool // its moves are not told
	Decision Decision
}

// Parts returns the slots that have moved more than once or that a person has decided about, those that move most
// first.
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
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b Part) int { return b.Moved*max(1, a.Of) - a.Moved*max(1, b.Of) })
	return out
}

// often returns at how many of the last checks the slot has moved, from its first known move on and at most ten.
func (s Slot) often(check Check) (moved, of int) {
	const most = 10
	if len(s.Moves) == 0 {
		return 0, 0
	}
	of = min(most, check.Number-s.Moves[0].Check+1)
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
