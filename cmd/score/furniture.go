package main

import (
	"time"

	"github.com/cespare/xxhash/v2"
)

// furniture remembers which lines came and went on the pages of a host: one that moves on a page as it did on
// another with other content is the site's and not the page's.
type furniture struct {
	moves map[move]sighting
}

// move is a line that came or went.
type move struct {
	line uint64
	came bool
}

// sighting is on which page a line moved last, when, and on which other one before.
type sighting struct {
	page, other *item
	last        time.Time
}

// remembered is how long a move counts.
const remembered = 60 * 24 * time.Hour

// explains reports whether all that changed between two states of an item moved on another page before, and
// notes what moved now.
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

// movedLines are those that one text has more often than the other.
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
