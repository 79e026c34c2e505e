package enrich

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Schemas are those of package entries, as this package names them.
func Schemas() (names []string) {
	for _, s := range entries.Schemas {
		names = append(names, string(s))
	}
	return names
}

// Kept are the entries of package entries.
type Kept struct{ Store *entries.Store }

var _ Entries = Kept{}

// Load keeps the promise of the port. The text is the cleanest that there is.
func (k Kept) Load(ctx context.Context, schema, id string) (Entry, error) {
	f, read, err := k.Store.In(entries.Schema(schema)).Read(ctx, id)
	if err != nil {
		return Entry{}, err
	}
	return Entry{
		ID: id, Title: f.Text("title"), Text: cmp.Or(f.Text("clean_text"), f.Text("extracted_text"), f.Text("capture_text")),
		Tier1: recordOf(f), Revision: string(read),
	}, nil
}

// Write keeps the promise of the port.
func (k Kept) Write(ctx context.Context, schema string, e Entry, r Record) error {
	err := k.Store.In(entries.Schema(schema)).Describe(ctx, e.ID, entries.Revision(e.Revision), columnsOf(r))
	if fault.Is(err, fault.Invalid) {
		return fault.New(fault.Internal, "tier 1 of %s: %w", e.ID, err) // Unreachable: the columns are ours.
	}
	return err
}

func columnsOf(r Record) entries.Fields {
	keywords := ""
	if len(r.Fields.Keywords) > 0 {
		list, _ := json.Marshal(r.Fields.Keywords) // strings always encode
		keywords = string(list)
	}
	return entries.Fields{
		"gist": r.Fields.Gist, "keywords": keywords,
		"topic_primary": r.Fields.TopicPrimary, "topic_primary_confidence": r.Fields.TopicPrimaryConfidence,
		"topic_secondary": r.Fields.TopicSecondary, "topic_secondary_confidence": r.Fields.TopicSecondaryConfidence,
		"tier1_status": string(r.Status), "tier1_batch_id": r.Batch, "tier1_digest": r.Digest, "tier1_model": r.Model,
		"tier1_error": r.Error,
		"tier1_at":    storage.FormatTime(r.At), "tier1_tokens_in": int64(r.Usage.In), "tier1_tokens_out": int64(r.Usage.Out),
		"tier1_cost": r.Usage.Cost,
	}
}

func recordOf(f entries.Fields) Record {
	p := props(f)
	r := Record{
		Status: Status(p.text("tier1_status")), Batch: p.text("tier1_batch_id"), Digest: p.text("tier1_digest"),
		Model: p.text("tier1_model"),
		Error: p.text("tier1_error"), At: p.time("tier1_at"),
		Usage: llm.Usage{In: p.number("tier1_tokens_in"), Out: p.number("tier1_tokens_out"), Cost: p.float("tier1_cost")},
		Fields: Fields{
			Gist: p.text("gist"), TopicPrimary: p.text("topic_primary"),
			TopicPrimaryConfidence: p.float("topic_primary_confidence"),
			TopicSecondary:         p.text("topic_secondary"), TopicSecondaryConfidence: p.float("topic_secondary_confidence"),
		},
	}
	_ = json.Unmarshal([]byte(p.text("keywords")), &r.Fields.Keywords) // damaged: none
	return r
}
