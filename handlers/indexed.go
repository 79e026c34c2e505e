package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

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
