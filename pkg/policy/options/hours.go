package options

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

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
