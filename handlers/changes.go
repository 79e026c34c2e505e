package handlers

import (
	"context"
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
)

// changeHandlers answer requests about changes: lists and feeds of changes, how far each caller has read them, and
// who is notified of them.
type changeHandlers struct {
	Feed   *feed.Feed
	Notify *notify.Notifier
	Items  *registry.Items
	Log    *slog.Logger
}

// Routes returns the routes of the area.
func (h *changeHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListChanges, h.changes),
		{Endpoint: api.ChangesAtom.Endpoint, Answer: h.changesAtom},
		{Endpoint: api.ChangesJSON.Endpoint, Answer: h.changesJSONFeed},
		wire.OnAny(api.ExportChanges, h.exportChanges),
		wire.On(api.GetReader, h.reader),
		wire.On(api.SaveReader, h.saveReader),
		wire.On(api.MarkRead, h.markRead),
		wire.On(api.ExplainChange, h.Notify.Follower.Why),
		wire.On(api.ListRules, h.Notify.Rules),
		wire.On(api.AddRule, h.addRule),
		wire.Named(api.GetRule, h.Notify.Rule),
		wire.On(api.SaveRule, h.saveRule),
		wire.On(api.PatchRule, h.patchRule),
		wire.Named(api.RemoveRule, h.Notify.RemoveRule),
		wire.On(api.PreviewRule, h.previewRule),
		wire.Named(api.TestRule, h.Notify.TestRule),
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
	if page, err = h.filtered(ctx, from, from.Filter()); err == nil && from.Outcome {
		err = h.Notify.Follower.Outcomes(ctx, page.Changes)
	}
	return page, err
}

// filtered lists the changes that pass a filter, a page at a time.
func (h *changeHandlers) filtered(
	ctx context.Context, from api.ChangeQuery, filter api.ChangeFilter,
) (page api.ChangePage, err error) {
	q, err := newChangeQuery(from, filter)
	if err != nil {
		return page, err
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
	const slack = 5 * time.Minute // clocks differ, so changes are only roughly in order of time
	over := func(c feed.Change) bool {
		return !c.Position.After(q.after) || c.At.Before(q.since.Add(-slack)) && !q.since.IsZero()
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
