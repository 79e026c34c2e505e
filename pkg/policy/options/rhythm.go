package options

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// rhythm is a parsed schedule: a fixed interval, or times of day in a zone.
type rhythm struct {
	every       time.Duration
	expressions []wallclock.Cron
	zone        *time.Location
}

const (
	maxSchedule = 200 // number of characters in a schedule's text
	// startWindow limits the spread of checks that are due at the same time.
	startWindow = 15 * time.Minute
)

// cronField matches the characters of crontabs.
var cronField = regexp.MustCompile(`^[0-9A-Za-z*/,-]{1,100}$`)

func checkSchedule(s *api.Schedule) error {
	if s == nil {
		return nil
	}
	_, err := rhythmOf(s)
	return err
}

// rhythmOf parses a schedule.
func rhythmOf(s *api.Schedule) (r rhythm, err error) {
	if r.zone, err = zone("schedule.timezone", s.Timezone); err != nil {
		return r, err
	}
	switch {
	case s.Cron != "" && s.Text != "":
		return r, fault.Field("schedule.text", "give schedule.cron or schedule.text, not both")
	case s.Cron != "":
		return r, r.addCron("schedule.cron", s.Cron)
	case s.Text == "":
		return r, fault.Field("schedule.text", "schedule needs cron, as \"0 9 * * 1-5\", or text, as \"daily at 9am\"")
	}
	every, crons, err := readText(s.Text)
	if err != nil {
		return r, err
	}
	r.every = every
	for _, c := range crons {
		if err := r.addCron("schedule.text", c); err != nil {
			return r, err
		}
	}
	return r, nil
}

func zone(field, name string) (*time.Location, error) {
	l, err := wallclock.Zone(name)
	if err != nil {
		return nil, fault.Field(field, "%s must be the IANA name of a time zone, as Europe/Paris, not %.60q", field, name)
	}
	return l, nil
}

func (r *rhythm) addCron(field, text string) error {
	fields := strings.Fields(text)
	bad := len(fields) != 5 || len(text) > maxSchedule
	for _, f := range fields {
		bad = bad || !cronField.MatchString(f)
	}
	if bad {
		return fault.Field(field, "%s must have the five fields minute, hour, day, month and weekday, as \"0 9 * * 1-5\", "+
			"not %.60q", field, text)
	}
	c, err := wallclock.ParseCron(fields)
	if err != nil {
		return fault.Field(field, "%s: %.60q: %w", field, text, err)
	}
	r.expressions = append(r.expressions, c)
	return nil
}

// after returns the time after t at which an item is next due. It adds a small delay that depends only on the item's
// id, so that items with the same schedule are not all checked at once.
func (r rhythm) after(t time.Time, id string) time.Time {
	share := shareOf(id)
	if r.every > 0 {
		first := time.Unix(0, 0).Add(time.Duration(share * float64(r.every)))
		return first.Add((t.Sub(first)/r.every + 1) * r.every).UTC()
	}
	at := r.next(t.Add(-startWindow))
	for !at.IsZero() {
		then := r.next(at)
		late := at.Add(late(share, then.Sub(at)))
		if late.After(t) {
			return late.UTC()
		}
		at = then
	}
	return time.Time{}
}

// late returns the delay of an item that is due at the same time as other items. It depends on the time between two
// checks, and on the item's share of the largest delay.
func late(share float64, often time.Duration) time.Duration {
	window := startWindow
	if often > 0 {
		window = min(window, often/10)
	}
	return time.Duration(share * float64(window)).Truncate(time.Second)
}

// shareOf returns a number in [0,1) that depends only on the id.
func shareOf(id string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // a hash never fails
	const finer = 0x9e3779b97f4a7c15
	return float64((h.Sum64()*finer)>>11) / (1 << 53)
}

// next returns the first time after t at which one of the cron expressions is due, or zero if there is no such time.
func (r rhythm) next(t time.Time) (first time.Time) {
	for _, c := range r.expressions {
		if at := c.Next(t, r.zone); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// hours are parsed [api.ActiveHours].
type hours struct {
	from, to wallclock.Clock
	days     []time.Weekday // if empty, every day
	zone     *time.Location
}

func checkHours(a *api.ActiveHours) error {
	if a == nil {
		return nil
	}
	_, err := hoursOf(a)
	return err
}

// hoursOf parses active hours.
func hoursOf(a *api.ActiveHours) (h hours, err error) {
	if h.zone, err = zone("activeHours.timezone", a.Timezone); err != nil {
		return h, err
	}
	if (a.From == "") != (a.To == "") {
		return h, fault.Field("activeHours.to", "activeHours needs from and to, as 08:00 and 18:00, or neither")
	}
	for _, end := range []struct {
		field, text string
		into        *wallclock.Clock
	}{{"activeHours.from", a.From, &h.from}, {"activeHours.to", a.To, &h.to}} {
		if end.text == "" || end.text == "24:00" && end.into == &h.to {
			continue
		}
		var ok bool
		if *end.into, ok = wallclock.ParseSpoken(strings.ToLower(end.text)); !ok {
			return h, fault.Field(end.field, "%s must be a time of day such as 08:00 or 6pm, not %.40q", end.field, end.text)
		}
	}
	for _, name := range a.Days {
		day := weekdayOf(strings.ToLower(name))
		if day < 0 {
			return h, fault.Field("activeHours.days", "activeHours.days has %.40q; allowed are mon, tue, wed, thu, fri, sat "+
				"and sun", name)
		}
		h.days = append(h.days, time.Weekday(day))
	}
	return h, nil
}

// open returns t if it is within the hours. If it is not, open returns the time at which the hours begin next, plus a
// small delay that depends on the item's id.
func (h hours) open(t time.Time, id string) time.Time {
	local := t.In(h.zone)
	for day := -1; day <= 7; day++ {
		begins, ends := h.from.On(local, day), h.to.On(local, day)
		if h.to <= h.from {
			ends = h.to.On(local, day+1)
		}
		on := wallclock.Clock(12*60).On(local, day).Weekday()
		switch {
		case len(h.days) > 0 && !slices.Contains(h.days, on) || !ends.After(t):
		case !begins.After(t):
			return t
		default:
			return begins.Add(late(shareOf(id), ends.Sub(begins))).UTC()
		}
	}
	return t // Unreachable: the loop has tried every day of a week
}
