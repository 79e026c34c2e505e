package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/chunk"
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

// ignoreLines adds or removes rules for lines that do not count as changes.
func (h *captureHandlers) ignoreLines(ctx context.Context, q api.IgnoreRequest) (out api.IgnoreResult, err error) {
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return out, err
	}
	done, err := h.Compare.Ignore(ctx, past, compare.Request{
		Pattern: q.Pattern, Patterns: q.Patterns, Text: q.Text, Was: q.Was, Hunk: q.Hunk,
		Query: compare.Query{From: q.From, To: q.To, Part: q.Part}, Preview: q.Preview, Undo: q.Undo,
	})
	return ignoredJSON(done), err
}

func ignoredJSON(done compare.Result) api.IgnoreResult {
	out := api.IgnoreResult{Rules: done.Rules, Ignore: append([]string{}, done.Ignore...), Saved: done.Saved,
		Changes: done.Changes}
	for _, s := range done.Silenced {
		c := api.SilencedChange{At: s.At, From: s.From, To: s.To, Whole: s.Whole}
		for _, l := range s.Lines {
			op := "removed"
			if l.Added {
				op = "added"
			}
			c.Lines = append(c.Lines, api.IgnoredChange{Hunk: l.Text, Op: op, Rule: l.Rule})
		}
		out.Silenced = append(out.Silenced, c)
	}
	return out
}

// chunks lists the chunks that were last written to the index for an item.
func (h *indexedContent) chunks(ctx context.Context, q api.ItemID) (api.ChunkList, error) {
	out := api.ChunkList{Chunks: []api.ChunkInfo{}}
	it, err := h.Items.Find(ctx, source.ID(q.ID))
	if err != nil || it.Manifest == "" {
		return out, wire.Field("id", err)
	}
	records, err := h.Manifests.Records(ctx, it.ID, it.Manifest)
	for _, c := range records {
		segment := segmentOf(c.MetaV2.Segment)
		out.Chunks = append(out.Chunks, api.ChunkInfo{
			ChunkUID: string(c.ChunkUID), VirtualPath: c.MetaV2.VirtualPath, Key: string(c.Key), Kind: string(c.Kind),
			Heading: c.Heading, Zone: string(c.Zone),
			Anchor: wire.Anchor(c.Anchor), Name: c.Name, Tokens: c.Tokens, Start: c.Start, End: c.End,
			TextHash: c.TextHash, Segment: segment,
			MetaV2: api.ChunkMeta{ChunkUID: string(c.MetaV2.ChunkUID), VirtualPath: c.MetaV2.VirtualPath, Segment: segment},
		})
	}
	return out, err
}

func segmentOf(s *chunk.SegmentRecord) *api.ChunkSegment {
	if s == nil {
		return nil
	}
	out := &api.ChunkSegment{SegmentUID: s.SegmentUID, Type: s.Type, VirtualPath: s.VirtualPath}
	if s.LanguageID != nil {
		out.LanguageID = *s.LanguageID
	}
	return out
}

// images lists the pictures of an item that are in the index (A18).
func (h *indexedContent) images(ctx context.Context, q api.ItemID) (api.ImageList, error) {
	out := api.ImageList{Images: []api.Image{}}
	it, err := h.Items.Find(ctx, source.ID(q.ID))
	if err != nil {
		return out, wire.Field("id", err)
	}
	found, err := h.Images(ctx, it)
	for _, img := range found {
		out.Images = append(out.Images, imageJSON(img, string(it.ID), it.DisplaySource))
	}
	return out, err
}

// imageJSON returns a picture of a page as a type of the API.
func imageJSON(img search.Image, page, address string) api.Image {
	return api.Image{
		ID: img.ID, Src: img.Src, Alt: img.Alt, Title: img.Title, Caption: img.Caption,
		ParentPageID: page, ParentPageURL: address, Source: address,
	}
}

// linkedPageJSON returns, as a type of the API, the page that a link leads to.
func linkedPageJSON(it registry.Item) *api.LinkedPage {
	return &api.LinkedPage{ID: string(it.ID), URL: it.DisplaySource, Title: it.Title, Status: api.Status(it.Status)}
}
