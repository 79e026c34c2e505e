package enrich

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// TestD9RowsRoundTrip checks that the columns of rows have not changed, and that rows are read as they were written,
// also by a release that wrote empty columns.
func TestD9RowsRoundTrip(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	text := storage.FormatTime(at)
	usage := llm.Usage{In: 7, Out: 8, Cost: 0.5}
	hold(t, Batch{
		V: 1, Schema: "pkm", State: Running, Attempt: 2, Next: "t1-x.3", Model: "m",
		File: "file-1", Remote: "batch_1", Status: "in_progress",
		Message: "why", Lines: 1, Enriched: 2, Skipped: 3, Failed: 4, Cancelled: 9, Again: 5, Strangers: 6, Usage: usage,
		NotBefore: at, CreatedAt: at.Add(1e9), SentAt: at.Add(2e9), EndedAt: at.Add(3e9), Lease: at.Add(4e9),
		CancelledAt: at.Add(5e9),
	}, storage.Properties{
		"v": int64(1), "schema": "pkm", "state": "running", "attempt": int64(2), "next": "t1-x.3", "model": "m",
		"file":   "file-1",
		"remote": "batch_1", "status": "in_progress", "message": "why", "lines": int64(1), "enriched": int64(2),
		"skipped": int64(3), "failed": int64(4), "cancelled": int64(9), "again": int64(5), "strangers": int64(6),
		"tokensIn": int64(7), "tokensOut": int64(8), "cost": 0.5, "notBefore": text,
		"createdAt": storage.FormatTime(at.Add(1e9)), "sentAt": storage.FormatTime(at.Add(2e9)),
		"endedAt": storage.FormatTime(at.Add(3e9)), "lease": storage.FormatTime(at.Add(4e9)),
		"cancelledAt": storage.FormatTime(at.Add(5e9)),
	})
	hold(t, active{CancelledAt: at}, storage.Properties{"cancelledAt": text})
	hold(t, Line{Entry: "e", Outcome: Again, Message: "why", Usage: usage}, storage.Properties{
		"entry": "e", "outcome": "again", "message": "why", "tokensIn": int64(7), "tokensOut": int64(8), "cost": 0.5,
	})
	kept := storage.Properties{
		"tier1_status": "enriched", "tier1_batch_id": "t1-x", "tier1_digest": "d", "tier1_model": "m",
		"tier1_error": "why", "tier1_at": text, "tier1_tokens_in": int64(7), "tier1_tokens_out": int64(8),
		"tier1_cost": 0.5, "gist": "g", "topic_primary": "t", "topic_primary_confidence": 0.5, "topic_secondary": "u",
		"topic_secondary_confidence": 0.25, "keywords": `["a, b"]`,
	}
	hold(t, columns{Record: Record{
		Status: Enriched, Batch: "t1-x", Digest: "d", Model: "m", Error: "why", At: at,
		Fields: Fields{Gist: "g", TopicPrimary: "t", TopicPrimaryConfidence: 0.5, TopicSecondary: "u",
			TopicSecondaryConfidence: 0.25},
	}, Keywords: `["a, b"]`, In: 7, Out: 8, Cost: 0.5}, kept)
	if diff := cmp.Diff(emptied(kept), storage.Properties(columnsOf(Record{}))); diff != "" {
		t.Errorf("what is empty is not written (-want +have):\n%s", diff)
	}
}

// hold checks the columns of a row.
func hold[T any](t *testing.T, full T, columns storage.Properties) {
	t.Helper()
	codec := row.Of[T]()
	var zero T
	if diff := cmp.Diff(columns, codec.Encode(&full)); diff != "" {
		t.Errorf("columns of %T (-want +have):\n%s", full, diff)
	}
	for want, columns := range map[*T]storage.Properties{&full: columns, &zero: emptied(columns), new(T): nil} {
		have, err := codec.Decode(columns)
		if diff := cmp.Diff(*want, have, cmp.AllowUnexported(Batch{})); diff != "" || err != nil {
			t.Errorf("%v (-want +have):\n%s", err, diff)
		}
	}
}

// emptied returns the same columns without values.
func emptied(columns storage.Properties) storage.Properties {
	out := storage.Properties{}
	for name, value := range columns {
		switch value.(type) {
		case string:
			out[name] = ""
		case int64:
			out[name] = int64(0)
		case float64:
			out[name] = 0.0
		}
	}
	return out
}
