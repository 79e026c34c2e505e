package embed

import (
	"context"
	"encoding/hex"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
)

// PageEmbedder gives pages their vectors.
type PageEmbedder struct {
	model llm.Embedder
	tag   string
}

// NewPageEmbedder makes one by a model, which should be [Cached].
func NewPageEmbedder(model llm.Embedder) *PageEmbedder {
	of := digestOf(model.Model())
	return &PageEmbedder{model: model, tag: "-" + hex.EncodeToString(of[:4])}
}

// Embed gives the chunks of a page their vectors, and keys that tell by which model they have them:
// a chunk's key stands for its vector, too. Chunks that the index is known to hold are written by
// nobody, so they need none. A page that got an error is as it was, and must not be indexed: it
// would lack vectors and nobody would know.
func (f *PageEmbedder) Embed(ctx context.Context, p *search.Page) (err error) {
	defer fault.Wrap(&err, "vectors of %s", p.ID)
	filled := *p
	filled.Chunks = make([]search.Chunk, len(p.Chunks))
	var texts []string
	var places []int
	same := p.Known != nil && p.Known.Fields == p.Contents().Fields // else chunks are written anew
	for i, c := range p.Chunks {
		c.Key += f.tag
		filled.Chunks[i] = c
		if same && knows(p.Known, c.Key) {
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

func knows(h *search.Contents, key string) bool {
	_, ok := h.Chunks[key]
	return ok
}

// Text is what a model is given of a chunk. It does not depend on where on which page the chunk is, nor on
// the page's title, so it is new only with the chunk.
func Text(c search.Chunk) string { return chunk.Chunk{Heading: c.Heading, Text: c.Text}.Embedded() }
