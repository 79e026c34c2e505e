package handlers

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/enrich"
)

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

// entryRow is an entry as JSON: its columns, and the outcome of the request for it.
type entryRow map[string]any

// insertEntry stores one entry or many. It never stores an entry twice. A batch that continues
// after errors stores several entries at the same time, but keeps their order where it matters.
func (h *entryHandlers) insertEntry(r *http.Request) (int, any, error) {
	return h.writeEntries(r, (*entries.Session).Insert, insertEach)
}

// updateEntry changes one entry or many.
func (h *entryHandlers) updateEntry(r *http.Request) (int, any, error) {
	return h.writeEntries(r, (*entries.Session).Update, updateEach)
}

// written is the outcome for one item of a batch.
type written struct {
	entries.Result
	err error
}

type (
	// write inserts or updates one entry.
	write func(s *entries.Session, ctx context.Context, f entry.Fields) (entries.Result, error)
	// writeEach writes every item of a batch, even if some fail.
	writeEach func(ctx context.Context, s *entries.Session, items []map[string]json.RawMessage) []written
)

func (h *entryHandlers) writeEntries(r *http.Request, one write, each writeEach) (int, any, error) {
	var req map[string]json.RawMessage
	if err := wire.DecodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	session, err := h.Entries.Active(r.Context())
	if err != nil {
		return 0, nil, err
	}
	var done []entries.Result
	defer func() { h.flushDone(r.Context(), done) }()
	if _, many := req["items"]; !many {
		w := writeEntry(r.Context(), session, one, req)
		done = append(done, w.Result)
		return http.StatusOK, resultRow(w.Result), w.err
	}
	items, goOn, err := batchOf(req)
	if err != nil {
		return 0, nil, err
	}
	rows := make([]entryRow, len(items))
	if goOn {
		for i, w := range each(r.Context(), session, items) {
			done = append(done, w.Result)
			rows[i] = h.itemOf(r.Context(), i, w)
		}
		return http.StatusOK, map[string]any{"results": rows}, nil
	}
	// Items are written one after the other. When one fails, the items before it are stored and the
	// items after it are not.
	for i, item := range items {
		w := writeEntry(r.Context(), session, one, item)
		done = append(done, w.Result)
		if w.err != nil {
			return 0, nil, inBatch(i, w.err)
		}
		rows[i] = h.itemOf(r.Context(), i, w)
	}
	return http.StatusOK, map[string]any{"results": rows}, nil
}

// itemOf returns the part of a batch's answer that describes the outcome for one item.
func (h *entryHandlers) itemOf(ctx context.Context, i int, w written) entryRow {
	if fault.Is(w.err, fault.Internal) {
		h.Log.ErrorContext(ctx, "entry of a batch failed", "index", i, "err", w.err)
	}
	row := resultRow(w.Result)
	if w.err != nil {
		row = entryRow{"error": wire.PublicText(w.err)}
	}
	row["_batch_ok"], row["_batch_index"] = w.err == nil, i
	return row
}

// insertEach inserts items, several at the same time.
func insertEach(ctx context.Context, session *entries.Session, items []map[string]json.RawMessage) []written {
	out := make([]written, len(items))
	var sound []int // indexes of the items that could be decoded
	var each []entries.Item
	for i, raw := range items {
		f, err := entry.Decode(raw)
		if out[i].err = err; err == nil {
			sound, each = append(sound, i), append(each, entries.Item{Fields: f})
		}
	}
	_ = session.InsertEach(ctx, each, func(n int, res entries.Result, err error) error {
		out[sound[n]] = written{res, err}
		return nil // nil, so that the other items are still inserted
	})
	return out
}

// updateEach updates items one after the other, because a later item may need a key that an earlier one gives up.
func updateEach(ctx context.Context, session *entries.Session, items []map[string]json.RawMessage) []written {
	out := make([]written, len(items))
	for i, raw := range items {
		out[i] = writeEntry(ctx, session, (*entries.Session).Update, raw)
	}
	return out
}

// batchItem is an item of a batch, or nil if the item is not a JSON object. Such an item fails, but
// the others do not.
type batchItem map[string]json.RawMessage

// UnmarshalJSON accepts any JSON value.
func (b *batchItem) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return nil
	}
	return json.Unmarshal(raw, (*map[string]json.RawMessage)(b))
}

// batchOf reads the items of a batch.
func batchOf(req map[string]json.RawMessage) (items []map[string]json.RawMessage, goOn bool, err error) {
	for name, value := range req {
		switch name {
		case "items":
			var list []batchItem
			if json.Unmarshal(value, &list) != nil {
				return nil, false, fault.Field("items", "items must be a list of JSON objects")
			}
			for _, item := range list {
				items = append(items, item)
			}
		case "continue_on_error":
			if json.Unmarshal(value, &goOn) != nil {
				return nil, false, fault.Field("continue_on_error", "continue_on_error must be true or false")
			}
		default:
			return nil, false, fault.Field(name, "%.100s has no place beside items; continue_on_error has", name)
		}
	}
	if len(items) == 0 || len(items) > api.MaxBatch {
		return nil, false, fault.Field("items", "%d items: a batch has 1 to %d", len(items), api.MaxBatch)
	}
	return items, goOn, nil
}

// inBatch adds to an error the number of the item at which the batch ended.
func inBatch(i int, err error) error {
	return fmt.Errorf("items[%d], after %d that are done: %w", i, i, err)
}

func writeEntry(ctx context.Context, session *entries.Session, do write, raw map[string]json.RawMessage) written {
	f, err := entry.Decode(raw)
	if err != nil {
		return written{err: err}
	}
	res, err := do(session, ctx, f)
	return written{res, err}
}

func resultRow(res entries.Result) entryRow {
	row := rowOf(res.Entry)
	row["action"] = res.Action
	if c := res.Conflict; c != nil {
		row["idempotency_conflict"] = api.EntryConflict{PrimaryEntryID: c.PrimaryID, SecondaryEntryID: c.SecondaryID}
	}
	return row
}

// flushTime limits the time that an answer waits for the index to store what the request wrote.
const flushTime = 20 * time.Second

// flushDone writes the entries of a request to the index, so that searches find them at once. If
// this fails, the request still succeeds, and the timer writes the entries later.
func (h *entryHandlers) flushDone(ctx context.Context, done []entries.Result) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := h.Entries.Flush(ctx, done...); err != nil {
		h.Log.WarnContext(ctx, "entries are searched later", "entries", len(done), "kind", fault.KindOf(err), "err", err)
	}
}

// rowOf returns an entry as JSON. Keywords, which are stored as text, become a list.
func rowOf(f entry.Fields) entryRow {
	row := entryRow{}
	maps.Copy(row, f)
	if list := f.Text("keywords"); json.Valid([]byte(list)) {
		row["keywords"] = json.RawMessage(list)
	}
	return row
}

// testMode returns the schema that new entries are stored in.
func (h *entryHandlers) testMode(ctx context.Context, _ api.None) (api.TestMode, error) {
	on, err := h.Entries.TestMode(ctx)
	return api.TestMode{IsTestMode: on}, err
}

// setTestMode selects the schema that new entries are stored in.
func (h *entryHandlers) setTestMode(r *http.Request) (int, any, error) {
	var req struct {
		IsTestMode *bool `json:"is_test_mode"`
	}
	if err := wire.DecodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	if req.IsTestMode == nil {
		return 0, nil, fault.Field("is_test_mode", "is_test_mode is missing: true or false")
	}
	return http.StatusOK, api.TestMode{IsTestMode: *req.IsTestMode}, h.Entries.SetTestMode(r.Context(), *req.IsTestMode)
}

// toggleTestMode switches to the other schema.
func (h *entryHandlers) toggleTestMode(ctx context.Context, _ api.None) (api.TestMode, error) {
	on, err := h.Entries.ToggleTestMode(ctx)
	return api.TestMode{IsTestMode: on}, err
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
