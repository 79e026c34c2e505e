package handlers

import (
	"context"
	"log/slog"
	"reflect"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// itemHandlers answer requests about items. It registers, lists, shows, rechecks and removes sources, and changes how
// an item, or all items of a tag, are checked.
type itemHandlers struct {
	itemView
	Items   *registry.Items
	Lookup  *registry.Lookup
	History *history.History
	Fields  *registry.FieldLog // the history of the fields
	Tags    *registry.Tags
	Rules   *notify.Follower
	Undo    *undo.Log
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
		wire.On(api.GetMemory, h.memory),
		wire.On(api.DecideMemory, h.decide),
		wire.On(api.ExplainItem, h.why),
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
	if ids := words.Parts(q.IDs, ","); len(ids) > maxIDs {
		return api.ItemPage{}, fault.Field("ids", "ids has %d ids, and at most %d are read at once", len(ids), maxIDs)
	} else if len(ids) > 0 {
		found, err := h.Lookup.These(ctx, ids)
		return api.ItemPage{Items: itemsJSON(found)}, err
	}
	f, err := h.Lookup.Filter(registry.Filter{Host: q.Host, Status: registry.Status(q.Status), Tag: q.Tag,
		Paused: q.Paused, Positional: q.Positional, Find: q.Find}, "")
	if err != nil {
		return api.ItemPage{}, err
	}
	page, err := h.Lookup.Page(ctx, registry.LookupQuery{Filter: f, Sort: q.Sort, After: q.Continuation, Top: q.Top,
		Removing: q.Removing})
	return api.ItemPage{Items: itemsJSON(page.Items), Continuation: page.Next}, err
}

// maxIDs bounds the ids of a list.
const maxIDs = 100

func itemsJSON(found []registry.Item) []api.Item {
	out := make([]api.Item, len(found))
	for i := range found {
		out[i] = itemJSON(&found[i])
	}
	return out
}

// exportItems answers with the items that pass a filter.
func (h *itemHandlers) exportItems(ctx context.Context, q api.ItemExport) (any, error) {
	return newExport(h.Log, "items", q.Format, itemColumns, func(after string) ([]api.Item, string, error) {
		page, err := h.items(ctx, api.ItemQuery{Host: q.Host, Status: q.Status, Tag: q.Tag, Paused: q.Paused,
			Top: exportPage, Continuation: after})
		return page.Items, page.Continuation, err
	})
}

var itemColumns = []exportColumn[api.Item]{
	{Name: "url", Text: func(it *api.Item) string { return it.NormalizedSource }},
	{Name: "id", Text: func(it *api.Item) string { return it.ID }},
	{Name: "type", Text: func(it *api.Item) string { return it.Type }},
	{Name: "host", Text: func(it *api.Item) string { return it.SourceHost }},
	{Name: "status", Text: func(it *api.Item) string { return string(it.Status) }},
	{Name: "tags", Text: func(it *api.Item) string { return strings.Join(it.Tags, ", ") }},
	{Name: "paused", Text: func(it *api.Item) string { return yesCell(it.Paused) }},
	{Name: "firstSeen", Text: func(it *api.Item) string { return timeCell(it.FirstSeen) }},
	{Name: "lastChecked", Text: func(it *api.Item) string { return timeCell(it.LastChecked) }},
	{Name: "lastChanged", Text: func(it *api.Item) string { return timeCell(it.LastChanged) }},
	{Name: "nextCrawlAt", Text: func(it *api.Item) string { return timeCell(it.NextCrawlAt) }},
	{Name: "httpStatusCode", Text: func(it *api.Item) string { return numberCell(it.HTTPStatusCode) }},
	{Name: "crawlAttempts", Text: func(it *api.Item) string { return numberCell(it.CrawlAttempts) }},
	{Name: "errorMessage", Text: func(it *api.Item) string { return it.ErrorMessage }},
	{Name: "mimeType", Text: func(it *api.Item) string { return it.MimeType }},
	{Name: "language", Text: func(it *api.Item) string { return it.Language }},
	{Name: "publishedAt", Text: func(it *api.Item) string { return timeCell(it.PublishedAt) }},
	{Name: "author", Text: func(it *api.Item) string { return it.Author }},
	{Name: "siteName", Text: func(it *api.Item) string { return it.SiteName }},
	{Name: "contentHash", Text: func(it *api.Item) string { return it.ContentHash }},
}

func tagJSON(t registry.Tag) api.Tag {
	return api.Tag{Name: t.Name, TagSettings: t.Options.TagSettings, ChangedAt: t.ChangedAt, Undo: t.Undo}
}

// listTags lists the tags that have settings.
func (h *itemSettings) listTags(ctx context.Context, _ api.None) (api.Tags, error) {
	all, err := h.Tags.List(ctx)
	return api.Tags{Tags: wire.Each(all, tagJSON)}, err
}

func (h *itemSettings) getTag(ctx context.Context, q api.TagName) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := h.Tags.Get(ctx, name)
	if err != nil {
		return api.Tag{}, err
	}
	return h.tag(t), nil
}

// tag returns a tag with the settings that an item has which only has this tag.
func (v itemView) tag(t registry.Tag) api.Tag {
	out := tagJSON(t)
	out.Effective = v.effective(options.Merge(api.Settings{}, []options.Tag{{Name: t.Name, Settings: t.Options}}))
	return out
}

// saveTag replaces all settings of a tag.
func (h *itemSettings) saveTag(ctx context.Context, q api.TagRequest) (api.Tag, error) {
	return h.changeTag(ctx, q.Name, func(api.Settings) (api.Settings, []string, error) {
		o, err := registry.CheckOptions(api.Settings{TagSettings: q.TagSettings})
		return o, nil, err
	})
}

// patchTag changes some settings of a tag.
func (h *itemSettings) patchTag(ctx context.Context, q api.TagPatch) (api.Tag, error) {
	return h.changeTag(ctx, q.Name, func(was api.Settings) (api.Settings, []string, error) {
		return registry.PatchOptions(was, q.Patch)
	})
}

// changeTag changes the settings of a tag, and starts a run that reschedules the next checks of the tag's items.
func (h *itemSettings) changeTag(ctx context.Context, name string,
	change func(was api.Settings) (api.Settings, []string, error)) (out api.Tag, err error) {
	if name, err = wire.TagName(name); err != nil {
		return out, err
	}
	var gone []string
	same := false
	t, err := h.Tags.Change(ctx, name, func(was api.Settings) (is api.Settings, err error) {
		is, gone, err = change(was)
		same = reflect.DeepEqual(was, is)
		return is, err
	})
	if err != nil || same {
		return h.tag(t), err
	}
	out, err = h.replanned(ctx, t)
	out.Replaced = gone
	return out, err
}

// replanned starts a run that reschedules the next checks of a tag's items, and returns the tag with that run.
func (h *itemSettings) replanned(ctx context.Context, t registry.Tag) (api.Tag, error) {
	out := h.tag(t)
	begun, err := h.Bulk.Replan(ctx, t.Name)
	out.Run = begun.ID
	return out, err
}

// removeTag removes all settings of a tag. Items keep the tag.
func (h *itemSettings) removeTag(ctx context.Context, q api.TagName) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := h.Tags.Remove(ctx, name)
	if err != nil {
		return api.Tag{}, err
	}
	return h.replanned(ctx, t)
}
