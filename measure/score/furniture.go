package main

import (
	"regexp"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
)

// furniture remembers which lines came and went on the pages of a host. A line that is added or removed on two pages
// with different content belongs to the site, not to the pages.
type furniture struct {
	moves map[move]sighting
	small *siblings
}

// A move is a line that was added or removed.
type move struct {
	line uint64
	came bool
}

// A sighting records where and when a line last moved, and the page on which it moved before.
type sighting struct {
	page, other *item
	last        time.Time
}

// remembered is the time after which a move of a line is forgotten.
const remembered = 60 * 24 * time.Hour

// explains reports whether all lines that changed between two states of an item changed earlier on another page, too.
// Then it records the new changes.
func (h *furniture) explains(it *item, before, now *facts, at time.Time) bool {
	if before == nil || before == now {
		return false
	}
	moved := movedLines(before.lines, now.lines)
	explained := len(moved) > 0
	for line, n := range moved {
		m := move{xxhash.Sum64String(line), n > 0}
		s := h.moves[m]
		elsewhere := s.page != nil && s.page != it || s.other != nil && s.other != it
		explained = explained && elsewhere && at.Sub(s.last) <= remembered
		if s.page != it {
			s.page, s.other = it, s.page
		}
		s.last = at
		h.moves[m] = s
	}
	return explained
}

// movedLines returns the lines that occur more often in one text than in the other.
func movedLines(before, now []string) map[string]int {
	count := map[string]int{}
	for _, line := range before {
		count[line]--
	}
	for _, line := range now {
		count[line]++
	}
	for line, n := range count {
		if n == 0 {
			delete(count, line)
		}
	}
	return count
}

// siblings is like furniture, but for changes beside the main content only, and within 8 KB a host: of each move it
// stores 4 bytes of the hash of the line, 2 of the hash of the page, and the day. A line with a fact is never
// explained.
type siblings struct {
	moves []siblingMove // the oldest first
}

type siblingMove struct {
	line uint32 // of the line, and whether it came
	page uint16
	day  uint16
}

// mostSiblingMoves is how many moves of 8 bytes a host keeps.
const mostSiblingMoves = 1000

// facts of a line: a digit, a sign of a currency or share, or a word of negation or cancellation.
var factInLine = regexp.MustCompile(`(?i)[\p{Nd}\p{Sc}%‰]|\b(?:no|not|non|never|without|cancel\w*|clos\w*|sold|out of|` +
	`unavailable|nicht|kein\w*|ohne|abgesagt|geschlossen|ausverkauft|pas|sans|annul\w*|ferm\w*|sin|cerrad\w*|` +
	`cancelad\w*|agotad\w*)\b`)

// explains reports whether all lines that changed beside the main content changed on another page within the last 60
// days. Then it records the new changes.
func (h *siblings) explains(it *item, before, now *facts, at time.Time) bool {
	if before == nil || before == now {
		return false
	}
	page, day := uint16(xxhash.Sum64String(it.name)), uint16(at.Unix()/(24*60*60))
	moved := movedLines(before.beside, now.beside)
	explained := len(moved) > 0
	for line, n := range moved {
		m := siblingMove{line: uint32(xxhash.Sum64String(line)) &^ 1, page: page, day: day}
		if n > 0 {
			m.line |= 1
		}
		explained = explained && !factInLine.MatchString(line) && slices.ContainsFunc(h.moves, func(o siblingMove) bool {
			return o.line == m.line && o.page != page && day-o.day <= uint16(remembered/(24*time.Hour))
		})
		h.moves = append(h.moves, m)
	}
	h.moves = h.moves[max(0, len(h.moves)-mostSiblingMoves):]
	return explained
}
