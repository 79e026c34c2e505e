package terminal

import (
	"context"
	"time"
)

// patience is the number of polls in a row that may fail before [Follow] gives up. The first poll must succeed, so
// that a wrong address is reported at once.
const patience = 5

// Follow polls until over reports the end. After the first poll, the server may be unreachable for a while, as during
// an update.
func Follow[T any](ctx context.Context, t *Terminal, interval time.Duration, poll func() (T, error),
	over func(T) bool) error {
	failed := -1 // failed polls in a row; -1 before the first success
	for {
		switch now, err := poll(); {
		case err == nil:
			if failed = 0; over(now) {
				return nil
			}
		case ctx.Err() != nil || failed < 0 || failed+1 >= patience:
			return err
		default:
			failed++
		}
		if err := t.Sleep(ctx, interval); err != nil {
			return err
		}
	}
}

// After returns a function whose first call returns the value first. Each later call polls.
func After[T any](first T, poll func() (T, error)) func() (T, error) {
	known := true
	return func() (T, error) {
		if known {
			known = false
			return first, nil
		}
		return poll()
	}
}
