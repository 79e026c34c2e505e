package wallclock

import (
	"context"
	"time"
)

// This file waits on the wall clock, at most until a context ends.

// Pause sleeps for the duration d. When ctx ends first, For returns the error of ctx.
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
