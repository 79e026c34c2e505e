package handlers

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
)

// remembered returns an item with what is remembered of its lines.
func (h *itemHandlers) remembered(ctx context.Context, id string) (it registry.Item, m linememory.Memory, err error) {
	past, err := h.History.Find(ctx, source.ID(id))
	if err != nil {
		return it, m, wire.Field("id", err)
	}
	m, err = h.Fields.Memory(ctx, past.IDs...)
	return past.Item, m, err
}

// memory lists the parts of a page that move.
func (h *itemHandlers) memory(ctx context.Context, q api.ItemID) (out api.Memory, err error) {
	it, m, err := h.remembered(ctx, q.ID)
	return api.Memory{Parts: partsJSON(&it, m)}, err
}

// decide notes whether a person wants to be told of a part.
func (h *itemHandlers) decide(ctx context.Context, q api.MemoryRequest) (out api.Memory, err error) {
	it, m, err := h.remembered(ctx, q.Item)
	if err != nil {
		return out, err
	}
	it, err = h.Items.Decide(ctx, it.ID, m, q.ID, linememory.Decision(q.Do))
	return api.Memory{Parts: partsJSON(&it, m)}, err
}

// why says which rules are for a page, and why differences of it are not told.
func (h *itemHandlers) why(ctx context.Context, q api.ItemWhyQuery) (out api.ItemWhy, err error) {
	it, m, err := h.remembered(ctx, q.ID)
	if err != nil {
		return out, err
	}
	out = api.ItemWhy{Ignore: []string{}, Memory: partsJSON(&it, m)}
	e, err := h.Tags.Effective(ctx, &it)
	if err == nil && e.Watch != nil {
		out.Ignore = append(out.Ignore, e.Watch.Ignore...)
	}
	if out.Checks = checksJSON(&it, time.Now()); err == nil && out.Checks != nil {
		out.Checks.HeldBy, out.Checks.Why, err = h.Hosts.Held(ctx, &it, e)
	}
	var page notify.Facts
	if err == nil {
		page, err = notify.FactsOf(ctx, h.Tags, &it)
	}
	if err == nil {
		out.Rules, out.Continuation, err = h.Rules.Here(ctx, page, q)
	}
	return out, err
}

func partsJSON(it *registry.Item, m linememory.Memory) []api.MovingPart {
	out := []api.MovingPart{}
	for _, p := range m.With(it.Decided).Parts(it.Saw) {
		out = append(out, api.MovingPart{ID: p.ID, Text: p.Text, Was: p.Was, Moves: p.Moves, Moved: p.Moved, Of: p.Of,
			Since: p.Since, Last: p.Last, Silent: p.Silent, Decision: string(p.Decision)})
	}
	return out
}
