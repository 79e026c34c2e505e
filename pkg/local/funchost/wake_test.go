package funchost

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestWake uses a queue without a listener, so that the token of an invocation for it remains.
func TestWake(t *testing.T) {
	rows := []struct {
		name, method, path string
		want               bool
	}{
		{"a proxied GET changes nothing and wakes nobody", "GET", "/api/hello", false},
		{"a proxied POST wakes", "POST", "/api/hello", true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := started(t, helloApp)
			nudge := make(chan struct{}, 1)
			r.host.queues = append(r.host.queues, &queueListener{nudge: nudge})
			r.request(row.method, row.path, "")
			if row.want {
				eventually(t, "a token", func() bool { return len(nudge) == 1 })
				return
			}
			r.stop()
			if len(nudge) != 0 {
				t.Error("woken")
			}
		})
	}
}

// TestListenerWaits checks that a token ends a pause at once.
func TestListenerWaits(t *testing.T) {
	nudge := make(chan struct{}, 1)
	poke(nudge)
	poke(nudge)
	if !waitFor(t.Context(), nudge, time.Hour) {
		t.Error("not woken by a token")
	}
	if waitFor(t.Context(), nudge, time.Millisecond) {
		t.Error("woken twice")
	}
}

// TestWakeGap checks that a queue in use is polled again at once, and idle ones four times a second.
func TestWakeGap(t *testing.T) {
	for idle, want := range map[time.Duration]time.Duration{
		0: 10 * time.Millisecond, 400 * time.Millisecond: 50 * time.Millisecond,
		2 * time.Second: 250 * time.Millisecond, time.Hour: 250 * time.Millisecond,
	} {
		if got := wakeGap(idle); got != want {
			t.Errorf("idle for %v: %v, want %v", idle, got, want)
		}
	}
}

// TestWakesDuringAnInvocation checks K14: while an invocation runs, idle queues are polled again and again, and not
// after its end.
func TestWakesDuringAnInvocation(t *testing.T) {
	var woken atomic.Int64
	i := &invoker{wake: func() { woken.Add(1) }}
	stop := i.wakeEach(time.Millisecond)
	eventually(t, "two wake-ups", func() bool { return woken.Load() >= 2 })
	stop()
	time.Sleep(10 * time.Millisecond) // one may be on its way
	n := woken.Load()
	time.Sleep(20 * time.Millisecond)
	if late := woken.Load() - n; late > 0 {
		t.Errorf("woken %d times after the end", late)
	}
}
