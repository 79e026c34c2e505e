package field

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// longestShown limits the bytes of a text in a message.
const longestShown = 80

// Text writes the change for people: "79 → 84 EUR (lowest 72 in May)". now decides how the time of the lowest value is
// written, also by its zone.
func (c Change) Text(now time.Time) string {
	before, after := c.Then.Value, c.Now.Value
	switch {
	case c.First || c.Same:
		return shown(after) + c.lowest(now)
	case after.None():
		return shown(before) + " → none"
	case before.None():
		return "→ " + shown(after) + c.lowest(now)
	case after.Unit() != "" && before.Unit() == after.Unit():
		return before.figures() + " → " + shown(after) + c.lowest(now)
	}
	return shown(before) + " → " + shown(after) + c.lowest(now)
}

// shown writes a value for people; "none" if there is none.
func shown(v Value) string {
	if v.None() {
		return "none"
	}
	return words.Ellipsis(v.Words(), longestShown)
}

// lowest writes in brackets which value was the lowest before the check. The unit is that of the present value.
func (c Change) lowest(now time.Time) string {
	v, low := c.Now.Value, c.Now.Seen.Lowest
	if v.Type != Number && v.Type != Money {
		return ""
	}
	order, ok := v.Compare(low.Value)
	if !ok {
		return ""
	}
	text := low.Value.figures() + when(low.At, now)
	if order < 0 {
		return " (lowest until now: " + text + ")"
	}
	return " (lowest " + text + ")"
}

// when writes a time before now: the day if it is in the same month, or else the month, with the year if that is
// another one.
func when(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(now.Location())
	switch {
	case at.Year() != now.Year():
		return " in " + at.Format("January 2006")
	case at.Month() != now.Month():
		return " in " + at.Format("January")
	}
	return " on " + at.Format("2 Jan")
}
