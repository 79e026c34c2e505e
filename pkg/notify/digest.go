package notify

import (
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// This file decides when changes are reported: at once, gathered, at a fixed hour, or after quiet hours. It
// keeps the number of messages small, however many changes there are.
//
// # No storm
//
// A rule sends up to burst changes within [calm] as single messages. Further changes, changes in quiet hours, and
// changes that equal one of these messages, such as that of the same block of another page, are gathered. So are all
// that follow, until there was no change for [calm], or for [patience] at most. Then one digest reports all of them. So
// a rule sends at most burst messages in [calm], and a first crawl ends in a message or two.
//
// Times of day are in a time zone, including its daylight-saving time. There is one digest on each calendar day, even
// on a day when the clock change skips or repeats the hour of the digest.

// The bounds of single messages.
const (
	burst    = 10               // number of single messages within calm
	calm     = 10 * time.Minute // the window for burst; gathering ends after this time without a change
	patience = time.Hour        // the longest time for which changes are gathered
)

// Rhythm is how often changes are reported.
type Rhythm string

// The rhythms. The zero Rhythm is AtOnce.
const (
	AtOnce Rhythm = "none"
	Hourly Rhythm = "hourly"
	Daily  Rhythm = "daily"
	Weekly Rhythm = "weekly"
)

// digestPlan defines when a rule reports changes.
type digestPlan struct {
	Rhythm Rhythm
	At     wallclock.Clock  // time of day of a Daily or Weekly digest
	On     time.Weekday     // day of a Weekly digest
	Zone   *time.Location   // UTC if it is nil
	Quiet  *wallclock.Hours // nil if there are no quiet hours
}

// digestState records a rule's recent messages, and the changes that it has gathered.
type digestState struct {
	Singles  []time.Time `json:"singles,omitempty"` // times of single messages, at most burst
	Keys     []string    `json:"keys,omitempty"`    // the keys of the last of these messages, in their order
	Gathered int         `json:"gathered,omitempty"`
	First    time.Time   `json:"first,omitzero"` // time of the first gathered change
	Last     time.Time   `json:"last,omitzero"`  // time of the last gathered change
}

// Add records a change at the given time. It reports whether the change should be sent as a single message; if not,
// the change is gathered.
// Equal changes have the same key; a change with the key "" equals no other.
func (p digestPlan) Add(s *digestState, key string, now time.Time) (single bool) {
	s.Singles = slices.DeleteFunc(s.Singles, func(t time.Time) bool { return now.Sub(t) >= calm })
	s.Keys = s.Keys[max(0, len(s.Keys)-len(s.Singles)):]
	alike := key != "" && slices.Contains(s.Keys, key)
	if s.Gathered == 0 && p.atOnce() && len(s.Singles) < burst && !p.Quiet.Contain(now) && !alike {
		s.Singles, s.Keys = append(s.Singles, now), append(s.Keys, key)
		return true
	}
	s.gather(now)
	return false
}

// gather adds a change at the given time to those that wait for a digest.
func (s *digestState) gather(now time.Time) {
	if s.Gathered == 0 {
		s.First = now
	}
	s.Gathered++
	s.Last = now
}

// digestEvent is a change for [digestPlan.Messages].
type digestEvent struct {
	At  time.Time
	Key string
}

// Messages returns the number of messages that report these changes, which are in the order of their times.
func (p digestPlan) Messages(all []digestEvent) (n int) {
	var s digestState
	for _, e := range all {
		if s.Gathered > 0 && !e.At.Before(p.Due(s)) {
			s, n = digestState{}, n+1
		}
		if p.Add(&s, e.Key, e.At) {
			n++
		}
	}
	if s.Gathered > 0 {
		n++
	}
	return n
}

func (p digestPlan) atOnce() bool { return p.Rhythm == AtOnce || p.Rhythm == "" }

func (p digestPlan) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// Due returns the time at which the gathered changes should be reported.
func (p digestPlan) Due(s digestState) time.Time {
	due := s.Last.Add(calm)
	switch {
	case p.Rhythm == Hourly:
		due = wallclock.NextHour(s.First, p.zone())
	case p.Rhythm == Daily:
		due = p.At.Next(s.First, p.zone())
	case p.Rhythm == Weekly:
		for due = p.At.Next(s.First, p.zone()); due.In(p.zone()).Weekday() != p.On; {
			due = p.At.Next(due, p.zone())
		}
	case s.First.Add(patience).Before(due):
		due = s.First.Add(patience)
	}
	return p.Quiet.Over(due)
}

// ready reports whether a digest should be sent now.
func (p digestPlan) ready(s digestState, now time.Time) bool {
	return s.Gathered > 0 && !now.Before(p.Due(s)) && !p.Quiet.Contain(now)
}
