package handlers

import (
	"log/slog"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/fieldlog"
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
	Fields  *fieldlog.Store // the history of the fields
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
