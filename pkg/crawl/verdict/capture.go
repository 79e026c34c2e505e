package verdict

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// CaptureOf describes the capture of a new body. The contents of the body must be copied into the item first.
func CaptureOf(it *registry.Item, got Answer, r Reading, runID string, now time.Time) snapshot.Capture {
	return snapshot.Capture{
		ItemID: it.ID, RawHash: it.RawHash, ContentHash: it.ContentHash, TextHash: it.TextHash,
		CanonicalURI: canonicalURI(it), FetchURL: it.HTTPFinalURL, MimeType: it.MimeType,
		StatusCode: got.Response.Status, Header: keptHeaders(got.Response), Bytes: int64(len(got.Response.Body)),
		NormalizationVersion: it.NormalizationVersion, RunID: runID, CapturedAt: now,
		PlainHash: got.Plain, Sent: got.Sent, Declared: field.Digest(r.Fields), Fields: fieldsJSON(r.Fields),
		PublishedAt: it.PublishedAt, ModifiedAt: it.ModifiedAt, Author: it.Author, SiteName: it.SiteName,
	}
}

// fieldsJSON returns the fields that were read, as captures keep them; nil if there are none.
func fieldsJSON(fields []field.Result) []byte {
	if len(fields) == 0 {
		return nil
	}
	text, _ := json.Marshal(fields) // strings always encode
	return text
}

// NoteBareFields records in the history a change that is nothing but values of a page whose text is the same.
func NoteBareFields(it registry.Item, o Outcome, now time.Time) registry.Item {
	if n := o.News; n.Kind == change.Field && n.Silenced == "" && n.Why != "" {
		it.Record(now, string(n.Kind), n.Why)
	}
	return it
}

// NoteSaved records on the item what is now stored for it, and records in its history what has changed. If returned
// is set, the item has had this body before.
func NoteSaved(
	it registry.Item, saved snapshot.Saved, o Outcome, returned bool, bytes int64, now time.Time,
) registry.Item {
	if saved.Added {
		kept := KeptOf(&it).Added(bytes)
		it.CaptureCount, it.CaptureBytes = kept.Count, kept.Bytes
	}
	if it.OldestCapture.IsZero() {
		it.OldestCapture = saved.Replaced
	}
	n := o.News
	// An earlier attempt may have measured the extent. What is said of fields does not depend on it.
	if e := saved.Change.Extent(); e.Measured && !n.Extent.Measured && n.Kind != change.Field {
		n.Why = n.Kind.Why(e)
	}
	if n.Silenced != "" {
		it.Record(now, "silenced", n.Silenced)
		return it
	}
	if text := n.FieldsText(now); text != "" && n.Kind != change.Field {
		n.Why = strings.Trim(n.Why+"; "+text, "; ")
	}
	switch n.Kind {
	case change.New, change.Beside, change.Beyond, change.Bytes:
		it.Record(now, "changed", n.Why)
	case change.Content, change.Reverted:
		if returned {
			n.Why = "the content is that of " + storage.FormatTime(saved.Since) + " again"
		}
		it.Record(now, map[bool]string{true: "changed", false: "reverted"}[n.Kind == change.Content], n.Why)
	case change.Title, change.Images, change.Metadata, change.Field:
		if n.Why != "" {
			it.Record(now, string(n.Kind), n.Why)
		}
	}
	return it
}

// KeptOf returns how much is stored for the item, according to its row.
func KeptOf(it *registry.Item) snapshot.Kept {
	return snapshot.Kept{Count: it.CaptureCount, Bytes: it.CaptureBytes, Oldest: it.OldestCapture}
}
