package notify

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// This file has the receivers of a delivery, as arithmetic on values: who has the message, who is tried next and
// when, and who rests because it accepts nothing. Each receiver is tried for itself, until it has the message.

// States of deliveries and of their targets.
const (
	targetWaiting = "waiting"
	targetSent    = "sent"
	targetFailed  = "failed"
)

// pauses are the pauses between attempts to send a delivery. The last pause is repeated.
var pauses = []time.Duration{30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour}

// maxRest limits the rest of a receiver, unless it asks for a longer one.
const maxRest = 30 * time.Minute

// pauseAfter returns the pause after a number of failed attempts.
func pauseAfter(fails int) time.Duration { return pauses[min(max(fails, 1), len(pauses))-1] }

// targets has the targets of a delivery.
type targets []target

// target is a receiver of a delivery: a chat, a room or a mail address of the channel, or the channel itself.
type target struct {
	Name     string             `json:"name,omitempty"` // "" for the only receiver of a channel
	State    string             `json:"state"`
	Attempts int                `json:"attempts,omitempty"`
	Next     time.Time          `json:"next,omitzero"` // time of the next attempt
	Answer   api.ReceiverAnswer `json:"answer,omitzero"`
}

// unnamed is the error of targets that a channel no longer has.
const unnamed = "the channel's address does not name it any more"

// aim returns the targets in line with the receivers that the channel has now. Of a channel whose address cannot be
// read, they are not known; its deliveries keep the targets that they have. A target that the channel no longer has
// fails, unless it was sent.
func (l targets) aim(names []string, known bool) targets {
	if !known && len(l) > 0 {
		return l
	}
	l = slices.DeleteFunc(l, func(t target) bool { return t.Name == "" && !slices.Contains(names, "") })
	for i := range l {
		if t := &l[i]; t.State == targetWaiting && !slices.Contains(names, t.Name) {
			t.State, t.Answer = targetFailed, api.ReceiverAnswer{Error: unnamed}
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(l, func(t target) bool { return t.Name == name }) {
			l = append(l, target{Name: name, State: targetWaiting})
		}
	}
	return l
}

// Due returns the targets to try now, and the time of the next attempt if there are none. Targets that rest are not
// tried before their rest ends, unless that is the end of the delivery.
func (l targets) Due(h targetHealth, end, now time.Time) (names []string, next time.Time) {
	names = []string{}
	for i := range l {
		t := &l[i]
		if t.State != targetWaiting {
			continue
		}
		if until := h.Targets[t.Name].Until; until.After(now) && until.Before(end) && until.After(t.Next) {
			t.Next = until
		}
		if t.Next.After(now) {
			next = earlier(next, t.Next)
		} else {
			names = append(names, t.Name)
		}
	}
	return names, next
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// record records the result of an attempt for a target. The delivery ends at the given time.
func (l targets) record(got send.Result, end, now time.Time) {
	i := slices.IndexFunc(l, func(t target) bool { return t.Name == got.Name })
	if i < 0 {
		return // Unreachable: the worker sends to the targets of the delivery.
	}
	t := &l[i]
	t.Attempts++
	t.Answer = got.ReceiverAnswer
	t.Next = now.Add(max(got.After, pauseAfter(t.Attempts)))
	switch {
	case got.OK:
		t.State, t.Next = targetSent, time.Time{}
	case got.Final || !t.Next.Before(end):
		t.State, t.Next = targetFailed, time.Time{}
	}
}

// conclude returns the state of a delivery by those of its targets, with the time of the next attempt while it waits.
// It is sent when all targets are, and has failed when some never will be.
func (l targets) conclude() (state string, next time.Time, answer api.ReceiverAnswer) {
	state = targetSent
	results := make([]send.Result, len(l))
	for i, t := range l {
		results[i] = send.Result{Name: t.Name, ReceiverAnswer: t.Answer}
		switch {
		case t.State == targetWaiting:
			state, next = targetWaiting, earlier(next, t.Next)
			results[i].Error = cmp.Or(t.Answer.Error, "it rests") // without an answer it was not tried
		case t.State == targetFailed && state == targetSent:
			state = targetFailed
		}
	}
	return state, next, send.Summary(results)
}

// Failures returns the number of targets that have failed, and why the first of them did, without its name.
func (l targets) Failures() (n int, why string) {
	for _, t := range l {
		if t.State != targetFailed {
			continue
		}
		if n++; n == 1 {
			why = t.Answer.Error
		}
	}
	return n, why
}

// fail ends all targets that still wait.
func (l targets) fail(why string) {
	for i := range l {
		if t := &l[i]; t.State == targetWaiting {
			t.State, t.Answer = targetFailed, api.ReceiverAnswer{Error: why}
		}
	}
}

// renew makes the targets wait that were not sent.
func (l targets) renew(now time.Time) {
	for i := range l {
		if t := &l[i]; t.State != targetSent {
			t.State, t.Next = targetWaiting, now
		}
	}
}

// json returns the targets in the API's form. The channel has the given name.
func (l targets) json(channel string) []api.DeliveryTarget {
	out := []api.DeliveryTarget{}
	for _, t := range l {
		out = append(out, api.DeliveryTarget{Name: cmp.Or(t.Name, channel), State: t.State, Attempts: t.Attempts,
			NextAttempt: t.Next, Answer: t.Answer})
	}
	return out
}

// targetHealth is the state of those receivers of a channel that accept nothing.
type targetHealth struct {
	Targets map[string]rest `col:"targets"` // by the names of the receivers
}

// rest is the pause of a receiver.
type rest struct {
	Fails int       `json:"fails"` // number of failed attempts in a row
	Until time.Time `json:"until"` // time of the next attempt
}

// forgetAfter is the time after the end of a rest after which it is forgotten, since the channel may not have the
// receiver any more.
const forgetAfter = 24 * time.Hour

// record makes a receiver rest that accepts nothing, and ends the rest of any other.
func (h *targetHealth) record(got send.Result, now time.Time) {
	maps.DeleteFunc(h.Targets, func(_ string, r rest) bool { return r.Until.Before(now.Add(-forgetAfter)) })
	if !got.Ill {
		delete(h.Targets, got.Name)
		return
	}
	if h.Targets == nil {
		h.Targets = map[string]rest{}
	}
	r := h.Targets[got.Name]
	r.Fails++
	if until := now.Add(max(got.After, min(pauseAfter(r.Fails), maxRest))); until.After(r.Until) {
		r.Until = until
	}
	h.Targets[got.Name] = r
}

// Until returns the time at which the first of these receivers is tried again, or zero if one of them does not rest.
func (h *targetHealth) Until(names []string, now time.Time) (first time.Time) {
	for _, name := range names {
		until := h.Targets[name].Until
		if !until.After(now) {
			return time.Time{}
		}
		first = earlier(first, until)
	}
	return first
}
