package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// undoHandlers take back what people did.
type undoHandlers struct {
	*itemSettings

	Changed *changeHandlers
	Log     *undo.Log
	Store   storage.Store
}

// Routes returns the route of the area.
func (h *undoHandlers) Routes() []wire.Route {
	return []wire.Route{wire.On(api.UndoAction, h.undo)}
}

// undo takes back an action. It may be repeated: what was taken back by a call that then failed is not taken back
// again.
func (h *undoHandlers) undo(ctx context.Context, q api.UndoID) (out api.Undone, err error) {
	r, err := h.Log.Find(ctx, q.ID)
	if err != nil {
		return out, err
	}
	if err := h.mayUndo(ctx, &r); err != nil {
		return out, err
	}
	out = api.Undone{ID: r.ID, Kind: string(r.Kind)}
	switch r.Kind {
	case undo.Item:
		out.Item, err = h.item(ctx, &r)
	case undo.Removal:
		out.Item, err = h.restored(ctx, &r)
	case undo.Tag:
		out.Tag, err = h.tag(ctx, &r)
	case undo.Rule:
		out.Rule, err = h.Changed.Notify.UndoRule(ctx, &r)
	case undo.Mute:
		out.Mute, err = h.Changed.Notify.UndoMute(ctx, &r)
	case undo.Reader:
		out.Reader, err = h.reader(ctx, &r)
	case undo.Bulk:
		out.Run, err = h.bulk(ctx, &r)
	default:
		err = fault.New(fault.Internal, "a record of the kind %q cannot be taken back", r.Kind)
	}
	if err == nil {
		err = h.Log.Finish(ctx, r)
	}
	if err == nil { // the route is one for readers, whose answers do not wait for deferred writes
		err = h.Store.Flush(context.WithoutCancel(ctx))
	}
	return out, err
}

// mayUndo refuses a caller who may not do what is to be taken back. What somebody has read is nobody else's.
func (h *undoHandlers) mayUndo(ctx context.Context, r *undo.Record) error {
	if r.Kind == undo.Reader && r.Subject != wire.CallerOf(ctx).Reader() {
		return fault.New(fault.NotFound, "there is no undo %.60q", r.ID)
	}
	return wire.MayCall(ctx, map[undo.Kind]*api.Endpoint{
		undo.Item: api.PatchItem.Endpoint, undo.Removal: api.RemoveItem.Endpoint, undo.Tag: api.PatchTag.Endpoint,
		undo.Rule: api.SaveRule.Endpoint, undo.Mute: api.AddMute.Endpoint, undo.Reader: api.MarkRead.Endpoint,
		undo.Bulk: api.StartBulk.Endpoint,
	}[r.Kind])
}

func (h *undoHandlers) restored(ctx context.Context, r *undo.Record) (*api.Item, error) {
	it, err := h.Items.Restore(ctx, source.ID(r.Subject), r)
	if err != nil {
		return nil, err
	}
	out, err := h.changed(ctx, &it)
	return &out, err
}

func (h *undoHandlers) tag(ctx context.Context, r *undo.Record) (*api.Tag, error) {
	t, err := h.Tags.TakeBack(ctx, r)
	if err != nil {
		return nil, err
	}
	out, err := h.replanned(ctx, t)
	return &out, err
}

func (h *undoHandlers) bulk(ctx context.Context, r *undo.Record) (*api.BulkRun, error) {
	begun, err := h.Bulk.TakeBack(ctx, r)
	if err != nil {
		return nil, err
	}
	out := bulkJSON(begun)
	return &out, nil
}

func (h *undoHandlers) reader(ctx context.Context, r *undo.Record) (*api.Reader, error) {
	marked, err := feed.ReadersOf(h.Changed.Feed).Recorded(h.Log).TakeBack(ctx, r)
	if err != nil {
		return nil, err
	}
	out, err := h.Changed.readerJSON(ctx, marked)
	return &out, err
}

func (h *undoHandlers) item(ctx context.Context, r *undo.Record) (*api.Item, error) {
	it, err := h.Items.Set(ctx, source.ID(r.Subject), registry.Settings{Back: r, Undo: true})
	if err != nil {
		return nil, err
	}
	out, err := h.changed(ctx, &it)
	return &out, err
}
