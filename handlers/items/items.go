// Package items answers requests about items. It registers, lists, shows, rechecks and removes sources, and changes
// how an item, or all items of a tag, are checked.
package items

import (
	"log/slog"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/fieldlog"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/run/bulk"
)

// Handlers answer requests about registered items.
type Handlers struct {
	View
	Items   *registry.Items
	Lookup  *registry.Lookup
	History *history.History
	Fields  *fieldlog.Store // the history of the fields
	Log     *slog.Logger
}

// Routes returns the routes about registered items.
func (h *Handlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListItems, h.items),
		wire.OnAny(api.ExportItems, h.exportItems),
		{Endpoint: api.GetItem.Endpoint, Answer: h.item},
		wire.OnAny(api.GetField, h.field),
		wire.On(api.ReindexItem, h.reindex),
		wire.Named(api.RemoveItem, change(h.Items.Remove)),
		wire.Named(api.AcceptItem, change(h.Items.Accept)),
		wire.Named(api.AcceptWatch, change(h.Items.AcceptWatch)),
	}
}

// Registration answers requests to register sources.
type Registration struct {
	View
	Items   *registry.Items
	Sources Sources
	Log     *slog.Logger
}

// Routes returns the routes that register sources.
func (h *Registration) Routes() []wire.Route {
	return []wire.Route{
		wire.OnAny(api.AddURL, h.addURL),
		wire.OnAny(api.AddFile, h.addFile),
	}
}

// Settings answer requests about the settings of items and tags.
type Settings struct {
	View
	Items *registry.Items
	Bulk  *bulk.Service // reschedules the next checks of a tag's items
}

// Routes returns the routes about settings of items and tags.
func (h *Settings) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.PatchItem, h.patchItem),
		wire.On(api.ListTags, h.listTags),
		wire.On(api.SaveTag, h.saveTag),
		wire.On(api.GetTag, h.getTag),
		wire.On(api.PatchTag, h.patchTag),
		wire.On(api.RemoveTag, h.removeTag),
	}
}
