// Package wallclock works with times as a clock on the wall shows them, in a time zone with summer time. Each calendar
// day has each time of day once, even when the clocks skip or repeat an hour. See [Cron].
package wallclock

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines without time zone data

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Clock is a time of day, in minutes after midnight.
type Clock int

// Parse reads a time such as 07:30, 7:30 or 7:30 pm. Errors: Invalid.
func Parse(text string) (Clock, error) {
	at, ok := ParseSpoken(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), " ", ""))
	if !ok {
		return 0, fault.New(fault.Invalid, "%.20q is no time of a day such as 07:30", text)
	}
	return at, nil
}

var spoken = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d{2}))?(am|pm)?$`)

// ParseSpoken reads a time as people write it, in lower case: 9am, 9:30pm, 17:00, noon.
func ParseSpoken(word string) (at Clock, ok bool) {
	switch word {
	case "noon":
		return 12 * 60, true
	case "midnight":
		return 0, true
	}
	m := spoken.FindStringSubmatch(word)
	if m == nil || m[2] == "" && m[3] == "" {
		return 0, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	switch half := m[3]; {
	case half != "" && (hour < 1 || hour > 12):
		return 0, false
	case half == "am" && hour == 12:
		hour = 0
	case half == "pm" && hour < 12:
		hour += 12
	}
	return Clock(hour*60 + minute), hour < 24 && minute < 60
}

// Hour returns the hour that the clock shows.
func (c Clock) Hour() int { return int(c) / 60 }

// Minute returns the minute within the hour.
func (c Clock) Minute() int { return int(c) % 60 }

// On returns this time of day on the day that is the given number of days after t, in the time zone of t.
func (c Clock) On(t time.Time, later int) time.Time {
	return instant(time.Date(t.Year(), t.Month(), t.Day()+later, c.Hour(), c.Minute(), 0, 0, time.UTC), t.Location())
}

// Next returns the first time after t at which a clock in the zone shows the time c.
func (c Clock) Next(t time.Time, zone *time.Location) time.Time { return daily(c).Next(t, zone) }

// Zone returns the time zone with an IANA name, or UTC for an empty name. Errors: Invalid.
func Zone(name string) (*time.Location, error) {
	const longest = 60
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" || len(name) > longest {
		return nil, fault.New(fault.Invalid, "%.40q is no time zone such as Europe/Paris", name)
	}
	return zone, nil
}

// Hours is a span of time on each day, from From until just before To. It crosses midnight when To is before From.
type Hours struct {
	From, To Clock
	Zone     *time.Location
}

// Contain reports whether t is within the hours. It returns false for nil hours, and for hours that end at the time
// when they begin.
func (h *Hours) Contain(t time.Time) bool { return h.Over(t).After(t) }

// Over returns the time when the hours around t end, or t itself when t is not within the hours.
func (h *Hours) Over(t time.Time) time.Time {
	if h == nil || h.From == h.To {
		return t
	}
	local := t.In(h.Zone)
	for day := -1; day <= 0; day++ {
		begins, ends := h.From.On(local, day), h.To.On(local, day)
		if h.To < h.From {
			ends = h.To.On(local, day+1)
		}
		if !begins.After(t) && ends.After(t) {
			return ends
		}
	}
	return t
}
