package handlers

import (
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// captureJSON returns a capture of an item as a type of the API. A check that finds the content unchanged records its
// time only in the item's row. For the present capture, it therefore uses the later of the two recorded times.
func captureJSON(it *registry.Item, c snapshot.Capture) api.Capture {
	if c.RawHash == it.Validators.Served(it.RawHash) {
		c.LastVerifiedAt = policy.Later(c.LastVerifiedAt, it.LastVerified)
	}
	return api.Capture{
		SHA256: history.Digest(c.RawHash), ContentHash: c.ContentHash, CanonicalURI: c.CanonicalURI,
		FetchURL: c.FetchURL, Header: c.Header,
		CapturedAt: c.CapturedAt, LastVerifiedAt: c.LastVerifiedAt, ReprocessedAt: c.ReprocessedAt, Bytes: c.Bytes,
		MimeType: c.MimeType, SameTextAs: history.Digest(c.SameTextAs), PlainSHA256: history.Digest(c.PlainHash),
		StatusCode: c.StatusCode, RunID: c.RunID, NormalizationVersion: c.NormalizationVersion,
		PublishedAt: c.PublishedAt, ModifiedAt: c.ModifiedAt, Author: c.Author, SiteName: c.SiteName,
	}
}

// checkedAt returns when the source last showed the text of a capture. The source may have shown it with other bytes.
func checkedAt(it *registry.Item, c snapshot.Capture) time.Time {
	at := captureJSON(it, c).LastVerifiedAt
	if c.RawHash == it.RawHash {
		return policy.Later(at, it.LastVerified)
	}
	return at
}

// edgeJSON converts an edge to a type of the API: which capture replaced which other capture, and why.
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
