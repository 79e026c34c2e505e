package embed

import (
	"context"

	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
)

// Chunks gives the vectors of chunks, in their order.
func Chunks(ctx context.Context, model llm.Embedder, chunks []search.Chunk) ([][]float32, error) {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = Text(c)
	}
	return model.Embed(ctx, texts)
}
