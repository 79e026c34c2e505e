package linememory

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// A list of entries often has the same number in each, such as "12 comments". If most of them move, a slot for each
// would be too many, and the first moves of each new entry would be told. So there is a slot for all, which is called a
// column. It moves at a check at which as large a share of its numbers does as the share of checks from which a slot is
// one that moves. A number that has stayed while the others moved is told.

const (
	columnRows = 4  // numbers that make a column, at least
	maxColumns = 8  // that are remembered
	columnStay = 64 // numbers of a column that are remembered because they stay, at most
)

// column is the same number in several lines.
type column struct {
	slot  int   // its index in the memory, or -1
	moved []run // the numbers that have moved
	stays []run // those that have not
}

// run is a number of the new page, or a time or a date of several words, and what it was before.
type run struct {
	old, now span
	key      uint32 // see [page.keyOf]; of the old page for a number that has moved
}

// findColumns finds the columns of the new page.
func (s *comparison) findColumns() {
	s.columns = map[uint32]*column{}
	for i, slot := range s.memory.Slots {
		if slot.Column {
			s.columns[slot.Left] = &column{slot: i}
		}
	}
	was := map[int]difference{}
	for _, d := range s.align.differs {
		if d.old.size() > 0 && d.now.size() > 0 && s.align.old.onlyNumbers(d.old) && s.align.now.onlyNumbers(d.now) {
			was[d.now.from] = d
		}
	}
	old, now := s.align.old, s.align.now
	for label, at := range now.runs() {
		if s.columns[label] == nil {
			s.columns[label] = &column{slot: -1}
		}
		c, d := s.columns[label], difference{}
		for i := at.from; i < at.to && d.now.size() == 0; i++ {
			d = was[i]
		}
		switch {
		case count(s.now, at) == 0:
			c.stays = append(c.stays, run{now: at, key: now.keyOf(at)})
		case d.now.size() > 0 && count(s.now, at) == d.now.size():
			c.moved = append(c.moved, run{d.old, d.now, old.keyOf(old.around(d.old))})
		}
	}
}

// runs yields the numbers of a page, each with a hash of its label: the unit or noun behind it, what it is the value
// of, its column in a table, or the words before it.
func (p *page) runs() func(yield func(label uint32, at span) bool) {
	return func(yield func(uint32, span) bool) {
		bars := 0
		for i := 0; i < len(p.tokens); i++ {
			switch t := p.tokens[i]; {
			case t.end:
				bars = 0
			case t.key == bar:
				bars++
			case t.number:
				at := p.around(span{i, i + 1})
				if i = at.to - 1; !yield(p.labelOf(at, bars), at) {
					return
				}
			}
		}
	}
}

// around returns the whole number of which a span is a part.
func (p *page) around(s span) span {
	for s.from > 0 && p.tokens[s.from-1].number {
		s.from--
	}
	for s.to < len(p.tokens) && p.tokens[s.to].number {
		s.to++
	}
	return s
}

var bar, colon, wideColon = hashOf("|"), hashOf(":"), hashOf("：")

func (p *page) labelOf(at span, bars int) uint32 {
	masked := func(i int) uint32 {
		if i < 0 || i >= len(p.tokens) {
			return endOfLine
		}
		return p.tokens[i].masked
	}
	var parts []uint32
	before := masked(at.from - 1)
	if before == colon || before == wideColon {
		parts = append(parts, masked(at.from-2))
	}
	switch isWord := at.to < len(p.tokens) && !p.tokens[at.to].sign; {
	case isWord:
		parts = append(parts, 1, masked(at.to), masked(at.to+1))
	case before == bar || masked(at.to) == bar:
		parts = append(parts, 2, uint32(bars))
	default:
		parts = append(parts, 3, before, masked(at.from-2))
	}
	return hashOfAll(parts)
}

// keyOf returns a hash of a number and of the words before it, which are those of its entry.
func (p *page) keyOf(at span) uint32 {
	const before = 24 // tokens
	return hashOfAll([]uint32{p.form(span{max(0, at.from-before), at.from}), p.hash(at)})
}

// explains says why moves in a column are not told.
func (s *comparison) explains(slot Slot) Why {
	known := slot.believed(s.check) || slot.movesOften(s.check)
	moves := known && slot.recent(s.check) >= often && slot.isSpread(s.check)
	return when(slot.Decision == Never || slot.Decision == "" && moves, Moves)
}

// hasStayed reports whether a number of a column has stayed for much longer than the others do, or has never moved
// since the column is known, or whether that is not known.
func (s *comparison) hasStayed(slot Slot, c *column, r run) bool {
	const longer = 5 // times
	since, is := slot.Stays[r.key]
	switch {
	case !is:
		return len(slot.Stays) >= columnStay
	case len(slot.Moves) < maxMoves && since <= slot.Moves[0].Check:
		return true
	}
	return (s.check.Number-since)*len(c.moved) >= longer*(len(c.moved)+len(c.stays))
}

// coverColumns takes away the moves that columns explain. It reports whether there are any, and whether a second check
// soon would show more.
func (s *comparison) coverColumns(old, now []bool) (found, again bool) {
	for _, c := range s.columns {
		if c.slot < 0 {
			continue
		}
		slot := s.memory.Slots[c.slot]
		why := s.explains(slot)
		again = again || c.moves() && slot.Decision == "" && slot.recent(s.check) >= often && !slot.believed(s.check)
		for _, r := range c.moved {
			if why != "" && (slot.Decision == Never || !s.hasStayed(slot, c, r)) && !s.isAlways(r.now) {
				found = true
				clear(old[r.old.from:r.old.to])
				clear(now[r.now.from:r.now.to])
			}
		}
	}
	return found, again
}

// isAlways reports whether a person wants each move of a number to be told.
func (s *comparison) isAlways(at span) bool {
	for i, p := range s.positions {
		if s.memory.Slots[i].Decision == Always && p.known && p.now.from <= at.from && at.to <= p.now.to {
			return true
		}
	}
	return false
}

// moves reports whether a column has moved.
func (c *column) moves() bool {
	all := len(c.moved) + len(c.stays)
	return all >= columnRows && window*len(c.moved) >= often*all
}

// learnColumns records the moves of columns. What moves in them needs no slots of its own, so its marks are taken away.
func (s *comparison) learnColumns(old, now []bool) {
	known := 0
	for _, slot := range s.memory.Slots {
		if slot.Column {
			known++
		}
	}
	for _, label := range slices.Sorted(maps.Keys(s.columns)) {
		c := s.columns[label]
		if !c.moves() || c.slot < 0 && known >= maxColumns {
			continue
		}
		if c.slot < 0 {
			known++
			c.slot = len(s.memory.Slots)
			s.memory.Slots = append(s.memory.Slots, Slot{ID: "column-" + strconv.FormatUint(uint64(label), 36), Left: label,
				Number: true, Column: true})
		}
		slot := &s.memory.Slots[c.slot]
		first := c.moved[0]
		line, _ := s.align.now.lineOf(first.now.from)
		slot.Line, slot.Was, slot.Size = words.Ellipsis(line, maxLine), s.lineBefore(first.old), 1
		slot.silence(s.explains(*slot), s.check)
		slot.move(s.check)
		s.noteColumn(slot, c)
		for _, r := range c.moved {
			clear(old[r.old.from:r.old.to])
			clear(now[r.now.from:r.now.to])
		}
	}
}

// noteColumn notes since when the numbers of a column have stayed; those that have done so for the longest time first.
func (s *comparison) noteColumn(slot *Slot, c *column) {
	was := slot.Stays
	slot.Stays = map[uint32]int{}
	since := func(r run) int {
		if n, is := was[r.key]; is {
			return n
		}
		return s.check.Number
	}
	slices.SortStableFunc(c.stays, func(a, b run) int { return since(a) - since(b) })
	for _, r := range c.stays[:min(len(c.stays), columnStay)] {
		slot.Stays[r.key] = since(r)
	}
}
