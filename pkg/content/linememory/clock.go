package linememory

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// A clock is known by what it says: at both readings it shows the time of the reading, in some time zone, and its line
// has seconds, the day, or a word such as now; or it has the seconds since 1970. Its first move is not told either.

const clockText = "a clock"

const (
	// wrong is by how much a clock may be wrong: what a page shows may have been made a little earlier.
	wrong = 2 * time.Minute
	// zones is the greatest common divisor of the differences between time zones, but for a few of a quarter of an hour.
	zones = 30 * time.Minute
)

// timeOfDay matches a time of the day, with the seconds if it has them.
var timeOfDay = regexp.MustCompile(`(?:^|[^\d:.])(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[^\d:]|$)`)

// isClock reports whether all that differs in a position is a clock.
func (s *comparison) isClock(d difference) bool {
	if s.check.Before.IsZero() || d.old.size() == 0 || d.now.size() == 0 ||
		!s.align.old.onlyNumbers(d.old) || !s.align.now.onlyNumbers(d.now) {
		return false
	}
	was, ok := s.align.old.clockAt(d.old, s.check.Before)
	is, same := s.align.now.clockAt(d.now, s.check.At)
	const halfDay = 12 * time.Hour // a time may have no word for the half of the day
	moved, passed := is-was, s.check.At.Sub(s.check.Before)
	return ok && same && near0(moved-passed, halfDay) <= wrong
}

// near0 returns how far a duration is from the nearest multiple of a step.
func near0(d, step time.Duration) time.Duration {
	d = (d%step + step) % step
	return min(d, step-d)
}

// clockAt returns the time of the day in a span. It reports whether it is that at which the page was read, if it is a
// clock by its line, and all other numbers of the span are of that day.
func (p *page) clockAt(at span, read time.Time) (shown time.Duration, is bool) {
	text := p.textOf(at)
	if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n > 1e9 {
		unix := time.UnixMilli(n)
		if n < 1e11 {
			unix = time.Unix(n, 0)
		}
		return time.Duration(unix.UnixMilli()) * time.Millisecond, read.Sub(unix).Abs() <= wrong
	}
	all := timeOfDay.FindAllStringSubmatch(text, 2)
	if len(all) != 1 {
		return 0, false
	}
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi(all[0][1+i]) // a time without seconds has none to compare
		shown += time.Duration(n) * unit
	}
	read = read.UTC()
	passed := read.Sub(read.Truncate(24 * time.Hour))
	line, _ := p.lineOf(at.from)
	hasDay, others := daysOf(strings.Replace(line, strings.TrimFunc(all[0][0], isNoDigit), " ", 1), read)
	_, foreign := daysOf(strings.Replace(text, strings.TrimFunc(all[0][0], isNoDigit), " ", 1), read)
	marked := all[0][3] != "" || hasDay && !others || strings.ContainsFunc(line, unicode.IsLetter) && noise.SaysNow(line)
	return shown, marked && !foreign && near0(shown-passed, zones) <= wrong
}

func isNoDigit(r rune) bool { return !unicode.IsDigit(r) }

// daysOf reports whether a text has the number of a day on which it may be, somewhere, at a time, and whether it has
// numbers that are no part of that day.
func daysOf(text string, at time.Time) (hasDay, others bool) {
	for _, digits := range strings.FieldsFunc(text, isNoDigit) {
		n, err := strconv.Atoi(digits)
		isDay, isPart := false, false
		for _, zone := range []time.Duration{-12 * time.Hour, 0, 14 * time.Hour} {
			day := at.Add(zone)
			isDay = isDay || n == day.Day()
			isPart = isPart || slices.Contains([]int{int(day.Month()), day.Year(), day.Year() % 100}, n)
		}
		hasDay = hasDay || isDay
		others = others || err != nil || !isDay && !isPart
	}
	return hasDay, others
}

// coverClocks takes away the clocks, but for those of which a person wants each move. It reports whether there are any.
func (s *comparison) coverClocks(old, now []bool) (found bool) {
	for _, d := range s.merged(old, now) {
		if s.isClock(d) && !s.touchesAlways(d.now) {
			found = true
			clear(old[d.old.from:d.old.to])
			clear(now[d.now.from:d.now.to])
		}
	}
	return found
}

// touchesAlways reports whether a person wants each move to be told of something in a span.
func (s *comparison) touchesAlways(at span) bool {
	for i, p := range s.positions {
		if s.memory.Slots[i].Decision == Always && p.known && p.now.from < at.to && at.from < p.now.to {
			return true
		}
	}
	return false
}
