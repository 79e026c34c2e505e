package embed

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// openFor is how long after a failure no request is sent to a model, unless the model asks for a longer pause.
const openFor = 30 * time.Second

var _ llm.Embedder = (*Breaker)(nil)

// Breaker is a circuit breaker. For a while after a model has failed, calls fail at once, as Throttled, without a
// request. If a service is down, only one call waits for the service instead of a hundred. Errors caused by a text
// and canceled calls do not open the breaker.
type Breaker struct {
	llm.Embedder
	now func() time.Time

	mu    sync.Mutex
	until time.Time
	why   error // the model's last failure
}

// NewBreaker wraps a model. Callers of one model should share one Breaker.
func NewBreaker(model llm.Embedder) *Breaker { return &Breaker{Embedder: model, now: time.Now} }

// errOpen is the cause of the errors of calls that sent no request to the model.
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
