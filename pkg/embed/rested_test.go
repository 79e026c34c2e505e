package embed

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
)

// One of many who ask learns that the model is down; the others hear of it, and of why.
func TestRested(t *testing.T) {
	model := llmtest.NewEmbedder("tide-embed", dimension)
	asked := 0
	model.Fail = func(string) error {
		if asked++; asked == 1 {
			return fault.After(time.Hour, "busy")
		}
		return nil
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := NewRested(model)
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
