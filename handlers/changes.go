package handlers

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// changeHandlers answer requests about changes: lists and feeds of changes, how far each caller has read them, and
// who is notified of them.
type changeHandlers struct {
	Feed    *feed.Feed
	Notify  *notify.Notifier
	Items   *registry.Items
	History *history.History
	Undo    *undo.Log
	Log     *slog.Logger
}

// Routes returns the routes of the area.
func (h *changeHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListChanges, h.changes),
		wire.On(api.ListFailures, h.failures),
		{Endpoint: api.ChangesAtom.Endpoint, Answer: h.changesAtom},
		{Endpoint: api.ChangesJSON.Endpoint, Answer: h.changesJSONFeed},
		wire.OnAny(api.ExportChanges, h.exportChanges),
		wire.On(api.GetReader, h.reader),
		wire.On(api.SaveReader, h.saveReader),
		wire.On(api.MarkRead, h.markRead),
		wire.On(api.ExplainChange, h.explainChange),
		wire.On(api.ListRules, h.Notify.Rules),
		wire.On(api.AddRule, h.addRule),
		wire.Named(api.GetRule, h.Notify.Rule),
		wire.On(api.SaveRule, h.saveRule),
		wire.On(api.PatchRule, h.patchRule),
		wire.Named(api.RemoveRule, h.Notify.RemoveRule),
		wire.On(api.PreviewRule, h.previewRule),
		wire.Named(api.TestRule, h.testRule),
		wire.On(api.ListChannels, h.listChannels),
		wire.OnAny(api.AddChannel, h.addChannel),
		wire.OnAny(api.SaveChannel, h.saveChannel),
		wire.OnAny(api.PatchChannel, h.patchChannel),
		wire.Named(api.RemoveChannel, h.Notify.RemoveChannel),
		wire.On(api.TestChannel, h.testChannel),
		wire.On(api.CheckChannel, h.checkChannel),
		wire.On(api.ListMutes, h.listMutes),
		wire.On(api.AddMute, h.addMute),
		wire.Named(api.RemoveMute, h.Notify.Unmute),
		wire.On(api.GetPublicAddress, h.publicAddress),
		wire.On(api.SavePublicAddress, h.savePublicAddress),
		wire.On(api.ListDeliveries, h.Notify.Worker.Deliveries),
		wire.Named(api.RetryDelivery, h.Notify.Worker.Retry),
	}
}

// Triggers returns the triggers of the area.
func (h *changeHandlers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"DeliveryWorker": h.deliveryWorker, "DeliveryPoison": h.deliveryPoison}
}

// maxScannedChanges limits the number of changes that are read for one page of a list.
const maxScannedChanges = 5000

// clocksDiffer is by how much changes may be out of the order of their times.
const clocksDiffer = 5 * time.Minute

// changeQuery selects changes, and gives the position where the page begins.
type changeQuery struct {
	api.ChangeQuery

	filter feed.Filter
	since  time.Time // the earliest time of a change; zero for no limit
	after  feed.Position
	reader *feed.Reader // if not nil, only changes that this reader has not read
}

func newChangeQuery(from api.ChangeQuery, filter api.ChangeFilter) (q changeQuery, err error) {
	q = changeQuery{ChangeQuery: from}
	if q.filter, err = feed.NewFilter(filter); err != nil {
		return q, err
	}
	if place, err := feed.ParsePosition(q.Since); err == nil {
		q.after = place
	} else if q.since, err = wire.Since("since", q.Since, time.Now()); err != nil {
		return q, err
	}
	until, err := wire.Since("until", q.Until, time.Now())
	q.filter = q.filter.During(q.since, until)
	return q, err
}

// changes lists the changes, a page at a time.
func (h *changeHandlers) changes(ctx context.Context, from api.ChangeQuery) (page api.ChangePage, err error) {
	if !from.Outcome && from.State == "" {
		return h.filtered(ctx, from, from.Filter())
	}
	if from.State != "" && from.State.Words() == "" {
		return page, fault.Field("state", "state must be an outcome such as told, failed or muted, not %.40q", from.State)
	}
	for looked, kept := 0, []api.FeedChange{}; ; from.Continuation = page.Continuation {
		if page, err = h.filtered(ctx, from, from.Filter()); err != nil {
			return page, err
		}
		looked += len(page.Changes)
		if err = h.Notify.Follower.Outcomes(ctx, page.Changes); err != nil || from.State == "" {
			return page, err
		}
		for _, c := range page.Changes {
			if slices.ContainsFunc(c.Outcome, func(o api.Outcome) bool { return o.State == from.State }) {
				kept = append(kept, c)
			}
		}
		if len(kept) > from.Top {
			kept = kept[:from.Top]
			page.Continuation = kept[from.Top-1].ID
		}
		if len(kept) == from.Top || page.Continuation == "" || looked >= maxExplained {
			page.Changes = kept
			return page, nil
		}
	}
}

// maxExplained is the number of changes whose outcomes are looked at for a page of those with a certain one.
const maxExplained = 300

// below puts the path below which the caller reaches the app before the addresses in changes.
func below(ctx context.Context, all []api.FeedChange) {
	for i := range all {
		if all[i].Diff != "" {
			all[i].Diff = wire.Prefix(ctx) + all[i].Diff
		}
	}
}

// explainChange returns what became of a change.
func (h *changeHandlers) explainChange(ctx context.Context, q api.ChangeID) (api.ChangeWhy, error) {
	out, err := h.Notify.Follower.Why(ctx, q)
	all := []api.FeedChange{out.Change}
	below(ctx, all)
	out.Change = all[0]
	return out, err
}

// filtered lists the changes that pass a filter, a page at a time.
func (h *changeHandlers) filtered(
	ctx context.Context, from api.ChangeQuery, filter api.ChangeFilter,
) (page api.ChangePage, err error) {
	defer func() { below(ctx, page.Changes) }()
	q, err := newChangeQuery(from, filter)
	if err != nil {
		return page, err
	}
	if q.ItemID != "" {
		return h.ofItem(ctx, q)
	}
	at := q.after
	if q.Continuation != "" {
		if at, err = feed.ParsePosition(q.Continuation); err != nil {
			return page, fault.Field("continuation", "continuation: %w", err)
		}
	}
	if q.Unread {
		r, err := feed.ReadersOf(h.Feed).Load(ctx, wire.CallerOf(ctx).Reader())
		if err != nil {
			return page, err
		}
		q.reader = &r
	}
	switch q.Order {
	case "", "newest":
		return newestChanges(ctx, h.Feed, q, at)
	case "oldest":
		return oldestChanges(ctx, h.Feed, q, at)
	}
	return page, fault.Field("order", "order must be newest or oldest, not %.40q", q.Order)
}

// ofItem lists the changes of an item, newest first. The continuation is the time from which on nothing was listed yet.
func (h *changeHandlers) ofItem(ctx context.Context, q changeQuery) (page api.ChangePage, err error) {
	page.Changes = []api.FeedChange{}
	past, err := h.History.Find(ctx, source.ID(q.ItemID))
	if err != nil {
		return page, wire.Field("itemId", err)
	}
	before := time.Time{}
	if q.Continuation != "" {
		if before, err = time.Parse(time.RFC3339Nano, q.Continuation); err != nil {
			return page, fault.Field("continuation", "continuation: %w", err)
		}
	}
	times, err := timesOf(ctx, past, before)
	if err != nil {
		return page, err
	}
	ids := make([]string, len(past.IDs))
	for i, id := range past.IDs {
		ids[i] = string(id)
	}
	listed := map[string]bool{}
	for part := range slices.Chunk(times, 10) {
		if len(page.Changes) > q.Top {
			break
		}
		found, err := h.Feed.OfItem(ctx, ids, part)
		if err != nil {
			return page, err
		}
		for _, c := range found {
			out := c.JSON()
			if q.filter.Wants(c) && !listed[out.ID] && (before.IsZero() || c.At.Before(before)) {
				page.Changes, listed[out.ID] = append(page.Changes, out), true
			}
		}
	}
	if len(page.Changes) > q.Top {
		next := page.Changes[q.Top].At.Add(time.Nanosecond)
		page.Changes, page.Continuation = page.Changes[:q.Top], next.Format(time.RFC3339Nano)
	}
	end, err := h.Feed.End(ctx)
	page.Cursor = end.String()
	return page, err
}

// timesOf returns the times at which an item may have changed, newest first, one for each check; those before one,
// unless it is zero.
func timesOf(ctx context.Context, past history.Past, before time.Time) (out []time.Time, err error) {
	latest, err := past.Latest(ctx, api.MaxPast)
	if err != nil {
		return nil, err
	}
	for _, c := range latest.Changes {
		out = append(out, c.At)
	}
	for _, e := range latest.Edges {
		out = append(out, e.At)
	}
	for _, d := range past.Item.History {
		if !slices.Contains([]string{"unchanged", "scheduled", "forced", "registered"}, d.What) {
			out = append(out, d.At)
		}
	}
	slices.SortFunc(out, func(a, b time.Time) int { return b.Compare(a) })
	out = slices.DeleteFunc(out, func(t time.Time) bool {
		return t.IsZero() || !before.IsZero() && !t.Before(before)
	})
	const oneCheck = 3 * time.Second
	return slices.CompactFunc(out, func(a, b time.Time) bool { return a.Sub(b).Abs() < oneCheck }), nil
}

// newestChanges lists changes from a position on, newest first. The first page begins at the newest
// change, whatever the position.
func newestChanges(
	ctx context.Context, all *feed.Feed, q changeQuery, at feed.Position,
) (page api.ChangePage, err error) {
	end, err := all.End(ctx)
	if err != nil {
		return page, err
	}
	if page.Cursor = end.String(); q.Continuation == "" {
		at = end
	}
	over := func(c feed.Change) bool {
		return !c.Position.After(q.after) || c.At.Before(q.since.Add(-clocksDiffer)) && !q.since.IsZero()
	}
	found := all.Newest(ctx, at)
	if q.reader != nil {
		found = q.reader.Newest(found)
	}
	page.Changes, _, page.Continuation, err = collect(found, q.filter, q.Top, over)
	return page, err
}

// oldestChanges lists the changes after a position, oldest first.
func oldestChanges(
	ctx context.Context, all *feed.Feed, q changeQuery, at feed.Position,
) (page api.ChangePage, err error) {
	if at == (feed.Position{}) && !q.since.IsZero() {
		if at, err = all.From(ctx, q.since); err != nil {
			return page, err
		}
	}
	var last feed.Position
	found := all.Oldest(ctx, at)
	if q.reader != nil {
		if begin := q.reader.Begin(); begin.After(at) {
			at = begin
		}
		found = q.reader.Unread(feed.ReadersOf(all).Since(ctx, *q.reader, at))
	}
	page.Changes, last, page.Continuation, err = collect(found, q.filter, q.Top, nil)
	if last == (feed.Position{}) {
		last = at
	}
	page.Cursor = last.String()
	return page, err
}

// collect reads changes in order and returns those that pass the filter. It stops when it has found
// the number top of changes, when it has read maxScanned changes, or when over returns true for a
// change, which means that no later change is wanted. It also returns the position of the last
// change that it read, and, if more changes may follow, the same position as text.
func collect(from iter.Seq2[feed.Change, error], f feed.Filter, top int,
	over func(feed.Change) bool) (out []api.FeedChange, last feed.Position, next string, err error) {
	out = []api.FeedChange{}
	scanned := 0
	for c, err := range from {
		if err != nil {
			return nil, last, "", err
		}
		if over != nil && over(c) {
			return out, last, "", nil
		}
		if len(out) == top || scanned == maxScannedChanges {
			return out, last, last.String(), nil
		}
		scanned, last = scanned+1, c.Position
		if f.Wants(c) {
			out = append(out, c.JSON())
		}
	}
	return out, last, "", nil
}

// exportChanges answers with the changes that pass a filter.
func (h *changeHandlers) exportChanges(ctx context.Context, q api.ChangeExport) (any, error) {
	return newExport(h.Log, "changes", q.Format, changeColumns, func(after string) ([]api.FeedChange, string, error) {
		page, err := h.changes(ctx, api.ChangeQuery{Since: q.Since, Until: q.Until, Order: q.Order, Host: q.Host,
			Tag: q.Tag, Type: q.Type, Kind: q.Kind, Zone: q.Zone, Small: q.Small, MinShare: q.MinShare, Q: q.Q,
			Unread: q.Unread, Silenced: q.Silenced, Top: exportPage, Continuation: after})
		return page.Changes, page.Continuation, err
	})
}

// smallCell returns why a change is small; "" if it is not.
func smallCell(s *api.Small) string {
	if s == nil {
		return ""
	}
	return s.Why
}

var changeColumns = []exportColumn[api.FeedChange]{
	{Name: "at", Text: func(c *api.FeedChange) string { return timeCell(c.At) }},
	{Name: "kind", Text: func(c *api.FeedChange) string { return string(c.Kind) }},
	{Name: "type", Text: func(c *api.FeedChange) string { return c.Type }},
	{Name: "title", Text: func(c *api.FeedChange) string { return c.Title }},
	{Name: "url", Text: func(c *api.FeedChange) string { return c.URL }},
	{Name: "host", Text: func(c *api.FeedChange) string { return c.Host }},
	{Name: "tags", Text: func(c *api.FeedChange) string { return strings.Join(c.Tags, ", ") }},
	{Name: "share", Text: func(c *api.FeedChange) string { return fractionCell(c.Share) }},
	{Name: "wordsAdded", Text: func(c *api.FeedChange) string { return numberCell(c.WordsAdded) }},
	{Name: "wordsRemoved", Text: func(c *api.FeedChange) string { return numberCell(c.WordsRemoved) }},
	{Name: "added", Text: func(c *api.FeedChange) string { return passages(c, "added") }},
	{Name: "removed", Text: func(c *api.FeedChange) string { return passages(c, "removed") }},
	{Name: "why", Text: func(c *api.FeedChange) string { return c.Why }},
	{Name: "silenced", Text: func(c *api.FeedChange) string { return yesCell(c.Silenced) }},
	{Name: "small", Text: func(c *api.FeedChange) string { return smallCell(c.Small) }},
	{Name: "id", Text: func(c *api.FeedChange) string { return c.ID }},
	{Name: "itemId", Text: func(c *api.FeedChange) string { return c.ItemID }},
	{Name: "entryId", Text: func(c *api.FeedChange) string { return c.EntryID }},
	{Name: "from", Text: func(c *api.FeedChange) string { return c.From }},
	{Name: "to", Text: func(c *api.FeedChange) string { return c.To }},
}

// passages returns the passages with the given operation, "added" or "removed", one on each line.
func passages(c *api.FeedChange, op string) string {
	var lines []string
	for _, p := range c.Passages {
		if p.Op == op {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}
