package embed

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
)

// Filler gives pages their vectors.
type Filler struct {
	model llm.Embedder
	tag   string
}

// NewFiller makes a filler by a model, which should be [Cached].
func NewFiller(model llm.Embedder) *Filler {
	of := digestOf(model.Model())
	return &Filler{model: model, tag: "-" + hex.EncodeToString(of[:4])}
}

// Fill gives the chunks of a page their vectors, and keys that tell by which model they have them:
// a chunk's key stands for its vector, too. Chunks that the index is known to hold are written by
// nobody, so they need none. A page that got an error is as it was, and must not be indexed: it
// would lack vectors and nobody would know.
func (f *Filler) Fill(ctx context.Context, p *search.Page) (err error) {
	defer fault.Wrap(&err, "vectors of %s", p.ID)
	filled := *p
	filled.Chunks = make([]search.Chunk, len(p.Chunks))
	var texts []string
	var places []int
	same := p.Held != nil && p.Held.Fields == p.Holds().Fields // else chunks are written anew
	for i, c := range p.Chunks {
		c.Key += f.tag
		filled.Chunks[i] = c
		if same && holds(p.Held, c.Key) {
			continue
		}
		if text := Text(c); text != "" {
			texts, places = append(texts, text), append(places, i)
		}
	}
	vectors, err := f.model.Embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, place := range places {
		filled.Chunks[place].Vector = vectors[i]
	}
	*p = filled
	return nil
}

func holds(h *search.Held, key string) bool {
	_, ok := h.Chunks[key]
	return ok
}

// Text is what a model is given of a chunk: its headings and its words. It does not depend on
// where on which page the chunk stands, nor on the page's title, so it is new only with the chunk.
func Text(c search.Chunk) string {
	return strings.TrimSpace(c.Heading + "\n\n" + c.Text)
}
