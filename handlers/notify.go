package handlers

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
)

func (h *changeHandlers) addRule(ctx context.Context, q api.RuleSpec) (api.Rule, error) {
	return h.Notify.SaveRule(ctx, "", q)
}

func (h *changeHandlers) saveRule(ctx context.Context, q api.RuleUpdate) (api.Rule, error) {
	return h.Notify.SaveRule(ctx, q.ID, q.RuleSpec)
}

func (h *changeHandlers) patchRule(ctx context.Context, q api.RulePatch) (api.Rule, error) {
	return h.Notify.PatchRule(ctx, q.ID, q.Patch)
}

// listChannels lists the channels. Addresses of webhooks often hold a secret, so a key that may
// only read gets their hosts. It gets no fields of services, which have addresses of people.
func (h *changeHandlers) listChannels(ctx context.Context, _ api.None) (api.Channels, error) {
	out, err := h.Notify.Channels(ctx)
	if !wire.CallerOf(ctx).Scope.Covers(api.ScopeWrite) {
		for i := range out.Channels {
			out.Channels[i].URL = hostOnly(out.Channels[i].URL)
			out.Channels[i].Fields = nil
		}
	}
	return out, err
}

// hostOnly shortens an address to its scheme and host.
func hostOnly(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// addChannel adds a channel. The answer may contain a secret, which no later answer shows.
func (h *changeHandlers) addChannel(ctx context.Context, q api.ChannelSpec) (any, error) {
	c, err := h.Notify.SaveChannel(ctx, q, true)
	return wire.Unkept{Body: c}, err
}

func (h *changeHandlers) saveChannel(ctx context.Context, q api.ChannelUpdate) (any, error) {
	c, err := h.Notify.SaveChannel(ctx, api.ChannelSpec(q), false)
	return wire.Unkept{Body: c}, err
}

func (h *changeHandlers) patchChannel(ctx context.Context, q api.ChannelPatch) (any, error) {
	c, err := h.Notify.PatchChannel(ctx, q.Name, q.Patch)
	return wire.Unkept{Body: c}, err
}

func (h *changeHandlers) testChannel(ctx context.Context, q api.ChannelTest) (api.ReceiverAnswer, error) {
	return h.Notify.TestChannel(ctx, api.ChannelSpec{Name: q.Name, ChannelSettings: api.ChannelSettings{Kind: q.Kind,
		URL: q.URL, Secret: q.Secret, URLFrom: q.URLFrom, Fields: q.Fields}})
}

func (h *changeHandlers) checkChannel(ctx context.Context, q api.ChannelUpdate) (api.ChannelCheck, error) {
	return h.Notify.CheckChannel(ctx, api.ChannelSpec(q))
}

// Follow applies the rules to new changes and sends lost messages again. It returns the number of
// messages that it sent again. CrawlTimer calls it, because a separate timer would double the cost
// of an idle app.
func (h *changeHandlers) Follow(ctx context.Context) (int, error) {
	report, err := h.Notify.Follower.Follow(ctx)
	if report.Deliveries+report.Resent > 0 {
		h.Log.InfoContext(ctx, "changes followed", "looked", report.Examined, "deliveries", report.Deliveries,
			"resent", report.Resent)
	}
	return report.Resent, err
}

// deliveryWorker sends a message to a channel.
func (h *changeHandlers) deliveryWorker(ctx context.Context, e wire.Envelope) (string, error) {
	id, err := deliveryOf(e)
	if err != nil {
		return "", err
	}
	report, err := h.Notify.Worker.Deliver(ctx, id)
	if err != nil {
		err = wire.Kept(err)
	}
	return report, err
}

// deliveryPoison records that a delivery failed on every try.
func (h *changeHandlers) deliveryPoison(ctx context.Context, e wire.Envelope) (string, error) {
	id, err := deliveryOf(e)
	if err != nil {
		return "", err
	}
	why := "it could not be worked on, however often it was tried; see the app's log"
	h.Log.ErrorContext(ctx, "delivery poisoned", "delivery", id)
	return why, h.Notify.Worker.GiveUp(ctx, id, why)
}

func deliveryOf(e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	return notify.ParseJob(body)
}

// changeHandlers answer requests about changes: lists and feeds of changes, how far each caller has read them, and
// who is notified of them.
type changeHandlers struct {
	Feed   *feed.Feed
	Notify *notify.Notifier
	Items  *registry.Items
	Log    *slog.Logger
}

// publicAddress returns the address to which messages lead. For an administrator it lists addresses
// of the machine, to choose from.
func (h *changeHandlers) publicAddress(ctx context.Context, _ api.None) (api.PublicAddress, error) {
	out, err := h.Notify.PublicAddress(ctx)
	if wire.MayCall(ctx, api.SavePublicAddress.Endpoint) != nil {
		out.Machine = nil
	}
	return out, err
}

func (h *changeHandlers) savePublicAddress(ctx context.Context, q api.PublicAddressRequest) (api.PublicAddress, error) {
	return h.Notify.SavePublicAddress(ctx, q.URL, wire.CallerOf(ctx).Name)
}

func (h *changeHandlers) listMutes(ctx context.Context, q api.MuteQuery) (api.Mutes, error) {
	return h.Notify.Muted(ctx, q.ItemID)
}

// addMute mutes a page that is registered.
func (h *changeHandlers) addMute(ctx context.Context, q api.MuteRequest) (api.Mute, error) {
	it, err := h.Items.Find(ctx, source.ID(q.ItemID))
	if err != nil {
		return api.Mute{}, wire.Field("itemId", err)
	}
	q.ItemID = string(it.ID)
	return h.Notify.Mute(ctx, q, notify.Page{URL: it.NormalizedSource, Title: it.Title})
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
		wire.Named(api.ExplainChange, h.Notify.Follower.Why),
		wire.On(api.ListRules, h.Notify.Rules),
		wire.On(api.AddRule, h.addRule),
		wire.Named(api.GetRule, h.Notify.Rule),
		wire.On(api.SaveRule, h.saveRule),
		wire.On(api.PatchRule, h.patchRule),
		wire.Named(api.RemoveRule, h.Notify.RemoveRule),
		wire.On(api.PreviewRule, h.Notify.PreviewRule),
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

// reader returns how far the caller has read the changes.
func (h *changeHandlers) reader(ctx context.Context, _ api.None) (out api.Reader, err error) {
	r, err := feed.ReadersOf(h.Feed).Load(ctx, wire.CallerOf(ctx).Reader())
	if err != nil {
		return out, err
	}
	return h.readerJSON(ctx, r)
}

func (h *changeHandlers) readerJSON(ctx context.Context, r feed.Reader) (out api.Reader, err error) {
	out.Name = wire.CallerOf(ctx).Name
	if out.Beyond = len(r.Beyond); r.UpTo != (feed.Position{}) {
		out.UpTo = r.UpTo.String()
	}
	out.Filters = wire.Each(r.Filters, func(f feed.SavedFilter) api.SavedFilter { return api.SavedFilter(f) })
	for c, err := range feed.ReadersOf(h.Feed).Since(ctx, r, feed.Position{}) {
		if err != nil {
			return out, err
		}
		if !r.Has(c.Position) && c.Small == nil {
			out.Unread++
		}
		if out.Unread == api.MaxUnread {
			break
		}
	}
	return out, nil
}

// saveReader stores the caller's filters.
func (h *changeHandlers) saveReader(ctx context.Context, q api.ReaderRequest) (out api.Reader, err error) {
	if len(q.Filters) > api.MaxFilters {
		return out, fault.Field("filters", "filters: keep at most %d, not %d", api.MaxFilters, len(q.Filters))
	}
	kept := make([]feed.SavedFilter, len(q.Filters))
	for i, f := range q.Filters {
		f.Name = strings.TrimSpace(f.Name)
		if n := utf8.RuneCountInString(f.Name); n == 0 || n > api.MaxFilterName {
			return out, fault.Field("name", "name: give the filter a name of 1 to %d characters", api.MaxFilterName)
		}
		if f.List != "changes" && f.List != "items" {
			return out, fault.Field("list", "list must be changes or items, not %.40q", f.List)
		}
		if _, err := url.ParseQuery(f.Query); err != nil || len(f.Query) > api.MaxFilterQuery {
			return out, fault.Field("query", "query must be the parameters of a list, as in an address: at most %d characters",
				api.MaxFilterQuery)
		}
		if slices.ContainsFunc(kept[:i], func(k feed.SavedFilter) bool { return k.Name == f.Name && k.List == f.List }) {
			return out, fault.Field("name", "name: there are two filters %q", f.Name)
		}
		kept[i] = feed.SavedFilter(f)
	}
	r, err := feed.ReadersOf(h.Feed).Keep(ctx, wire.CallerOf(ctx).Reader(), kept)
	if err != nil {
		return out, err
	}
	return h.readerJSON(ctx, r)
}

// markRead marks changes as read by the caller.
func (h *changeHandlers) markRead(ctx context.Context, q api.ReadRequest) (out api.Reader, err error) {
	if (q.UpTo == "") == (len(q.IDs) == 0) {
		return out, fault.Field("upTo", "give either upTo, the cursor of a list of changes, or ids, those of changes")
	}
	if len(q.IDs) > api.MaxReadIDs {
		return out, fault.Field("ids", "give at most %d ids, not %d", api.MaxReadIDs, len(q.IDs))
	}
	var upTo feed.Position
	if q.UpTo != "" {
		if upTo, err = feed.ParsePosition(q.UpTo); err != nil {
			return out, fault.Field("upTo", "upTo: %w", err)
		}
	}
	ids := make([]feed.Position, len(q.IDs))
	for i, id := range q.IDs {
		if ids[i], err = feed.ParsePosition(id); err != nil {
			return out, fault.Field("ids", "ids: %w", err)
		}
	}
	r, err := feed.ReadersOf(h.Feed).MarkRead(ctx, wire.CallerOf(ctx).Reader(), upTo, ids...)
	if err != nil {
		return out, err
	}
	return h.readerJSON(ctx, r)
}
