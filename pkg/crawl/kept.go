package crawl

import (
	"time"

	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// captureOf describes a body that is new, from its item, which has taken over what it says.
func captureOf(it *registry.Item, got fetched, runID string, now time.Time) snapshot.Capture {
	return snapshot.Capture{
		ItemID: it.ID, RawHash: it.RawHash, ContentHash: it.ContentHash, TextHash: it.TextHash,
		CanonicalURI: canonicalURI(it), FetchURL: it.HTTPFinalURL, MimeType: it.MimeType,
		StatusCode: got.resp.Status, Header: keptHeaders(got.resp), Bytes: int64(len(got.resp.Body)),
		NormalizationVersion: it.NormalizationVersion, RunID: runID, CapturedAt: now,
		PublishedAt: it.PublishedAt, ModifiedAt: it.ModifiedAt, Author: it.Author, SiteName: it.SiteName,
	}
}

// noteSaved takes note of what is stored now, and says in the history what is new. Returned is that
// the item had this body before.
func noteSaved(
	it registry.Item, saved snapshot.Saved, o outcome, returned bool, bytes int64, now time.Time,
) registry.Item {
	if saved.Added {
		kept := keptOf(&it).Added(bytes)
		it.CaptureCount, it.CaptureBytes = kept.Count, kept.Bytes
	}
	if it.OldestCapture.IsZero() {
		it.OldestCapture = saved.Replaced
	}
	n := o.news
	if e := saved.Change.Extent(); e.Measured && !n.extent.Measured { // by an earlier try
		n.why = n.kind.Why(e)
	}
	if n.silenced != "" {
		it.Record(now, "silenced", n.silenced)
		return it
	}
	switch n.kind {
	case change.New:
		it.Record(now, "changed", n.why)
	case change.Content, change.Reverted:
		if returned {
			n.why = "the content is that of " + storage.FormatTime(saved.Since) + " again"
		}
		it.Record(now, map[bool]string{true: "changed", false: "reverted"}[n.kind == change.Content], n.why)
	case change.Title, change.Images, change.Metadata:
		if n.why != "" {
			it.Record(now, string(n.kind), n.why)
		}
	}
	return it
}

// keptOf is what is stored of the item, as far as we know.
func keptOf(it *registry.Item) snapshot.Kept {
	return snapshot.Kept{Count: it.CaptureCount, Bytes: it.CaptureBytes, Oldest: it.OldestCapture}
}
