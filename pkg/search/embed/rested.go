package embed

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// rest is how long nobody asks a model that has just failed, unless it asks for longer.
const rest = 30 * time.Second

var _ llm.Embedder = (*Rested)(nil)

// Rested is a model that is left alone for a while after it has failed: who asks meanwhile hears
// so at once, as Throttled. One call waits for a service that is down, not each of a hundred. What
// is the fault of a text, or of a caller who does not wait, is not the model's.
type Rested struct {
	llm.Embedder
	now func() time.Time

	mu    sync.Mutex
	until time.Time
	why   error // the model's last failure
}

// NewRested wraps a model. Those whose failures have to do with each other share one.
func NewRested(model llm.Embedder) *Rested { return &Rested{Embedder: model, now: time.Now} }

// errResting marks what is heard without asking the model.
var errResting = errors.New("left alone after a failure")

// Embed asks the model, unless it rests.
func (r *Rested) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := r.resting(); err != nil {
		return make([][]float32, len(texts)), err
	}
	vectors, err := r.Embedder.Embed(ctx, texts)
	if err != nil && !fault.Is(err, fault.Invalid) && !errors.Is(ctx.Err(), context.Canceled) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.until, r.why = r.now().Add(max(rest, fault.RetryAfter(err))), err
	}
	return vectors, err
}

func (r *Rested) resting() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := r.until.Sub(r.now()); left > 0 {
		return fault.After(left, "the model %s is %w: %v", r.Model(), errResting, r.why)
	}
	return nil
}
