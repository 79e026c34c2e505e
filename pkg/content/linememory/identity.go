package linememory

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Rows of a table or a list often differ in numbers alone, which contexts mask: "Berth 12: 3 free", "Berth 13: 5 free".
// A number of such a line that has not moved is part of the name of its slot.

// idOf returns an id for a new slot: its contexts and its name, and a number if other slots have these, too. The id is
// "" if a slot of that id was not found in the page: it may be the same one.
func (s *comparison) idOf(slot Slot, d difference) string {
	contexts := uint64(slot.Left)<<32 | uint64(slot.Right)
	name := append(binary.LittleEndian.AppendUint64(nil, contexts), s.nameOf(d.now)...)
	for try := 0; ; try++ {
		id := contexts
		if len(name) > 8 || try > 0 {
			id = xxhash.Sum64(append(slices.Clip(name), byte(try), byte(try>>8)))
		}
		text := strconv.FormatUint(id, 36)
		i := slices.IndexFunc(s.memory.Slots, func(known Slot) bool {
			return known.ID == text && known.Number == slot.Number && known.Block == slot.Block
		})
		if i < 0 {
			return text
		}
		if i < len(s.positions) && !s.positions[i].known {
			return ""
		}
	}
}

// nameOf returns the keys of the numbers that have not moved in the line of a position; if it has none, of those before
// it, as in a heading.
func (s *comparison) nameOf(at span) (name []byte) {
	const before = 12 // tokens
	p := s.align.now
	_, line := p.lineOf(at.from)
	for _, in := range []span{line, {max(0, line.from-before), line.from}} {
		for i := in.from; i < in.to; i++ {
			if p.tokens[i].number && !s.now[i] {
				name = binary.LittleEndian.AppendUint32(name, p.tokens[i].key)
			}
		}
		if len(name) > 0 {
			break
		}
	}
	return name
}
