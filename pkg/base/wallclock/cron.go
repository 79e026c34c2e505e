package wallclock

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Cron is a cron expression. It names times as clocks on the wall show them. When clocks change:
//
//   - A time that they show twice counts the first time. If the hour is * or */n, it counts both times.
//   - Times that they skip count once, together, at the end of the gap. If the hour is * or */n, they do not count.
type Cron struct {
	seconds, minutes, hours, days, months, weekdays set
	anyHour                                         bool // the hour is * or */n
	eitherDay                                       bool // a day counts if either days or weekdays names it
}

// set is a set of small numbers.
type set uint64

func (s set) has(n int) bool { return s>>n&1 == 1 }

// field is a field of an expression: the numbers that it may have, and names for them.
type field struct {
	name        string
	least, most int
	names       []string
}

var (
	monthNames   = strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")
	weekdayNames = strings.Fields("sun mon tue wed thu fri sat")
	cronFields   = []field{{"second", 0, 59, nil}, {"minute", 0, 59, nil}, {"hour", 0, 23, nil}, {"day", 1, 31, nil},
		{"month", 1, 12, monthNames}, {"weekday", 0, 6, weekdayNames}}
)

// ParseCron parses the five fields of a crontab: minute, hour, day, month and weekday. If neither day nor weekday is *,
// a day counts if either names it. With six fields, the first one is for seconds, and a day counts only if both name
// it, as in NCRONTAB. A range may wrap around. Errors: Invalid, also for an expression that never comes.
func ParseCron(fields []string) (c Cron, err error) {
	const withSeconds = 6
	var sets [withSeconds]set
	if len(fields) == withSeconds-1 {
		fields = append([]string{"0"}, fields...)
		c.eitherDay = !all(fields[3]) && !all(fields[5])
	}
	if len(fields) != withSeconds {
		return c, fault.New(fault.Invalid, "%d fields; want minute, hour, day, month and weekday", len(fields))
	}
	for i, text := range fields {
		for _, part := range parts(text) {
			numbers, err := cronFields[i].parse(part)
			if err != nil {
				return c, err
			}
			sets[i] |= numbers
		}
	}
	c.seconds, c.minutes, c.hours, c.days, c.months, c.weekdays = sets[0], sets[1], sets[2], sets[3], sets[4], sets[5]
	c.anyHour = strings.HasPrefix(fields[2], "*")
	if c.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC).IsZero() {
		return c, fault.New(fault.Invalid, "it never comes")
	}
	return c, nil
}

func parts(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// all reports whether a field names everything.
func all(text string) bool { return slices.Contains(parts(text), "*") }

// parse reads a part of a field: *, a number, a range, each with a step if wanted.
func (f field) parse(part string) (s set, err error) {
	body, after, stepped := strings.Cut(part, "/")
	from, to, ranged := strings.Cut(body, "-")
	step, low, high := 1, f.least, f.most
	ok := true
	if stepped {
		step, err = strconv.Atoi(after)
		ok = err == nil && step > 0 && after[0] != '+'
	}
	if body != "*" {
		var read bool
		low, read = f.number(from)
		ok = ok && read
		switch {
		case ranged:
			high, read = f.number(to)
			ok = ok && read
			if f.name == "weekday" && to == "7" && from != "7" {
				high = 7 // the Sunday after the others: 0-7 is the whole week
			}
		case !stepped:
			high = low
		case f.name == "weekday":
			high++ // to Sunday
		}
	}
	if !ok {
		return 0, fault.New(fault.Invalid, "the %s %.20q cannot be read: want %d to %d, *, or a range or step of these",
			f.name, part, f.least, f.most)
	}
	size := f.most - f.least + 1
	if high < low {
		high += size
	}
	for n := low; n <= high; n += min(step, size) {
		s |= 1 << (f.least + (n-f.least)%size)
	}
	return s, nil
}

// number reads a number or a name. The weekday 7 is Sunday.
func (f field) number(text string) (n int, ok bool) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.least + i, true
	}
	n, err := strconv.Atoi(text)
	if f.name == "weekday" && n == 7 {
		n = 0
	}
	return n, err == nil && n >= f.least && n <= f.most && text[0] != '+'
}

// searchYears is the number of years in which the next time is sought. A date falls on the same weekday again after at
// most 40 years: after 28, or after 12 more when a century is not a leap year.
const searchYears = 41

// Next returns the first time after t at which a clock in the zone shows a time that the expression names, or zero. It
// goes through the spans of time between two changes of the zone's clocks. Within a span, clocks
// neither skip nor repeat a time.
func (c Cron) Next(t time.Time, zone *time.Location) time.Time {
	at := t.Truncate(time.Second).Add(time.Second).In(zone)
	for last := at.AddDate(searchYears, 0, 0); at.Before(last); {
		start, end := span(at)
		if end.IsZero() || end.After(last) {
			end = last
		}
		_, offset := at.Zone()
		from, until := civil(at, offset), civil(end, offset)
		if !c.anyHour && !start.IsZero() {
			_, before := start.Add(-1).Zone()
			shown := civil(start, before) // clocks have shown all times before this one
			if at.Equal(start) && !c.first(shown, from).IsZero() {
				return start
			}
			if shown.After(from) {
				from = shown
			}
		}
		if next := c.first(from, until); !next.IsZero() {
			return next.Add(-time.Duration(offset) * time.Second).In(zone)
		}
		at = end
	}
	return time.Time{}
}

// span returns the beginning and the end of the span around a time within which a zone's clocks do not change. A span
// without a beginning or an end has zero there.
func span(t time.Time) (start, end time.Time) {
	start, end = t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		end = t.Add(24 * time.Hour) // Go ends such a span too early: before the last day of a leap year
	}
	return start, end
}

// civil returns what a clock shows at a time, as a time in UTC.
func civil(t time.Time, offset int) time.Time {
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// first returns the first time that the expression names, from one civil time until just before another, or
// zero.
func (c Cron) first(from, until time.Time) time.Time {
	year, month, date := from.Date()
	for day := time.Date(year, month, date, 0, 0, 0, 0, time.UTC); day.Before(until); {
		if !c.months.has(int(day.Month())) {
			day = time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
			continue
		}
		if c.onDay(day) {
			if clock, ok := c.clock(max(from.Sub(day), 0)); ok {
				if at := day.Add(clock); at.Before(until) {
					return at
				}
				return time.Time{}
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}
}

func (c Cron) onDay(day time.Time) bool {
	date, weekday := c.days.has(day.Day()), c.weekdays.has(int(day.Weekday()))
	return date && weekday || c.eitherDay && (date || weekday)
}

// clock returns the first time of a day that the expression names, and that is not before a given one.
func (c Cron) clock(from time.Duration) (at time.Duration, ok bool) {
	from = (from + time.Second - 1).Truncate(time.Second)
	for hour := int(from / time.Hour); hour < 24; hour++ {
		if !c.hours.has(hour) {
			continue
		}
		hourly := time.Duration(hour) * time.Hour
		for minute := int(max(from-hourly, 0) / time.Minute); minute < 60; minute++ {
			if !c.minutes.has(minute) {
				continue
			}
			full := hourly + time.Duration(minute)*time.Minute
			for second := int(max(from-full, 0) / time.Second); second < 60; second++ {
				if c.seconds.has(second) {
					return full + time.Duration(second)*time.Second, true
				}
			}
		}
	}
	return 0, false
}

// everyHour names the beginning of each hour.
var everyHour, _ = ParseCron(strings.Fields("0 * * * *"))

// NextHour returns the first time after t at which an hour begins on the clocks of a zone.
func NextHour(t time.Time, zone *time.Location) time.Time { return everyHour.Next(t, zone) }

// daily returns the expression that names a time of each day.
func daily(c Clock) Cron {
	out := everyHour
	out.minutes, out.hours, out.anyHour = 1<<c.Minute(), 1<<c.Hour(), false
	return out
}

// instant returns the time at which the clocks of a zone show a civil time: the first of two, or the end of the gap
// that skips it.
func instant(shown time.Time, zone *time.Location) time.Time {
	const widest = 26 * time.Hour // no clock differs so much from UTC
	for at := shown.Add(-widest).In(zone); ; {
		_, offset := at.Zone()
		_, end := span(at)
		t := shown.Add(-time.Duration(offset) * time.Second)
		if end.IsZero() || t.Before(end) {
			if t.Before(at) {
				return at
			}
			return t.In(zone)
		}
		at = end
	}
}
