package main

import (
	"time"

	"github.com/cespare/xxhash/v2"
)

// furniture remembers which lines stand on which pages of a host: a line that comes or goes on
// one page, and stands or stood on another with other content, is the site's and not the page's.
type furniture struct {
	lines map[uint64]sighting
}

// sighting is where a line was seen: on the first page and, last, on another.
type sighting struct {
	page, other *item
	last        time.Time
}

// remembered is how long a line that is not seen any more counts.
const remembered = 60 * 24 * time.Hour

// explains reports whether all that changed between two states of an item is furniture, and notes what stands
// there now.
func (h *furniture) explains(it *item, before, now *facts, at time.Time) bool {
	explained := before != nil && before != now
	if explained {
		moved := movedLines(before.lines, now.lines)
		explained = len(moved) > 0
		for line := range moved {
			s, seen := h.lines[xxhash.Sum64String(line)]
			elsewhere := s.page != it && s.page != nil || s.other != nil
			explained = explained && seen && elsewhere && at.Sub(s.last) <= remembered
		}
	}
	for _, line := range now.lines {
		key := xxhash.Sum64String(line)
		s := h.lines[key]
		switch {
		case s.page == nil:
			s.page = it
		case s.page != it:
			s.other = it
		}
		s.last = at
		h.lines[key] = s
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
