package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/enrich"
	"github.com/tidemark/tidemark/pkg/fault"
)

// defaultBatches is how many batches are listed when nothing else is asked for.
const defaultBatches = 20

// enrichOne has a model describe an entry of the present schema, or a text, now (D8).
func (s *server) enrichOne(r *http.Request, v *Services) (int, any, error) {
	var req api.EnrichRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	if req.EntryID == "" {
		if req.Text == "" {
			return 0, nil, fault.Field("entry_id", "entry_id is missing: name an entry, or give text and title")
		}
		record, err := v.Enrich.Text(r.Context(), req.Title, req.Text)
		return http.StatusOK, tier1JSON("", record), err
	}
	if req.Text != "" || req.Title != "" {
		return 0, nil, fault.Field("text", "give entry_id, or text and title, not both")
	}
	schema, err := schemaNow(r.Context(), v)
	if err != nil {
		return 0, nil, err
	}
	record, err := v.Enrich.Entry(r.Context(), schema, req.EntryID)
	return http.StatusOK, tier1JSON(req.EntryID, record), err
}

// schemaNow is the schema that the test mode says.
func schemaNow(ctx context.Context, v *Services) (string, error) {
	session, err := v.Entries.Active(ctx)
	if err != nil {
		return "", err
	}
	return string(session.Schema), nil
}

func tier1JSON(id string, r enrich.Record) api.Tier1 {
	f := r.Fields
	return api.Tier1{
		EntryID: id, Gist: f.Gist, TopicPrimary: f.TopicPrimary, TopicPrimaryConfidence: f.TopicPrimaryConfidence,
		TopicSecondary: f.TopicSecondary, TopicSecondaryConfidence: f.TopicSecondaryConfidence, Keywords: append([]string{}, f.Keywords...),
		Model: r.Model, TokensIn: r.Usage.In, TokensOut: r.Usage.Out, Cost: r.Usage.Cost, At: r.At,
	}
}

// enrichMany queues a batch of entries of the present schema.
func (s *server) enrichMany(r *http.Request, v *Services) (int, any, error) {
	var req api.EnrichBatchRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	schema, err := schemaNow(r.Context(), v)
	if err != nil {
		return 0, nil, err
	}
	b, err := v.Enrich.Schedule(r.Context(), schema, req.EntryIDs)
	return http.StatusAccepted, batchJSON(b, nil), err
}

// enrichBatches lists batches of a schema.
func (s *server) enrichBatches(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "schema", "top", "before")
	schema, top, before := q.text("schema"), q.number("top", defaultBatches, 1, enrich.MaxList), q.text("before")
	if q.err != nil {
		return 0, nil, q.err
	}
	if schema == "" {
		var err error
		if schema, err = schemaNow(r.Context(), v); err != nil {
			return 0, nil, err
		}
	}
	list, err := v.Enrich.List(r.Context(), schema, top, before)
	out := api.EnrichBatches{Batches: []api.EnrichBatch{}}
	for _, b := range list {
		out.Batches = append(out.Batches, batchJSON(b, nil))
	}
	return http.StatusOK, out, err
}

// enrichBatch shows a batch with its lines, in whatever schema it is.
func (s *server) enrichBatch(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	b, err := inItsSchema(r, v.Enrich.Batch)
	if err != nil {
		return 0, nil, err
	}
	lines, err := v.Enrich.Lines(r.Context(), b.Schema, b.ID)
	return http.StatusOK, batchJSON(b, lines), err
}

// cancelEnrichBatch asks for the end of a batch, in whatever schema it is; the timer brings it about.
func (s *server) cancelEnrichBatch(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	b, err := inItsSchema(r, v.Enrich.Cancel)
	return http.StatusAccepted, batchJSON(b, nil), err
}

// inItsSchema does something with the batch of the path, in the first schema that has it.
func inItsSchema(r *http.Request, do func(_ context.Context, schema, id string) (enrich.Batch, error)) (b enrich.Batch, err error) {
	for _, schema := range enrich.Schemas() {
		if b, err = do(r.Context(), schema, r.PathValue("id")); !fault.Is(err, fault.NotFound) {
			break
		}
	}
	return b, err
}

func batchJSON(b enrich.Batch, lines []enrich.Line) api.EnrichBatch {
	out := api.EnrichBatch{
		ID: b.ID, Schema: b.Schema, Status: string(b.State), Attempt: b.Attempt, Next: b.Next, Model: b.Model,
		RemoteID: b.Remote, RemoteStatus: b.Status, Message: b.Message, Entries: b.Lines,
		Enriched: b.Enriched, Skipped: b.Skipped, Failed: b.Failed, Cancelled: b.Cancelled, Again: b.Again, Strangers: b.Strangers,
		TokensIn: b.Usage.In, TokensOut: b.Usage.Out, Cost: b.Usage.Cost,
		NotBefore: b.NotBefore, CreatedAt: b.CreatedAt, SentAt: b.SentAt, EndedAt: b.EndedAt, CancelledAt: b.CancelledAt,
	}
	for _, l := range lines {
		out.Lines = append(out.Lines, api.EnrichLine{
			EntryID: l.Entry, Outcome: string(l.Outcome), Message: l.Message, TokensIn: l.Usage.In, TokensOut: l.Usage.Out,
		})
	}
	return out
}

// enrichTimer has the batches of both schemas come a step further, whatever the test mode is, and removes
// old ones.
func (s *server) enrichTimer(ctx context.Context, v *Services, _ envelope) (string, error) {
	settled := s.drain(ctx, v)
	report, err := v.Enrich.Advance(ctx)
	removed, failed := v.Enrich.Purge(ctx)
	return fmt.Sprintf("%d entries went into the index, %d batches go on, %d have moved, %d old ones are removed", settled, report.Active, report.Moved, removed),
		errors.Join(err, failed)
}

// drainTime is what the timer gives to the index, so that batches come on whatever it does.
const drainTime = time.Minute

// drain has the index hold entries that it is owed. That it is down is no reason to call the timer failed.
func (s *server) drain(ctx context.Context, v *Services) (settled int) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	settled, err := v.Entries.Drain(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "entries are searched later", "settled", settled, "kind", fault.KindOf(err), "err", err)
	}
	return settled
}
