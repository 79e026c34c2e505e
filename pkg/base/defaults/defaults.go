// Package defaults fills in the dependencies that a service's options leave unset: the clock, the source of random
// numbers, the log, and the function that sleeps, which others may call as well.
package defaults

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Clock sets a nil clock to the wall clock.
func Clock(clock *func() time.Time) {
	if *clock == nil {
		*clock = time.Now
	}
}

// Jitter sets a nil source of randomness to one that returns numbers in [0, 1).
func Jitter(jitter *func() float64) {
	if *jitter == nil {
		*jitter = rand.Float64
	}
}

// Sleep sets a nil sleep function to [Pause], which waits on the wall clock.
func Sleep(sleep *func(context.Context, time.Duration) error) {
	if *sleep == nil {
		*sleep = Pause
	}
}

// Log sets a nil logger to one that discards everything.
func Log(log **slog.Logger) {
	if *log == nil {
		*log = slog.New(slog.DiscardHandler)
	}
}

// Pause sleeps for the duration d. When ctx ends first, Pause returns the error of ctx.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
