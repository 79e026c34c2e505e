// Package defaults fills in what the options of a service leave open of the world around it: the wall clock, chance,
// waiting and the log.
package defaults

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tidemark/tidemark/pkg/base/pause"
)

// Clock sets a nil clock to the wall clock.
func Clock(clock *func() time.Time) {
	if *clock == nil {
		*clock = time.Now
	}
}

// Jitter sets a nil source of chance to random numbers from 0 to below 1.
func Jitter(jitter *func() float64) {
	if *jitter == nil {
		*jitter = rand.Float64
	}
}

// Sleep sets a nil way of waiting to waits on the wall clock, see [pause.For].
func Sleep(sleep *func(context.Context, time.Duration) error) {
	if *sleep == nil {
		*sleep = pause.For
	}
}

// Log sets a nil log to one that is discarded.
func Log(log **slog.Logger) {
	if *log == nil {
		*log = slog.New(slog.DiscardHandler)
	}
}
