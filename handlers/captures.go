package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// captures lists all captures of an item, a page at a time, in the order of their digests.
func captures(ctx context.Context, v *call, q api.CaptureQuery) (api.CapturePage, error) {
	page := api.CapturePage{Captures: []api.Capture{}}
	past, err := findPast(ctx, v, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := past.Captures(ctx, q.Continuation, q.Top)
	page.Continuation = next
	for _, c := range found {
		page.Captures = append(page.Captures, captureJSON(&past.Item, c))
	}
	return page, wire.Blame("continuation", err)
}

// edges lists all that captures of an item took over from, a page at a time, newest first.
func edges(ctx context.Context, v *call, q api.EdgeQuery) (api.EdgePage, error) {
	page := api.EdgePage{Lineage: []api.Edge{}}
	past, err := findPast(ctx, v, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := past.Edges(ctx, q.Continuation, q.Top)
	page.Continuation = next
	for _, e := range found {
		page.Lineage = append(page.Lineage, edgeJSON(e))
	}
	return page, wire.Blame("continuation", err)
}

// capture answers what was captured: its text, or the bytes as they came.
func capture(ctx context.Context, v *call, q api.CaptureID) (any, error) {
	if _, _, err := source.ParseID(q.ID); err != nil {
		return nil, wire.Blame("id", err)
	}
	if !history.IsDigest(q.SHA256) {
		return nil, fault.Field("sha256", "sha256 is not 64 hexadecimal digits")
	}
	c, body, err := v.history().Load(ctx, source.ID(q.ID), q.SHA256)
	if err != nil {
		return nil, err
	}
	if q.Raw {
		return wire.Content{Body: body, MediaType: c.ContentType(), Filename: q.SHA256}, nil
	}
	doc, err := v.history().Read(ctx, c, body)
	if err != nil {
		return nil, err
	}
	if doc.Unsupported {
		return nil, fault.Field("raw", "text cannot be extracted from %s; raw=true gives the bytes", doc.MimeType)
	}
	return wire.Content{Body: []byte(doc.Text), MediaType: "text/plain; charset=utf-8"}, nil
}

// captureJSON shows a capture of an item. When the present one was last seen is in the item, so that a
// check that finds it again writes no other row.
func captureJSON(it *registry.Item, c snapshot.Capture) api.Capture {
	if c.RawHash == it.RawHash && it.LastVerified.After(c.LastVerifiedAt) {
		c.LastVerifiedAt = it.LastVerified
	}
	return api.Capture{
		SHA256: history.Digest(c.RawHash), ContentHash: c.ContentHash, CanonicalURI: c.CanonicalURI,
		FetchURL: c.FetchURL, Header: c.Header,
		CapturedAt: c.CapturedAt, LastVerifiedAt: c.LastVerifiedAt, ReprocessedAt: c.ReprocessedAt, Bytes: c.Bytes,
		MimeType:   c.MimeType,
		StatusCode: c.StatusCode, RunID: c.RunID, NormalizationVersion: c.NormalizationVersion,
		PublishedAt: c.PublishedAt, ModifiedAt: c.ModifiedAt, Author: c.Author, SiteName: c.SiteName,
	}
}

func changeJSON(c snapshot.Change) api.Change {
	out := api.Change{
		At: c.At, Kind: api.ChangeKind(c.Kind), SHA256: history.Digest(c.RawHash), Before: history.Digest(c.Before),
		NormalizationVersion: c.Version,
	}
	if c.Measured {
		out.NewShare, out.GoneShare, out.WordsAdded, out.WordsRemoved = &c.New, &c.Gone, &c.Added, &c.Removed
	}
	return out
}

func edgeJSON(e lineage.Edge) api.Edge {
	return api.Edge{Newer: string(e.Newer), Older: string(e.Older), At: e.At, Meta: api.EdgeMetadata{
		Reason: e.Reason, ConflictResolved: e.ConflictResolved, Selected: e.Selected,
		CanonicalURIMatch: orNull(e.CanonicalURIMatch), ContentSHA256Match: orNull(e.ContentSHA256Match),
	}}
}

func orNull(id lineage.CaptureID) *string {
	if id == "" {
		return nil
	}
	text := string(id)
	return &text
}
