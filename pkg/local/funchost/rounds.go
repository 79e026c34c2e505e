package funchost

import (
	"context"
	"slices"
	"time"
)

// A lister is a store that says with one read when the first message of each queue is visible. Queues without messages
// may be missing.
type lister interface {
	FirstVisible(ctx context.Context) (map[string]time.Time, error)
}

// rounds poll all queues that have been empty for long, with one question to the store for all of them, and only
// when a message may be there: at the time at which one becomes visible, when new ones are likely, and in between as
// often as host.json says. To poll each of these queues was most of what an idle host did.
type rounds struct {
	store  lister // nil if the store cannot say it; then each listener polls
	queues []*queueListener
	every  time.Duration
	nudge  chan struct{} // has one token when new messages are likely, or when another queue is parked
}

// newRounds begins rounds for listeners that have not started yet.
func newRounds(store any, queues []*queueListener, every time.Duration) *rounds {
	r := &rounds{queues: queues, every: every, nudge: make(chan struct{}, 1)}
	if r.store, _ = store.(lister); r.store != nil {
		for _, l := range queues {
			l.rounds = r
		}
	}
	return r
}

// walk makes rounds until ctx ends. Nudges cause four rounds a second at most.
func (r *rounds) walk(ctx context.Context) {
	for r.store != nil && ctx.Err() == nil {
		begun := time.Now()
		if waitFor(ctx, r.nudge, r.poll(ctx)) {
			waitFor(ctx, nil, wakeGap(time.Hour)-time.Since(begun))
		}
	}
}

// poll makes one round, and returns how long the next can wait. If the store does not answer, every listener asks for
// itself, and says so.
func (r *rounds) poll(ctx context.Context) (pause time.Duration) {
	pause = together(r.every, r.every, time.Now())
	parked := func(l *queueListener) bool { return l.parked.Load() }
	if !slices.ContainsFunc(r.queues, parked) {
		return pause
	}
	ctx, cancel := context.WithTimeout(ctx, receiveWait)
	defer cancel()
	first, err := r.store.FirstVisible(ctx)
	for _, l := range r.queues {
		at, some := first[l.f.queue]
		switch left := time.Until(at); {
		case !parked(l):
		case err != nil || some && left <= 0:
			poke(l.nudge)
		case some:
			pause = min(pause, left)
		}
	}
	return pause
}
