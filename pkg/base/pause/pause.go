// Package pause waits on the wall clock, for no longer than a context lasts.
package pause

import (
	"context"
	"time"
)

// For waits for d, or until ctx is done, whose error it then returns.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
