package embed

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
)

const (
	// patience is what a query waits for its vector before it is answered by its words.
	patience = 2 * time.Second
	// remembered is how many queries keep their vectors: 6 MiB of 1,536 numbers each.
	remembered = 1000
)

// Hybrid is an index whose queries go by meaning, too. What the model does wrong is told in the
// log; the query is answered by its words then. Queries are kept in memory only.
type Hybrid struct {
	search.Index
	model *Breaker
	log   *slog.Logger

	recent recent.Map[string, []float32] // by the texts of queries
}

// NewHybrid gives the queries of an index vectors of the model that its chunks have. Log may be nil.
func NewHybrid(index search.Index, model llm.Embedder, log *slog.Logger) *Hybrid {
	defaults.Log(&log)
	return &Hybrid{Index: index, model: NewBreaker(model), log: log,
		recent: recent.Map[string, []float32]{Most: remembered}}
}

// Search answers a query. A query that the port refuses is refused before it costs anything.
func (h *Hybrid) Search(ctx context.Context, q search.Query) (search.Results, error) {
	if err := q.Check(); err != nil {
		return search.Results{}, err
	}
	if q.Sort == search.ByRelevance {
		q.Vector = h.vector(ctx, queryText(q.Text))
	}
	return h.Index.Search(ctx, q)
}

// queryText is what a model is given of a query: its words without the signs of the query language.
func queryText(q string) string {
	var words []string
	for _, t := range search.Terms(q) {
		words = append(words, t.Text)
	}
	return strings.Join(words, " ")
}

// vector is the vector of a text, or nil if it cannot be had now.
func (h *Hybrid) vector(ctx context.Context, text string) []float32 {
	if v, _ := h.recent.Get(text); v != nil || text == "" {
		return v
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	vectors, err := h.model.Embed(ctx, []string{text})
	if err != nil {
		if !errors.Is(err, errOpen) && !errors.Is(ctx.Err(), context.Canceled) { // told already; heard by nobody
			h.log.WarnContext(ctx, "searching by words alone", "model", h.model.Model(), "err", err)
		}
		return nil
	}
	h.recent.Put(text, vectors[0])
	return vectors[0]
}
