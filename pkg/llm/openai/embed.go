package openai

import (
	"context"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	api "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// Bounds of a request for embeddings. OpenAI accepts 2,048 texts and 300,000 tokens; the inference server of Hugging
// Face accepts 32 texts. A request that a service finds too large is halved.
const (
	batchTexts  = 32
	batchTokens = 16_000
	// shortest is the length, in characters, below which a refused text is not cut further. If the service refuses
	// even such a short text, the reason is not its length.
	shortest = 200
)

// dimensions contains the dimensions of well-known models. For any other model, the first vector shows the dimension.
var dimensions = map[string]int{
	"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536,
}

var _ llm.Embedder = (*Embedder)(nil)

// Embedder is a model for embeddings.
type Embedder struct {
	c         *Client
	model     string
	dimension atomic.Int64
}

// Embedder returns the model that has the given name at the service.
func (c *Client) Embedder(model string) *Embedder {
	e := &Embedder{c: c, model: model}
	_, name, found := strings.Cut(model, "/") // LiteLLM's names have the form provider/model
	if !found {
		name = model
	}
	e.dimension.Store(int64(dimensions[name]))
	return e
}

// Model returns the name that was given to [Client.Embedder].
func (e *Embedder) Model() string { return e.model }

// Dimension returns the dimension, which is known from the model's name or from its first vector; 0 before that.
func (e *Embedder) Dimension() int { return int(e.dimension.Load()) }

// Embed implements [llm.Embedder]. After a failure it sends no further requests. It still waits for the requests in
// flight, because they have to be paid for.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return vectors, fault.Field("texts", "text %d is blank", i)
		}
	}
	var g errgroup.Group
	var failed atomic.Bool
	g.SetLimit(maxInFlight)
	for from, batch := range llm.Batches(texts, batchTexts, batchTokens) {
		g.Go(func() error {
			if failed.Load() {
				return nil // Embed returns the first failure at its end
			}
			err := e.batch(ctx, batch, vectors[from:from+len(batch)])
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	return vectors, g.Wait()
}

// batch embeds texts and stores their vectors. If the service finds a request too large, batch sends the two halves
// of the texts separately. A single text that is too long is cut in half.
func (e *Embedder) batch(ctx context.Context, texts []string, vectors [][]float32) error {
	err := e.request(ctx, texts, vectors)
	if fault.FieldOf(err) != "Input" {
		return err
	}
	if half := len(texts) / 2; half > 0 {
		if err := e.batch(ctx, texts[:half], vectors[:half]); err != nil {
			return err
		}
		return e.batch(ctx, texts[half:], vectors[half:])
	}
	runes := utf8.RuneCountInString(texts[0])
	if runes <= shortest {
		return fault.Field("Model", "check EMBEDDINGS_MODEL: %w", err)
	}
	e.c.log.WarnContext(ctx, "text too long for the model, its beginning is embedded", "model", e.model, "runes", runes)
	return e.batch(ctx, []string{string([]rune(texts[0])[:max(runes/2, shortest)])}, vectors)
}

// request sends texts once and stores the vectors of the answer.
func (e *Embedder) request(ctx context.Context, texts []string, vectors [][]float32) error {
	began := time.Now()
	c := &call{route: "/embeddings", setting: "EMBEDDINGS_MODEL"}
	resp, err := e.c.api.CreateEmbeddings(c.in(ctx), api.EmbeddingRequest{
		Input: texts, Model: api.EmbeddingModel(e.model), EncodingFormat: api.EmbeddingEncodingFormatFloat,
	})
	if err != nil {
		if fault.Is(err, fault.Internal) { // from the library: the answer was not JSON, or not that of the API
			err = unusable("%v", err)
		}
		return err
	}
	e.c.tokens.Add(int64(resp.Usage.TotalTokens))
	e.c.used(resp.Usage.TotalTokens, 0)
	if err := e.assign(resp.Data, vectors); err != nil {
		return err
	}
	e.c.log.InfoContext(ctx, "texts embedded", "model", e.model, "texts", len(texts), "tokens", resp.Usage.TotalTokens,
		"dur", time.Since(began))
	return nil
}

// assign stores each vector at the index of its text. If any part of an answer is wrong, assign refuses the whole
// answer and stores nothing.
func (e *Embedder) assign(data []api.Embedding, vectors [][]float32) error {
	if len(data) != len(vectors) {
		return unusable("%d vectors for %d texts", len(data), len(vectors))
	}
	want := e.Dimension()
	if want == 0 {
		want = len(data[0].Embedding)
	}
	placed := make([][]float32, len(vectors))
	for _, d := range data {
		switch {
		case d.Index < 0 || d.Index >= len(placed) || placed[d.Index] != nil:
			return unusable("it does not say which text each vector belongs to (index %d)", d.Index)
		case len(d.Embedding) != want:
			return unusable("a vector of %d numbers, where %s has %d", len(d.Embedding), e.model, want)
		case !llm.Unit(d.Embedding):
			return unusable("a vector without a direction")
		}
		placed[d.Index] = d.Embedding
	}
	if !e.dimension.CompareAndSwap(0, int64(want)) && e.Dimension() != want {
		return unusable("%s has vectors of %d numbers and of %d", e.model, e.Dimension(), want)
	}
	copy(vectors, placed)
	return nil
}

func unusable(format string, args ...any) error {
	return fault.New(fault.Unavailable, "the model's answer cannot be used: "+format, args...)
}
