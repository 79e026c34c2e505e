package handlers

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
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
	return fmt.Sprintf("%s indexed; batches: %d going on, %d moved, %d old ones removed", words.Count(flushed, "entry"),
			report.Active, report.Moved, removed),
		errors.Join(err, failed)
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

// entryHandlers answer requests about content that other programs push in: entries, their policies, and their
// descriptions by a language model.
type entryHandlers struct {
	Entries *entries.Store
	Enrich  *enrich.Service
	Lookup  *registry.Lookup // finds the pages that links lead to
	Rules   source.Rules
	Log     *slog.Logger
}

// Routes returns the routes of the area.
func (h *entryHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.OnAny(api.NormalizeTelegram, h.normalizeTelegram),
		wire.OnAny(api.NormalizeEmail, h.normalizeEmail),
		wire.OnAny(api.NormalizeWebpage, h.normalizeWebpage),
		{Endpoint: api.InsertEntry.Endpoint, Answer: h.insertEntry},
		{Endpoint: api.UpdateEntry.Endpoint, Answer: h.updateEntry},
		wire.OnAny(api.ListEntries, h.listEntries),
		wire.OnAny(api.GetEntry, h.showEntry),
		wire.On(api.ListPolicies, h.policies),
		wire.On(api.SavePolicy, h.savePolicy),
		wire.On(api.GetTestMode, h.testMode),
		{Endpoint: api.SetTestMode.Endpoint, Answer: h.setTestMode},
		wire.On(api.ToggleTestMode, h.toggleTestMode),
		wire.On(api.Enrich, h.enrichOne),
		wire.On(api.StartEnrichBatch, h.enrichMany),
		wire.On(api.ListEnrichBatches, h.enrichBatches),
		wire.On(api.GetEnrichBatch, h.enrichBatch),
		wire.On(api.CancelEnrichBatch, h.cancelEnrichBatch),
	}
}

// Triggers returns the triggers of the area.
func (h *entryHandlers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"EnrichTimer": h.enrichTimer}
}

// normalizeTelegram computes the identity of a Telegram message.
func (h *entryHandlers) normalizeTelegram(_ context.Context, req api.TelegramRequest) (any, error) {
	return entry.NormalizeTelegram(entry.Telegram{
		Text: req.Text, Caption: req.Caption, ContentType: req.ContentType,
		ChatID: string(req.Source.ChatID), MessageID: string(req.Source.MessageID), URL: req.Source.URL,
		ForwardedFrom: req.Source.ForwardedFrom, Date: req.Source.Date,
	}, h.Rules)
}

// normalizeEmail computes the identity of a mail.
func (h *entryHandlers) normalizeEmail(_ context.Context, req api.EmailRequest) (any, error) {
	if req.RawBase64 != "" {
		raw, err := base64.StdEncoding.DecodeString(req.RawBase64)
		if err != nil || req.RawText != "" {
			return nil, fault.Field("raw_base64", "raw_base64 must be base64, and given instead of raw_text, not beside it")
		}
		req.RawText = string(raw)
	}
	return entry.NormalizeEmail(entry.Email{
		RawText: req.RawText, From: req.From, Subject: req.Subject, ContentType: req.ContentType,
		MessageID: req.Source.MessageID, Date: req.Source.Date,
	})
}

// normalizeWebpage cleans the text of a page, and measures the cleaned text.
func (h *entryHandlers) normalizeWebpage(_ context.Context, req api.WebpageRequest) (any, error) {
	return entry.NormalizeWebpage(entry.Webpage(req), h.Rules)
}

// policies lists the policies of the active schema.
func (h *entryHandlers) policies(ctx context.Context, _ api.None) (api.Policies, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return api.Policies{}, err
	}
	found, err := session.Policies(ctx)
	return api.Policies{Policies: wire.Each(found, policyJSON)}, err
}

// savePolicy stores a policy in place of the former one.
func (h *entryHandlers) savePolicy(ctx context.Context, p api.Policy) (api.Policy, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return p, err
	}
	saved, err := session.SavePolicy(ctx, entries.Policy{
		Key: p.PolicyKey, Source: p.Source, ContentType: p.ContentType, OnConflict: entries.Action(p.ConflictAction),
		UpdateFields: p.UpdateFields, Enabled: p.Enabled,
	})
	return policyJSON(saved), err
}

func policyJSON(p entries.Policy) api.Policy {
	return api.Policy{
		PolicyID: p.ID, PolicyKey: p.Key, Source: p.Source, ContentType: p.ContentType, ConflictAction: string(p.OnConflict),
		UpdateFields: p.UpdateFields, Enabled: p.Enabled,
	}
}

// listEntries lists the entries of the present schema, a page at a time, without their texts.
func (h *entryHandlers) listEntries(ctx context.Context, q api.EntryQuery) (any, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return nil, err
	}
	// One entry more than the page shows is read, to find out whether there is another page.
	found, err := session.List(ctx, q.Policy, q.Top+1, q.Continuation)
	if err != nil {
		return nil, err
	}
	page := map[string]any{}
	if len(found) > q.Top {
		found = found[:q.Top]
		page["continuation"] = found[q.Top-1].Text("id")
	}
	page["entries"] = wire.Each(found, rowOf)
	return page, nil
}

// showEntry shows an entry of the present schema. For a link, it also shows the page that the link leads to.
func (h *entryHandlers) showEntry(ctx context.Context, q api.EntryID) (any, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return nil, err
	}
	f, err := session.Get(ctx, q.ID)
	if err != nil {
		return nil, err
	}
	row := rowOf(f)
	if link := entry.LinkOf(f); link != "" {
		page, found, err := h.Lookup.Searched(ctx, link)
		if err != nil {
			return nil, err
		}
		if found {
			row["page"] = linkedPageJSON(page)
		}
	}
	return row, nil
}
