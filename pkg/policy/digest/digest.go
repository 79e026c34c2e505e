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

	"github.com/tidemark/tidemark/pkg/base/wallclock"
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

// Plan says when a rule's changes are told.
type Plan struct {
	Rhythm Rhythm
	At     wallclock.Clock // of a Daily digest
	Zone   *time.Location
	Quiet  *wallclock.Hours // nil for none
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
		due = p.At.Next(s.First, p.Zone)
	case s.First.Add(Patience).Before(due):
		due = s.First.Add(Patience)
	}
	return p.Quiet.Over(due)
}

// Ready reports whether it is told now.
func (p Plan) Ready(s State, now time.Time) bool {
	return s.Gathered > 0 && !now.Before(p.Due(s)) && !p.Quiet.Contain(now)
}
