package linememory

import (
	"math"
	"slices"
	"time"
)

// Check is a check that saw the page.
type Check struct {
	Number int           `json:"n,omitempty"`     // checks of the page so far, this one included
	Close  time.Duration `json:"close,omitempty"` // the sum of the times between checks that were at most [Near] apart
	IsNear bool          `json:"near,omitempty"`  // the check before was at most [Near] ago
	At     time.Time     `json:"at,omitzero"`
	// Next is when the check after this one is planned. A check that comes within an hour and before that time is one
	// that somebody has asked for, and Early is when the last such check was.
	Next  time.Time `json:"next,omitzero"`
	Early time.Time `json:"early,omitzero"`
	// IsSecond says that the check before is near, and the one before that was not.
	IsSecond bool `json:"second,omitempty"`

	Before time.Time `json:"-"` // when the check before was
}

// Near is the longest time between two checks that show how often something moves within a day.
const Near = 6 * time.Hour

// trial is how long after a check that somebody has asked for what moves shows no rhythm: people change a page to try
// how they are told of it.
const trial = time.Hour

// After returns the check at a time, after another check. The first check follows the zero Check.
func After(last Check, at time.Time) Check {
	gap := at.Sub(last.At)
	now := last
	if last.Number > 0 && gap < trial && at.Before(last.Next) {
		now.Early = at
	}
	now.Number, now.At, now.Next, now.Before = last.Number+1, at, time.Time{}, last.At
	if now.IsNear = last.Number > 0 && gap <= Near && !now.isTrial(); now.IsNear {
		now.Close += max(gap, 0)
	}
	now.IsSecond = now.IsNear && !last.IsNear && last.Number > 1 && !last.isTrial()
	return now
}

// isTrial reports whether somebody has asked for a check a short time ago.
func (c Check) isTrial() bool { return !c.Early.IsZero() && c.At.Sub(c.Early) < trial }

// Memory is what is remembered of a page. The zero Memory knows nothing.
type Memory struct {
	Slots []Slot `json:"slots,omitempty"`
	// Last is the verdict of the last check, for a check that is repeated after a crash.
	Last last `json:"last,omitzero"`
}

// last is the verdict of a check.
type last struct {
	Check int    `json:"n"`
	Texts uint64 `json:"h"` // hash of both texts
	Small Why    `json:"small,omitempty"`
	What  string `json:"what,omitempty"`
	Again bool   `json:"again,omitempty"`
}

// Slot is a position of the page that has moved.
type Slot struct {
	ID    string `json:"id"`
	Left  uint32 `json:"l"` // hashes of what stands before and after it
	Right uint32 `json:"r"`
	At    int    `json:"p,omitempty"` // its first token in the page as it was last read
	Size  int    `json:"n,omitempty"` // number of its tokens there
	Least int    `json:"m,omitempty"` // the smallest and the largest number of tokens that stood there
	Most  int    `json:"x,omitempty"`
	Lines int    `json:"y,omitempty"` // the largest number of line ends among them
	// Number says that nothing but numbers and times has moved there.
	Number bool `json:"number,omitempty"`
	// Block says that the slot is several lines, which are there or not, and of which none is read by itself.
	Block bool `json:"block,omitempty"`
	// Column says that the slot is the same number in several lines; Left is the hash of its label.
	Column bool `json:"column,omitempty"`
	// Stays are lines of a block, or numbers of a column, that have stayed when it moved, by their hashes, with the check
	// since which they stand.
	Stays map[uint32]int `json:"stays,omitempty"`
	Moves []Move         `json:"moves,omitempty"` // the last moves, oldest first
	Texts []Text         `json:"texts,omitempty"` // the last texts, oldest first
	Line  string         `json:"line,omitempty"`  // the line in which it stands, as people read it
	Was   string         `json:"was,omitempty"`   // the same before the last move
	Since time.Time      `json:"since,omitzero"`  // the first move
	// Silent is since when its moves are not told; zero if the last one was.
	Silent time.Time `json:"silent,omitzero"`
	// Often is when it was last seen to move more often than once a day.
	Often time.Time `json:"often,omitzero"`
	// Steady is when it was last seen to move at steady of the last checks.
	Steady   time.Time `json:"steady,omitzero"`
	Decision Decision  `json:"decision,omitempty"`
}

// Move is a check at which a slot had another text.
type Move struct {
	Check int   `json:"n"`
	Close int64 `json:"c,omitempty"` // seconds; see [Check.Close]
	Near  bool  `json:"near,omitempty"`
	At    int64 `json:"t"` // seconds since 1970
	// Trial says that somebody had asked for the check, or for one shortly before. It is no evidence of a rhythm.
	Trial bool `json:"trial,omitempty"`
}

// Text is a text that stood in a slot.
type Text struct {
	Hash  uint32 `json:"h"`
	Check int    `json:"n"` // the last check that found it
}

// Decision is what a person wants of a slot.
type Decision string

// The decisions.
const (
	Always Decision = "always" // each move is told
	Never  Decision = "never"  // no move is told
	// Forget drops what is known of the slot. The next check that finds a difference does so.
	Forget Decision = "forget"
)

const (
	maxSlots = 64
	maxMoves = 8
	maxTexts = 8
	maxLine  = 120      // bytes
	maxSize  = 16 << 10 // bytes
	// window is the number of checks before the present one that say how often a slot moves.
	window = 7
	// often is the number of moves in the window from which a slot is one that moves.
	often = 2
	// apart is the time between two moves from which they may have two causes: who edits a page may do so several times.
	apart = 45 * time.Minute
	// inARow is the number of checks in a row from which a part that has moved at each of them is not edited each time.
	inARow = 6
	// steady is the number of the last maxMoves+1 checks from which a price that has moved at each of them is live data.
	steady = 7
	// nearlyAlways is the number of moves in the window from which the content of a slot is not read.
	nearlyAlways = 4
	// forgotten is how long evidence of a rhythm is believed, and how long a slot that does not move is remembered.
	forgotten = 60 * 24 * time.Hour
	// stays is the number of checks after which a line in a block that moves counts as one that stays, and maxStays the
	// number of lines that are remembered.
	stays    = 5
	maxStays = 16
	// unlikely is the probability below which a fact that changes once a day does not move as often as it was seen to.
	unlikely = 0.02
)

// recent returns the number of checks in the window at which the slot has moved.
func (s Slot) recent(check Check) (n int) {
	for _, m := range s.Moves {
		if m.counts(check, window) {
			n++
		}
	}
	return n
}

// counts reports whether a move is evidence at a check, and in a window of so many checks before it.
func (m Move) counts(check Check, window int) bool {
	return !m.Trial && m.Check < check.Number && check.Number-m.Check <= window && m.within(check, 2*forgotten)
}

// isMost reports whether the slot has moved at half of the checks or more since its first move in the window.
func (s Slot) isMost(check Check) bool {
	for _, m := range s.Moves {
		if m.counts(check, window) {
			return 2*s.recent(check) >= check.Number-m.Check
		}
	}
	return false
}

// isSpread reports whether the moves in the window, and one at the present check, are more than the edits of one hour,
// or the last move is not told for what was known before.
func (s Slot) isSpread(check Check) bool {
	if s.believed(check) || !s.Silent.IsZero() {
		return true
	}
	for _, m := range s.Moves {
		if m.counts(check, window) {
			return check.At.Sub(time.Unix(m.At, 0)) >= apart && 2 <= s.recent(check) || s.movedInARow(check, inARow, inARow)
		}
	}
	return false
}

// movedInARow reports whether the slot has moved at n of so many checks, of which the present one is the last.
func (s Slot) movedInARow(check Check, n, of int) bool {
	moves := 1
	for _, m := range s.Moves {
		if m.counts(check, of-1) {
			moves++
		}
	}
	return moves >= n
}

// isSteady reports whether the slot moves at nearly each check, for so long that it is live data.
func (s Slot) isSteady(check Check) bool {
	return !s.Steady.IsZero() && check.At.Sub(s.Steady) < forgotten || s.movedInARow(check, steady, maxMoves+1)
}

func (m Move) within(check Check, d time.Duration) bool { return check.At.Sub(time.Unix(m.At, 0)) < d }

// movesOften reports whether the slot moves more often than once a day: whether a fact that changes once a day, at any
// time, would hardly have moved as often during the time in which the page was checked closely. It counts the present
// check as a move. Moves within minutes count once, because an editor may have made all of them, unless there are
// inARow of them. A single one counts only at a second check.
func (s Slot) movesOften(check Check) bool {
	if !check.IsNear {
		return false
	}
	least, moves, all, last := 2, 1, 1, check.At
	if check.IsSecond {
		least = 1
	}
	for _, m := range slices.Backward(s.Moves) {
		if m.Trial {
			continue
		}
		if !m.within(check, forgotten) {
			break
		}
		days := (check.Close - time.Duration(m.Close)*time.Second).Hours() / 24
		isOther := last.Sub(time.Unix(m.At, 0)) >= apart
		if isOther && moves >= least && atLeast(moves, days) < unlikely ||
			all >= inARow-1 && s.movedInARow(check, inARow, inARow) && atLeast(all, days) < unlikely {
			return true
		}
		if m.Near {
			all++
		}
		if m.Near && isOther {
			moves, last = moves+1, time.Unix(m.At, 0)
		}
	}
	return false
}

// atLeast returns the probability of n or more events where the mean is the given one, and events are independent.
func atLeast(n int, mean float64) float64 {
	p, less := math.Exp(-mean), 0.0
	for i := range n {
		less += p
		p *= mean / float64(i+1)
	}
	return 1 - less
}

// believed reports whether there is recent evidence that the slot moves more often than once a day.
func (s Slot) believed(check Check) bool {
	return !s.Often.IsZero() && check.At.Sub(s.Often) < forgotten
}

// move records that the slot has another text.
func (s *Slot) move(check Check, texts ...uint32) {
	if s.movesOften(check) {
		s.Often = check.At
	}
	if s.movedInARow(check, steady, maxMoves+1) {
		s.Steady = check.At
	}
	if len(s.Moves) == 0 {
		s.Since = check.At
	}
	isTrial := check.isTrial() && s.Silent.IsZero() // what is known to move goes on to do so
	s.Moves = append(s.Moves,
		Move{check.Number, int64(check.Close / time.Second), check.IsNear, check.At.Unix(), isTrial})
	s.Moves = s.Moves[max(0, len(s.Moves)-maxMoves):]
	for _, t := range texts {
		s.Texts = append(slices.DeleteFunc(s.Texts, func(known Text) bool { return known.Hash == t }), Text{t, check.Number})
	}
	s.Texts = s.Texts[max(0, len(s.Texts)-maxTexts):]
}

// knows reports whether a text stood in the slot before.
func (s Slot) knows(text uint32) bool {
	return slices.ContainsFunc(s.Texts, func(t Text) bool { return t.Hash == text })
}

// last returns when the slot has moved last.
func (s Slot) last() time.Time {
	if len(s.Moves) == 0 {
		return time.Time{}
	}
	return time.Unix(s.Moves[len(s.Moves)-1].At, 0).UTC()
}

// before returns a copy of the memory without the slots that are to be forgotten, and without what a check has left
// that did not end: it was the same check.
func (m Memory) before(check Check) (out Memory) {
	for _, s := range m.Slots {
		s.Moves = slices.DeleteFunc(slices.Clone(s.Moves), func(v Move) bool { return v.Check >= check.Number })
		s.Texts = slices.DeleteFunc(slices.Clone(s.Texts), func(t Text) bool { return t.Check >= check.Number })
		if s.Decision != Forget && (len(s.Moves) > 0 || s.Decision != "") {
			out.Slots = append(out.Slots, s)
		}
	}
	return out
}

// bounded drops the slots that have not moved for the longest time, if they are too many or too large.
func (m Memory) bounded(check Check) Memory {
	m.Slots = slices.DeleteFunc(m.Slots, func(s Slot) bool {
		return s.Decision == "" && check.At.Sub(s.last()) > forgotten && s.recent(check) == 0
	})
	slices.SortStableFunc(m.Slots, func(a, b Slot) int {
		if (a.Decision == "") != (b.Decision == "") {
			return map[bool]int{true: 1, false: -1}[a.Decision == ""]
		}
		return b.last().Compare(a.last())
	})
	m.Slots = m.Slots[:min(len(m.Slots), maxSlots)]
	size := 0
	for i, s := range m.Slots {
		if size += s.size(); size > maxSize {
			m.Slots = m.Slots[:i]
			break
		}
	}
	return m
}

// size returns about how many bytes a slot takes when it is compressed, if no two lines or hashes are alike.
func (s Slot) size() int {
	const itself, text, stay, move = 40, 7, 10, 4
	return itself + (len(s.Line)+len(s.Was))*3/4 + text*len(s.Texts) + stay*len(s.Stays) + move*len(s.Moves)
}
