package handlers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// findPast finds an item and the ids under which its past is kept.
func findPast(ctx context.Context, v *call, id string) (it registry.Item, ids []source.ID, err error) {
	if it, err = v.Registry.Items.Find(ctx, source.ID(id)); err != nil {
		return it, nil, wire.Blame("id", err)
	}
	ids, err = past(ctx, v, &it)
	return it, ids, err
}

// captures lists all captures of an item, a page at a time, in the order of their digests.
func captures(ctx context.Context, v *call, q api.CaptureQuery) (api.CapturePage, error) {
	page := api.CapturePage{Captures: []api.Capture{}}
	it, ids, err := findPast(ctx, v, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := pagePast(ids, q.Continuation, q.Top, func(id source.ID, after string,
		top int) ([]snapshot.Capture, string, error) {
		return v.Snapshots.Page(ctx, id, after, top)
	})
	page.Continuation = next
	for _, c := range found {
		page.Captures = append(page.Captures, captureJSON(&it, c))
	}
	return page, wire.Blame("continuation", err)
}

// edges lists all that captures of an item took over from, a page at a time, newest first.
func edges(ctx context.Context, v *call, q api.EdgeQuery) (api.EdgePage, error) {
	page := api.EdgePage{Lineage: []api.Edge{}}
	_, ids, err := findPast(ctx, v, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := pagePast(ids, q.Continuation, q.Top, func(id source.ID, after string,
		top int) ([]lineage.Edge, string, error) {
		return v.Snapshots.EdgesAfter(ctx, id, after, top)
	})
	page.Continuation = next
	for _, e := range found {
		page.Lineage = append(page.Lineage, edgeJSON(e))
	}
	return page, wire.Blame("continuation", err)
}

func isDigest(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// capture answers what was captured: its text, or the bytes as they came.
func capture(ctx context.Context, v *call, q api.CaptureID) (any, error) {
	if _, _, err := source.ParseID(q.ID); err != nil {
		return nil, wire.Blame("id", err)
	}
	if !isDigest(q.SHA256) {
		return nil, fault.Field("sha256", "sha256 is not 64 hexadecimal digits")
	}
	c, body, err := loadCapture(ctx, v, source.ID(q.ID), "sha256:"+q.SHA256)
	if err != nil {
		return nil, noCapture(err, q.SHA256)
	}
	if q.Raw {
		return wire.Content{Body: body, MediaType: c.ContentType(), Filename: q.SHA256}, nil
	}
	doc, err := readCapture(ctx, v, c, body)
	if err != nil {
		return nil, err
	}
	if doc.Unsupported {
		return nil, fault.Field("raw", "text cannot be extracted from %s; raw=true gives the bytes", doc.MimeType)
	}
	return wire.Content{Body: []byte(doc.Text), MediaType: "text/plain; charset=utf-8"}, nil
}

// noCapture says what it means that a capture is not found.
func noCapture(err error, digest string) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, "the item has no capture %s, or it is not kept any more", digest)
	}
	return err
}

// captureBase is what addresses in captures are relative to where nobody asks for them.
const captureBase = "https://capture.invalid/"

// readCapture extracts the text of a capture, which does not depend on where its links lead.
func readCapture(ctx context.Context, v *call, c snapshot.Capture, body []byte) (extract.Document, error) {
	return v.Documents.Extract(ctx, body, c.ContentType(), captureBase, extract.Limits{})
}

// loadCapture reads a capture of an item, or of one that has moved there.
func loadCapture(ctx context.Context, v *call, id source.ID,
	rawHash string) (c snapshot.Capture, body []byte, err error) {
	if c, body, err = v.Snapshots.Load(ctx, id, rawHash); !fault.Is(err, fault.NotFound) {
		return c, body, err
	}
	_, ids, lost := findPast(ctx, v, string(id))
	if fault.Is(lost, fault.NotFound) {
		return c, nil, err
	}
	if lost != nil {
		return c, nil, lost
	}
	return v.Snapshots.LoadOf(ctx, ids, rawHash)
}

// pastJSON lists captures and edges, newest first; of one body what was read last comes first.
func pastJSON(it *registry.Item, captures []snapshot.Capture, edges []lineage.Edge) (cs []api.Capture, es []api.Edge) {
	slices.SortFunc(captures, func(a, b snapshot.Capture) int {
		return cmp.Or(b.CapturedAt.Compare(a.CapturedAt), b.ReprocessedAt.Compare(a.ReprocessedAt))
	})
	for _, c := range captures[:min(len(captures), api.MaxPast)] {
		cs = append(cs, captureJSON(it, c))
	}
	for _, e := range edges {
		es = append(es, edgeJSON(e))
	}
	return cs, es
}

// captureJSON shows a capture of an item. When the present one was last seen is in the item, so that a
// check that finds it again writes no other row.
func captureJSON(it *registry.Item, c snapshot.Capture) api.Capture {
	if c.RawHash == it.RawHash && it.LastVerified.After(c.LastVerifiedAt) {
		c.LastVerifiedAt = it.LastVerified
	}
	return api.Capture{
		SHA256: strings.TrimPrefix(c.RawHash, "sha256:"), ContentHash: c.ContentHash, CanonicalURI: c.CanonicalURI,
		FetchURL: c.FetchURL, Header: c.Header,
		CapturedAt: c.CapturedAt, LastVerifiedAt: c.LastVerifiedAt, ReprocessedAt: c.ReprocessedAt, Bytes: c.Bytes,
		MimeType:   c.MimeType,
		StatusCode: c.StatusCode, RunID: c.RunID, NormalizationVersion: c.NormalizationVersion,
		PublishedAt: c.PublishedAt, ModifiedAt: c.ModifiedAt, Author: c.Author, SiteName: c.SiteName,
	}
}

// changesJSON lists changes, newest first.
func changesJSON(changes []snapshot.Change) (out []api.Change) {
	slices.SortStableFunc(changes, func(a, b snapshot.Change) int { return b.At.Compare(a.At) })
	for _, c := range changes[:min(len(changes), api.MaxPast)] {
		j := api.Change{
			At: c.At, Kind: api.ChangeKind(c.Kind), SHA256: strings.TrimPrefix(c.RawHash, "sha256:"),
			Before: strings.TrimPrefix(c.Before, "sha256:"), NormalizationVersion: c.Version,
		}
		if c.Measured {
			j.NewShare, j.GoneShare, j.WordsAdded, j.WordsRemoved = &c.New, &c.Gone, &c.Added, &c.Removed
		}
		out = append(out, j)
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
