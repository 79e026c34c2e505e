package llmtest

import (
	"context"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

var _ llm.Embedder = (*Embedder)(nil)

// Embedder implements [llm.Embedder] with [Vector], in memory, and counts the texts that it embeds. Its vectors are
// useless for real search.
type Embedder struct {
	// Fail is called before each text is embedded. If it returns an error, the call ends there. Fail may be nil.
	Fail func(text string) error
	// Wait is called once for each call of Embed, before any text is embedded. Wait may be nil.
	Wait func(ctx context.Context) error

	model     string
	dimension int
	mu        sync.Mutex
	counts    map[string]int
}

// NewEmbedder returns a model with the given name and dimension.
func NewEmbedder(model string, dimension int) *Embedder {
	return &Embedder{model: model, dimension: dimension, counts: map[string]int{}}
}

// Embed embeds texts one after another, until it fails for one of them.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	if e.Wait != nil {
		if err := e.Wait(ctx); err != nil {
			return vectors, err
		}
	}
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return vectors, fault.Field("texts", "text %d is blank", i)
		}
		if e.Fail != nil {
			if err := e.Fail(text); err != nil {
				return vectors, err
			}
		}
		vectors[i] = Vector(text, e.dimension)
		e.mu.Lock()
		e.counts[text]++
		e.mu.Unlock()
	}
	return vectors, nil
}

// Model returns the name that was given to NewEmbedder.
func (e *Embedder) Model() string { return e.model }

// Dimension returns the number that was given to NewEmbedder.
func (e *Embedder) Dimension() int { return e.dimension }

// Count returns the number of times that a text was embedded.
func (e *Embedder) Count(text string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts[text]
}

// Texts returns the number of texts that were embedded, including repetitions.
func (e *Embedder) Texts() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, count := range e.counts {
		n += count
	}
	return n
}
