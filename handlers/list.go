package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// captures lists all captures of an item, a page at a time, in the order of their digests.
func (h *captureHandlers) captures(ctx context.Context, q api.CaptureQuery) (api.CapturePage, error) {
	page := api.CapturePage{Captures: []api.Capture{}}
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := past.Captures(ctx, q.Continuation, q.Top)
	page.Continuation = next
	page.Captures = wire.Each(found, func(c snapshot.Capture) api.Capture { return captureJSON(&past.Item, c) })
	return page, wire.Field("continuation", err)
}

// edges lists which capture of an item replaced which other capture, a page at a time, newest first.
func (h *captureHandlers) edges(ctx context.Context, q api.EdgeQuery) (api.EdgePage, error) {
	page := api.EdgePage{Lineage: []api.Edge{}}
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := past.Edges(ctx, q.Continuation, q.Top)
	page.Continuation = next
	page.Lineage = wire.Each(found, edgeJSON)
	return page, wire.Field("continuation", err)
}

// plain answers with the bytes that a source sent, of a rendered page.
func (h *captureHandlers) plain(ctx context.Context, q api.CaptureID, c snapshot.Capture) (any, error) {
	switch {
	case !q.Raw:
		return nil, fault.Field("plain", "plain=true gives bytes: add raw=true")
	case c.PlainHash == "":
		return nil, fault.Field("plain", "the capture was not rendered: its bytes are those that the source sent")
	}
	body, err := h.History.Sent(ctx, c)
	t := snapshot.Capture{Header: c.Header, MimeType: c.MimeType}.ContentType()
	return wire.Content{Body: body, MediaType: t, Filename: history.Digest(c.PlainHash)}, err
}

// capture answers with the content of a capture: its text, or the bytes as they were received.
func (h *captureHandlers) capture(ctx context.Context, q api.CaptureID) (any, error) {
	if _, _, err := source.ParseID(q.ID); err != nil {
		return nil, wire.Field("id", err)
	}
	if !history.IsDigest(q.SHA256) {
		return nil, fault.Field("sha256", "sha256 is not 64 hexadecimal digits")
	}
	c, body, err := h.History.Load(ctx, source.ID(q.ID), q.SHA256)
	if err != nil {
		return nil, err
	}
	if q.Plain {
		return h.plain(ctx, q, c)
	}
	if q.Raw {
		return wire.Content{Body: body, MediaType: c.ContentType(), Filename: q.SHA256}, nil
	}
	doc, err := h.History.Read(ctx, c, body)
	if err != nil {
		return nil, err
	}
	if doc.Unsupported {
		return nil, fault.Field("raw", "text cannot be extracted from %s; raw=true gives the bytes", doc.MimeType)
	}
	return wire.Content{Body: []byte(doc.Text), MediaType: "text/plain; charset=utf-8"}, nil
}
