package embed

import (
	"context"
	"encoding/hex"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
)

// PageEmbedder adds vectors to the chunks of pages.
type PageEmbedder struct {
	model llm.Embedder
	tag   string
}

// NewPageEmbedder returns a PageEmbedder for a model, which should be [Cached].
func NewPageEmbedder(model llm.Embedder) *PageEmbedder {
	of := digestOf(model.Model())
	return &PageEmbedder{model: model, tag: "-" + hex.EncodeToString(of[:4])}
}

// Embed adds vectors to the chunks of a page. It also adds the model's name to the keys of the chunks, because a key
// also identifies the chunk's vector. Chunks that the index is known to hold are not written again and need no
// vector. On error the page is unchanged and must not be indexed, because nobody would notice that its vectors are
// missing.
func (f *PageEmbedder) Embed(ctx context.Context, p *search.Page) (err error) {
	defer fault.Wrap(&err, "vectors of %s", p.ID)
	filled := *p
	filled.Chunks = make([]search.Chunk, len(p.Chunks))
	var texts []string
	var places []int
	same := p.Known != nil && p.Known.Fields == p.Contents().Fields // if false, all chunks are written again
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

// Text returns the text of a chunk in the form that the model gets. The text does not depend on the chunk's page, its
// position or the page's title, so it changes only when the chunk does.
func Text(c search.Chunk) string { return chunk.Chunk{Heading: c.Heading, Text: c.Text}.Embedded() }
