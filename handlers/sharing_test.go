package handlers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAZ7SharedAnswers checks that callers at the same time cost two readings, and that each gets an answer whose
// reading began after the caller had asked.
func TestAZ7SharedAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sharing[string, int64]
		var state, readings atomic.Int64
		var all sync.WaitGroup
		read := func(context.Context) (int64, error) {
			readings.Add(1)
			seen := state.Load()
			time.Sleep(time.Second)
			return seen, nil
		}
		for i := range 32 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				wrote := state.Add(1)
				if seen, err := s.get(t.Context(), "all", read); err != nil || seen < wrote {
					t.Errorf("caller %d wrote %d and reads %d, %v", i, wrote, seen, err)
				}
			})
		}
		all.Wait()
		if n := readings.Load(); n != 2 || len(s.asked) > 0 {
			t.Errorf("%d readings, %d things remembered", n, len(s.asked))
		}
	})
}

// TestAZ7SharedAnswersOutliveTheirCaller checks that a reading goes on when the caller that began it disconnects, that
// callers do not wait longer than they may, that errors are shared, and that things of different keys are not.
func TestAZ7SharedAnswersOutliveTheirCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sharing[string, int]
		broken := errors.New("broken")
		read := func(ctx context.Context) (int, error) {
			select {
			case <-time.After(time.Second):
				return 7, broken
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		gone, leave := context.WithCancel(t.Context())
		brief, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		ask := func(ctx context.Context, key string, want error) {
			all.Go(func() {
				if _, err := s.get(ctx, key, read); !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", key, err, want)
				}
			})
			synctest.Wait()
		}
		ask(gone, "a", broken)
		ask(gone, "a", broken)
		ask(t.Context(), "a", broken)
		ask(brief, "a", context.DeadlineExceeded)
		ask(t.Context(), "b", broken)
		leave()
		all.Wait()
	})
}

// TestAZ7SharedAnswersAfterAPanic checks that a reading that panics holds up nobody.
func TestAZ7SharedAnswersAfterAPanic(t *testing.T) {
	var s sharing[int, int]
	func() {
		defer func() { _ = recover() }()
		_, _ = s.get(t.Context(), 1, func(context.Context) (int, error) { panic("broken") })
	}()
	if n, err := s.get(t.Context(), 1, func(context.Context) (int, error) { return 5, nil }); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
