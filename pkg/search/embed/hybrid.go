package embed

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
)

const (
	// patience is the time that a query waits for its vector. After that, the query is answered by words alone.
	patience = 2 * time.Second
	// remembered is the number of queries whose vectors are kept: about 6 MiB if a vector has 1,536 numbers.
	remembered = 1000
)

// Hybrid is an index that also searches by meaning. If the model fails, Hybrid logs the error and answers the query
// by its words alone. The vectors of queries are kept only in memory.
type Hybrid struct {
	search.Index
	model *Breaker
	log   *slog.Logger

	recent recent.Map[string, []float32] // vectors by the text of the query
}

// NewHybrid wraps an index. The model must be the one that embeds the index's chunks. Log may be nil.
func NewHybrid(index search.Index, model llm.Embedder, log *slog.Logger) *Hybrid {
	defaults.Log(&log)
	return &Hybrid{Index: index, model: NewBreaker(model), log: log,
		recent: recent.Map[string, []float32]{Most: remembered}}
}

// Search answers a query. It checks the query first, so that an invalid query costs nothing.
func (h *Hybrid) Search(ctx context.Context, q search.Query) (search.Results, error) {
	if err := q.Check(); err != nil {
		return search.Results{}, err
	}
	if q.Sort != search.ByRelevance {
		return h.Index.Search(ctx, q)
	}
	var err error
	q.Vector, err = h.vector(ctx, queryText(q.Text))
	found, failed := h.Index.Search(ctx, q)
	if err != nil {
		found.Note = strings.TrimSuffix("the model "+h.model.Model()+" did not answer, so words alone were compared; "+
			found.Note, "; ")
	}
	return found, failed
}

// queryText returns the text of a query for the model: the words without the signs of the query language.
func queryText(q string) string {
	var words []string
	for _, t := range search.Terms(q) {
		words = append(words, t.Text)
	}
	return strings.Join(words, " ")
}

// vector returns the vector of a text, nil for an empty one. Errors: the model does not return one within patience.
func (h *Hybrid) vector(ctx context.Context, text string) ([]float32, error) {
	if v, _ := h.recent.Get(text); v != nil || text == "" {
		return v, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	vectors, err := h.model.Embed(ctx, []string{text})
	if err != nil {
		if !errors.Is(err, errOpen) && !errors.Is(ctx.Err(), context.Canceled) { // logged already, or no caller waits
			h.log.WarnContext(ctx, "searching by words alone", "model", h.model.Model(), "err", err)
		}
		return nil, err
	}
	h.recent.Put(text, vectors[0])
	return vectors[0], nil
}

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
