// Package digest decides when people are told of changes: at once, gathered, at an hour, or not before their night is
// over. However many changes come, messages stay few.
//
// # No storm
//
// A rule tells of [Burst] changes in [Calm] one by one. What comes beyond that, or at a quiet hour, is gathered, and
// so is all that follows, until nothing has come for [Calm], or for [Patience] at most. Then one digest tells of it
// all. So a rule sends at most [Burst] messages in [Calm], and a first crawl ends in a message or two.
//
// Times of a day are those of a time zone, summer time included: there is one digest on each day of the calendar, also
// where the hour is skipped or comes twice.
package digest

import (
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The bounds of single messages.
const (
	Burst    = 10               // single messages
	Calm     = 10 * time.Minute // in so long; and how long nothing comes until it is calm
	Patience = time.Hour        // how long gathering takes at most
)

// Rhythm says how often people are told.
type Rhythm string

// The rhythms. The zero Rhythm is AtOnce.
const (
	AtOnce Rhythm = "none"
	Hourly Rhythm = "hourly"
	Daily  Rhythm = "daily"
)

// Clock is a time of a day in minutes.
type Clock int

// ParseClock reads a time such as 07:30. Invalid if it is none.
func ParseClock(text string) (Clock, error) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fault.New(fault.Invalid, "%.20q is no time of a day such as 07:30", text)
	}
	return Clock(t.Hour()*60 + t.Minute()), nil
}

// Zone gives a time zone by its name, that of UTC for an empty one. Invalid if there is none of that name.
func Zone(name string) (*time.Location, error) {
	if name == "Local" {
		return nil, fault.New(fault.Invalid, "Local is no time zone such as Europe/Paris")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%.40q is no time zone such as Europe/Paris", name)
	}
	return zone, nil
}

// Hours are those of each day from one time to before another, over midnight where the second is the earlier one.
type Hours struct {
	From, To Clock
	Zone     *time.Location
}

// Contain reports whether a time is in them. No hours contain nothing.
func (h *Hours) Contain(t time.Time) bool {
	if h == nil {
		return false
	}
	local := t.In(h.Zone)
	at := Clock(local.Hour()*60 + local.Minute())
	if h.From <= h.To {
		return h.From <= at && at < h.To
	}
	return h.From <= at || at < h.To
}

// Over is when the hours that a time is in are over; the time itself if it is in none.
func (h *Hours) Over(t time.Time) time.Time {
	if !h.Contain(t) {
		return t
	}
	return next(t, h.To, h.Zone)
}

// next is the first such time of a day after t.
func next(t time.Time, at Clock, zone *time.Location) time.Time {
	local := t.In(zone)
	for day := 0; ; day++ {
		when := time.Date(local.Year(), local.Month(), local.Day()+day, int(at)/60, int(at)%60, 0, 0, zone)
		if when.After(t) {
			return when
		}
	}
}

// Plan says when a rule's changes are told.
type Plan struct {
	Rhythm Rhythm
	At     Clock // of a Daily digest
	Zone   *time.Location
	Quiet  *Hours // nil for none
}

// State is what a rule has told lately, and what it has gathered.
type State struct {
	Singles  []time.Time `json:"singles,omitempty"` // when it told of single changes, at most [Burst]
	Gathered int         `json:"gathered,omitempty"`
	First    time.Time   `json:"first,omitzero"` // when the first of them came
	Last     time.Time   `json:"last,omitzero"`  // and the last
}

// Take takes note of a change that came now, and reports whether it is told at once. Else it is gathered.
func (p Plan) Take(s *State, now time.Time) (single bool) {
	s.Singles = slices.DeleteFunc(s.Singles, func(t time.Time) bool { return now.Sub(t) >= Calm })
	if s.Gathered == 0 && p.atOnce() && len(s.Singles) < Burst && !p.Quiet.Contain(now) {
		s.Singles = append(s.Singles, now)
		return true
	}
	if s.Gathered == 0 {
		s.First = now
	}
	s.Gathered++
	s.Last = now
	return false
}

func (p Plan) atOnce() bool { return p.Rhythm == AtOnce || p.Rhythm == "" }

// Due is when what was gathered is told.
func (p Plan) Due(s State) time.Time {
	due := s.Last.Add(Calm)
	switch {
	case p.Rhythm == Hourly:
		due = s.First.Truncate(time.Hour).Add(time.Hour)
	case p.Rhythm == Daily:
		due = next(s.First, p.At, p.Zone)
	case s.First.Add(Patience).Before(due):
		due = s.First.Add(Patience)
	}
	return p.Quiet.Over(due)
}

// Ready reports whether it is told now.
func (p Plan) Ready(s State, now time.Time) bool {
	return s.Gathered > 0 && !now.Before(p.Due(s)) && !p.Quiet.Contain(now)
}
