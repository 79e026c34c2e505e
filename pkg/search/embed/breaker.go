package embed

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// openFor is the time after a failure during which no request is sent to a model, unless the model asks for a longer
// pause.
const openFor = 30 * time.Second

var _ llm.Embedder = (*Breaker)(nil)

// Breaker is a circuit breaker. For a while after a model has failed, calls fail at once with Throttled, and no
// request is sent. So if a service is down, one call waits for it instead of a hundred. Canceled calls, and errors
// that a text causes, do not open the breaker.
type Breaker struct {
	llm.Embedder
	now func() time.Time

	mu    sync.Mutex
	until time.Time
	why   error // the model's last failure
}

// NewBreaker wraps a model. Callers of one model should share one Breaker.
func NewBreaker(model llm.Embedder) *Breaker { return &Breaker{Embedder: model, now: time.Now} }

// errOpen is the cause of an error without a request to the model.
var errOpen = errors.New("left alone after a failure")

// Embed calls the model, unless the breaker is open.
func (r *Breaker) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := r.open(); err != nil {
		return make([][]float32, len(texts)), err
	}
	vectors, err := r.Embedder.Embed(ctx, texts)
	if err != nil && !fault.Is(err, fault.Invalid) && !errors.Is(ctx.Err(), context.Canceled) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.until, r.why = r.now().Add(max(openFor, fault.RetryAfter(err))), err
	}
	return vectors, err
}

func (r *Breaker) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := r.until.Sub(r.now()); left > 0 {
		return fault.After(left, "the model %s is %w: %v", r.Model(), errOpen, r.why)
	}
	return nil
}
