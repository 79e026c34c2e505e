package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/compare"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/search"
)

// This file answers requests about the captures of an item: their text, the differences between them, and what
// was written to the index from the present capture.

// captureHandlers answer requests about captures.
type captureHandlers struct {
	History *history.History
	Compare *compare.Comparer
	Feed    *feed.Feed // finds the version of an item that the caller has read
}

// Routes returns the routes about captures.
func (h *captureHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListCaptures, h.captures),
		wire.On(api.ListEdges, h.edges),
		wire.OnAny(api.GetCapture, h.capture),
		wire.OnAny(api.GetText, h.text),
		wire.On(api.GetDiff, h.diff),
		wire.On(api.IgnoreLines, h.ignoreLines),
		wire.On(api.ListElements, h.elements),
		wire.On(api.TryWatch, h.try),
	}
}

// findPast returns an item with its past.
func (h *captureHandlers) findPast(ctx context.Context, id string) (history.Past, error) {
	p, err := h.History.Find(ctx, source.ID(id))
	return p, wire.Field("id", err)
}

// indexedContent answers requests about the chunks and pictures of an item in the index.
type indexedContent struct {
	Items     *registry.Items
	Manifests *index.Manifests
	Images    func(context.Context, registry.Item) ([]search.Image, error) // the pictures of an item in the index
}

// Routes returns the routes about chunks and pictures in the index.
func (h *indexedContent) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListChunks, h.chunks),
		wire.On(api.ListImages, h.images),
	}
}
