package main

import (
	"time"

	"github.com/cespare/xxhash/v2"
)

// furniture remembers which lines came and went on the pages of a host. A line that is added or removed on two pages
// with different content belongs to the site, not to the pages.
type furniture struct {
	moves map[move]sighting
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
