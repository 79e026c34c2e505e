package handlers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/run/enrich"
)

// enrichOne lets a model describe an entry of the present schema, or a text, at once (D8).
func (h *entryHandlers) enrichOne(ctx context.Context, req api.EnrichRequest) (api.Tier1, error) {
	if req.EntryID == "" {
		if req.Text == "" {
			return api.Tier1{}, fault.Field("entry_id", "entry_id is missing: name an entry, or give text and title")
		}
		record, err := h.Enrich.Text(ctx, req.Title, req.Text)
		return tier1JSON("", record), err
	}
	if req.Text != "" || req.Title != "" {
		return api.Tier1{}, fault.Field("text", "give entry_id, or text and title, not both")
	}
	schema, err := h.schemaNow(ctx)
	if err != nil {
		return api.Tier1{}, err
	}
	record, err := h.Enrich.Entry(ctx, schema, req.EntryID)
	return tier1JSON(req.EntryID, record), err
}

// schemaNow returns the schema that is selected by the test mode.
func (h *entryHandlers) schemaNow(ctx context.Context) (string, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return "", err
	}
	return string(session.Schema), nil
}

func tier1JSON(id string, r enrich.Record) api.Tier1 {
	f := r.Fields
	return api.Tier1{
		EntryID: id, Gist: f.Gist, TopicPrimary: f.TopicPrimary, TopicPrimaryConfidence: f.TopicPrimaryConfidence,
		TopicSecondary: f.TopicSecondary, TopicSecondaryConfidence: f.TopicSecondaryConfidence,
		Keywords: append([]string{}, f.Keywords...),
		Model:    r.Model, TokensIn: r.Usage.In, TokensOut: r.Usage.Out, Cost: r.Usage.Cost, At: r.At,
	}
}

// enrichMany queues a batch of entries of the present schema.
func (h *entryHandlers) enrichMany(ctx context.Context, req api.EnrichBatchRequest) (api.EnrichBatch, error) {
	schema, err := h.schemaNow(ctx)
	if err != nil {
		return api.EnrichBatch{}, err
	}
	b, err := h.Enrich.Schedule(ctx, schema, req.EntryIDs)
	return batchJSON(b, nil), err
}

// enrichBatches lists the batches of a schema.
func (h *entryHandlers) enrichBatches(ctx context.Context, q api.EnrichQuery) (out api.EnrichBatches, err error) {
	if q.Schema == "" {
		if q.Schema, err = h.schemaNow(ctx); err != nil {
			return out, err
		}
	}
	list, err := h.Enrich.List(ctx, q.Schema, q.Top, q.Before)
	out.Batches = wire.Each(list, func(b enrich.Batch) api.EnrichBatch { return batchJSON(b, nil) })
	return out, err
}

// enrichBatch shows a batch of either schema, with its lines.
func (h *entryHandlers) enrichBatch(ctx context.Context, q api.EnrichBatchID) (api.EnrichBatch, error) {
	b, err := inItsSchema(ctx, q, h.Enrich.Batch)
	if err != nil {
		return api.EnrichBatch{}, err
	}
	lines, err := h.Enrich.Lines(ctx, b.Schema, b.ID)
	return batchJSON(b, lines), err
}

// cancelEnrichBatch requests that a batch of either schema be cancelled. The timer cancels it later.
func (h *entryHandlers) cancelEnrichBatch(ctx context.Context, q api.EnrichBatchID) (api.EnrichBatch, error) {
	b, err := inItsSchema(ctx, q, h.Enrich.Cancel)
	return batchJSON(b, nil), err
}

// inItsSchema calls do with each schema until it finds the one that has the batch.
func inItsSchema(ctx context.Context, q api.EnrichBatchID,
	do func(_ context.Context, schema, id string) (enrich.Batch, error)) (b enrich.Batch, err error) {
	for _, schema := range enrich.Schemas() {
		if b, err = do(ctx, schema, q.ID); !fault.Is(err, fault.NotFound) {
			break
		}
	}
	return b, err
}

func batchJSON(b enrich.Batch, lines []enrich.Line) api.EnrichBatch {
	out := api.EnrichBatch{
		ID: b.ID, Schema: b.Schema, Status: string(b.State), Attempt: b.Attempt, Next: b.Next, Model: b.Model,
		RemoteID: b.Remote, RemoteStatus: b.Status, Message: b.Message, Entries: b.Lines,
		Enriched: b.Enriched, Skipped: b.Skipped, Failed: b.Failed, Cancelled: b.Cancelled, Again: b.Again,
		Strangers: b.Strangers,
		TokensIn:  b.Usage.In, TokensOut: b.Usage.Out, Cost: b.Usage.Cost,
		NotBefore: b.NotBefore, CreatedAt: b.CreatedAt, SentAt: b.SentAt, EndedAt: b.EndedAt, CancelledAt: b.CancelledAt,
	}
	for _, l := range lines {
		out.Lines = append(out.Lines, api.EnrichLine{
			EntryID: l.Entry, Outcome: string(l.Outcome), Message: l.Message, TokensIn: l.Usage.In, TokensOut: l.Usage.Out,
		})
	}
	return out
}

// enrichTimer advances the batches of both schemas by one step, whatever the test mode is, and removes old batches.
func (h *entryHandlers) enrichTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	flushed := h.flushOutbox(ctx)
	report, err := h.Enrich.Advance(ctx)
	removed, failed := h.Enrich.Purge(ctx)
	if err = errors.Join(err, failed); flushed+report.Active+report.Moved+removed == 0 {
		return "", err
	}
	return fmt.Sprintf("%s indexed; batches: %d going on, %d moved, %d old ones removed", words.Count(flushed, "entry"),
		report.Active, report.Moved, removed), err
}

// drainTime limits the time that the timer waits for the index, so that a slow index does not delay batches.
const drainTime = time.Minute

// flushOutbox writes the entries in the outbox to the index. It returns no error, so that the timer
// does not fail when the index is down.
func (h *entryHandlers) flushOutbox(ctx context.Context) (flushed int) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	flushed, err := h.Entries.FlushOutbox(ctx)
	if err != nil {
		h.Log.WarnContext(ctx, "entries are searched later", "flushed", flushed, "kind", fault.KindOf(err), "err", err)
	}
	return flushed
}
