package app

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/llm/openai"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/embed"
)

// client returns a client for the service with the models.
func (a assembly) client() (*openai.Client, error) {
	tokens := a.cfg.Metrics.ModelTokens
	return openai.New(openai.Options{
		BaseURL: a.cfg.Models.BaseURL, Key: string(a.cfg.Models.Key), Log: a.log,
		Used: func(in, out int) {
			tokens.Add(float64(in), "in")
			tokens.Add(float64(out), "out")
		},
	})
}

// withVectors returns an index that adds vectors to queries, and the embedder that adds them to pages.
func (a assembly) withVectors(ctx context.Context, index search.Index) (search.Index, crawl.Embedder, error) {
	client, err := a.client()
	if err != nil {
		return nil, nil, err
	}
	model := client.Embedder(a.cfg.Models.Embeddings)
	cached := embed.NewCached(embed.NewBreaker(model), a.store, a.log)
	return embed.NewHybrid(index, model, a.log), embed.NewPageEmbedder(cached), cached.Create(ctx)
}
