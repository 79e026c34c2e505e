package notify

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

var (
	now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	end = now.Add(24 * time.Hour)
)

func resting(until time.Time) targetHealth {
	return targetHealth{Targets: map[string]rest{"a": {Fails: 1, Until: until}}}
}

// TestY7Due checks which targets are tried now, and when the next one is.
func TestY7Due(t *testing.T) {
	soon, later := now.Add(time.Minute), now.Add(time.Hour)
	for name, tt := range map[string]struct {
		target target
		health targetHealth
		names  []string
		next   time.Time
	}{
		"new":                         {target{State: targetWaiting}, targetHealth{}, []string{"a"}, time.Time{}},
		"sent":                        {target{State: targetSent}, targetHealth{}, []string{}, time.Time{}},
		"early":                       {target{State: targetWaiting, Next: soon}, targetHealth{}, []string{}, soon},
		"rests":                       {target{State: targetWaiting}, resting(soon), []string{}, soon},
		"rests after its pause":       {target{State: targetWaiting, Next: soon}, resting(later), []string{}, later},
		"a pause after its rest":      {target{State: targetWaiting, Next: later}, resting(soon), []string{}, later},
		"the rest is over":            {target{State: targetWaiting}, resting(now), []string{"a"}, time.Time{}},
		"the delivery ends before":    {target{State: targetWaiting}, resting(end), []string{"a"}, time.Time{}},
		"another receiver is resting": {target{Name: "b", State: targetWaiting}, resting(later), []string{"b"}, time.Time{}},
	} {
		if tt.target.Name == "" {
			tt.target.Name = "a"
		}
		names, next := targets{tt.target}.Due(tt.health, end, now)
		if !slices.Equal(names, tt.names) || !next.Equal(tt.next) {
			t.Errorf("%s: %v, %s", name, names, next)
		}
	}
}

// TestY7Record checks the state of a target after an attempt, and that of its delivery.
func TestY7Record(t *testing.T) {
	ok, no := api.ReceiverAnswer{OK: true}, api.ReceiverAnswer{Error: "no"}
	const why = "not sent to a: no"
	for name, tt := range map[string]struct {
		got   send.Result
		state string
		next  time.Time
		why   string
	}{
		"sent":         {send.Result{ReceiverAnswer: ok}, targetSent, time.Time{}, ""},
		"refused":      {send.Result{ReceiverAnswer: no}, targetWaiting, now.Add(pauses[0]), why},
		"for good":     {send.Result{ReceiverAnswer: no, Final: true}, targetFailed, time.Time{}, why},
		"pause":        {send.Result{ReceiverAnswer: no, After: time.Hour}, targetWaiting, now.Add(time.Hour), why},
		"past its end": {send.Result{ReceiverAnswer: no, After: 24 * time.Hour}, targetFailed, time.Time{}, why},
	} {
		l := targets{{Name: "a", State: targetWaiting}, {Name: "b", State: targetSent, Answer: ok}}
		tt.got.Name = "a"
		l.record(tt.got, end, now)
		state, next, answer := l.conclude()
		if l[0].State != tt.state || state != tt.state || !next.Equal(tt.next) || answer.Error != tt.why ||
			answer.OK != (tt.why == "") {
			t.Errorf("%s: %s, %s, %s, %+v", name, l[0].State, state, next, answer)
		}
		if n, first := l.Failures(); (n == 1) != (state == targetFailed) || n == 1 && first != "no" {
			t.Errorf("%s: %d have failed, %q", name, n, first)
		}
	}
	l := targets{{Name: "a", State: targetWaiting, Next: now}, {Name: "b", State: targetFailed, Answer: no}}
	if state, next, answer := l.conclude(); state != targetWaiting || !next.Equal(now) ||
		answer.Error != "not sent to a: it rests; b: no" {
		t.Errorf("%s, %s, %+v", state, next, answer)
	}
}

// TestY7Rests checks that a rest ends with an answer, that a shorter one does not replace it, and that it is forgotten
// a day after its end.
func TestY7Rests(t *testing.T) {
	var h targetHealth
	h.record(send.Result{Name: "a", Ill: true, After: 2 * time.Hour}, now)
	h.record(send.Result{Name: "a", Ill: true}, now)
	if r := h.Targets["a"]; r.Fails != 2 || !r.Until.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%+v", r)
	}
	h.record(send.Result{Name: "b", Ill: true}, now.Add(time.Hour))
	h.record(send.Result{Name: "b"}, now.Add(2*time.Hour))
	if len(h.Targets) != 1 {
		t.Errorf("%+v", h)
	}
	if h.record(send.Result{Name: "b"}, now.Add(27*time.Hour)); len(h.Targets) != 0 {
		t.Errorf("%+v", h)
	}
}
