package handlers

import (
	"context"
	"log/slog"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/run/bulk"
)

// This file answers requests about items. It registers, lists, shows, rechecks and removes sources, and changes
// how an item, or all items of a tag, are checked.

// itemHandlers answer requests about registered items.
type itemHandlers struct {
	itemView
	Items   *registry.Items
	Lookup  *registry.Lookup
	History *history.History
	Fields  *registry.FieldLog // the history of the fields
	Log     *slog.Logger
}

// Routes returns the routes about registered items.
func (h *itemHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListItems, h.items),
		wire.OnAny(api.ExportItems, h.exportItems),
		{Endpoint: api.GetItem.Endpoint, Answer: h.item},
		wire.OnAny(api.GetField, h.field),
		wire.On(api.ReindexItem, h.reindex),
		wire.Named(api.RemoveItem, changeItem(h.Items.Remove)),
		wire.Named(api.AcceptItem, changeItem(h.Items.Accept)),
		wire.Named(api.AcceptWatch, changeItem(h.Items.AcceptWatch)),
	}
}

// registration answers requests to register sources.
type registration struct {
	itemView
	Items   *registry.Items
	Sources itemSources
	Log     *slog.Logger
}

// Routes returns the routes that register sources.
func (h *registration) Routes() []wire.Route {
	return []wire.Route{
		wire.OnAny(api.AddURL, h.addURL),
		wire.OnAny(api.AddFile, h.addFile),
	}
}

// itemSettings answer requests about the settings of items and tags.
type itemSettings struct {
	itemView
	Items *registry.Items
	Bulk  *bulk.Service // reschedules the next checks of a tag's items
}

// Routes returns the routes about settings of items and tags.
func (h *itemSettings) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.PatchItem, h.patchItem),
		wire.On(api.ListTags, h.listTags),
		wire.On(api.SaveTag, h.saveTag),
		wire.On(api.GetTag, h.getTag),
		wire.On(api.PatchTag, h.patchTag),
		wire.On(api.RemoveTag, h.removeTag),
	}
}

// items lists the registered items, a page at a time.
func (h *itemHandlers) items(ctx context.Context, q api.ItemQuery) (api.ItemPage, error) {
	f, err := h.Lookup.Filter(registry.Filter{Host: q.Host, Status: registry.Status(q.Status), Tag: q.Tag,
		Paused: q.Paused}, "")
	if err != nil {
		return api.ItemPage{}, err
	}
	page, err := h.Lookup.Page(ctx, registry.LookupQuery{Filter: f, Sort: q.Sort, After: q.Continuation, Top: q.Top})
	return api.ItemPage{Items: itemsJSON(page.Items), Continuation: page.Next}, err
}

func itemsJSON(found []registry.Item) []api.Item {
	out := make([]api.Item, len(found))
	for i := range found {
		out[i] = itemJSON(&found[i])
	}
	return out
}

// exportItems answers with the items that pass a filter.
func (h *itemHandlers) exportItems(ctx context.Context, q api.ItemExport) (any, error) {
	return wire.NewExport(h.Log, "items", q.Format, itemColumns, func(after string) ([]api.Item, string, error) {
		page, err := h.items(ctx, api.ItemQuery{Host: q.Host, Status: q.Status, Tag: q.Tag, Paused: q.Paused,
			Top: wire.ExportPage, Continuation: after})
		return page.Items, page.Continuation, err
	})
}

var itemColumns = []wire.ExportColumn[api.Item]{
	{Name: "url", Text: func(it *api.Item) string { return it.NormalizedSource }},
	{Name: "id", Text: func(it *api.Item) string { return it.ID }},
	{Name: "type", Text: func(it *api.Item) string { return it.Type }},
	{Name: "host", Text: func(it *api.Item) string { return it.SourceHost }},
	{Name: "status", Text: func(it *api.Item) string { return string(it.Status) }},
	{Name: "tags", Text: func(it *api.Item) string { return strings.Join(it.Tags, ", ") }},
	{Name: "paused", Text: func(it *api.Item) string { return wire.YesCell(it.Paused) }},
	{Name: "firstSeen", Text: func(it *api.Item) string { return wire.TimeCell(it.FirstSeen) }},
	{Name: "lastChecked", Text: func(it *api.Item) string { return wire.TimeCell(it.LastChecked) }},
	{Name: "lastChanged", Text: func(it *api.Item) string { return wire.TimeCell(it.LastChanged) }},
	{Name: "nextCrawlAt", Text: func(it *api.Item) string { return wire.TimeCell(it.NextCrawlAt) }},
	{Name: "httpStatusCode", Text: func(it *api.Item) string { return wire.NumberCell(it.HTTPStatusCode) }},
	{Name: "crawlAttempts", Text: func(it *api.Item) string { return wire.NumberCell(it.CrawlAttempts) }},
	{Name: "errorMessage", Text: func(it *api.Item) string { return it.ErrorMessage }},
	{Name: "mimeType", Text: func(it *api.Item) string { return it.MimeType }},
	{Name: "language", Text: func(it *api.Item) string { return it.Language }},
	{Name: "publishedAt", Text: func(it *api.Item) string { return wire.TimeCell(it.PublishedAt) }},
	{Name: "author", Text: func(it *api.Item) string { return it.Author }},
	{Name: "siteName", Text: func(it *api.Item) string { return it.SiteName }},
	{Name: "contentHash", Text: func(it *api.Item) string { return it.ContentHash }},
}
