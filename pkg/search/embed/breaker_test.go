package embed

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
)

// TestBreaker checks that one of many callers finds that the model is down, and that the others get its error at
// once.
func TestBreaker(t *testing.T) {
	model := llmtest.NewEmbedder("tide-embed", dimension)
	asked := 0
	model.Fail = func(string) error {
		if asked++; asked == 1 {
			return fault.After(time.Hour, "busy")
		}
		return nil
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := NewBreaker(model)
	r.now = func() time.Time { return now }
	for _, step := range []struct {
		passes time.Duration
		kind   fault.Kind
		after  time.Duration
		asked  int
	}{
		{0, fault.Throttled, time.Hour, 1},
		{0, fault.Throttled, time.Hour, 1},
		{50 * time.Minute, fault.Throttled, 10 * time.Minute, 1},
		{10 * time.Minute, "", 0, 2},
		{0, "", 0, 3},
	} {
		now = now.Add(step.passes)
		vectors, err := r.Embed(t.Context(), []string{"a"})
		if fault.KindOf(err) != step.kind || fault.RetryAfter(err) != step.after || asked != step.asked {
			t.Errorf("%+v: have %v after %v, asked %d times", step, err, fault.RetryAfter(err), asked)
		}
		check(t, []string{"a"}, vectors, err != nil)
	}
}

// TestBreakerIsNotOpenedByCallers checks that errors not caused by the model do not stop calls to it.
func TestBreakerIsNotOpenedByCallers(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, tc := range []struct {
		name  string
		ctx   context.Context
		err   error
		rests bool
	}{
		{"a text is refused", t.Context(), fault.Field("Model", "not this text"), false},
		{"the caller has left", gone, fault.New(fault.Unavailable, "gone: %w", context.Canceled), false},
		{"the model is slow", late, fault.New(fault.Unavailable, "slow: %w", context.DeadlineExceeded), true},
		{"the key is refused", t.Context(), fault.New(fault.Blocked, "check the key"), true},
	} {
		model := llmtest.NewEmbedder("tide-embed", dimension)
		model.Wait = func(context.Context) error { return tc.err }
		r := NewBreaker(model)
		if _, err := r.Embed(tc.ctx, []string{"a"}); !errors.Is(err, tc.err) {
			t.Errorf("%s: %v", tc.name, err)
		}
		model.Wait = nil
		if _, err := r.Embed(t.Context(), []string{"a"}); (err != nil) != tc.rests {
			t.Errorf("%s: then %v", tc.name, err)
		}
	}
}
