package handlers

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/bulk"
)

// bulkStart starts a run that applies one operation to many items.
func (h *runHandlers) bulkStart(ctx context.Context, q api.BulkRequest) (out api.BulkRun, err error) {
	ask := bulk.Ask{Op: bulk.Op(q.Op), IDs: q.IDs}
	if !slices.Contains(bulk.Ops, ask.Op) {
		return out, fault.Field("op", "op must be one of %v, not %.40q", bulk.Ops, q.Op)
	}
	if tagged := ask.Op == bulk.Tag || ask.Op == bulk.Untag; tagged {
		if ask.Tag, err = wire.TagName(q.Tag); err != nil {
			return out, fault.Field("tag", "tag: %w", err)
		}
	} else if q.Tag != "" {
		return out, fault.Field("tag", "%s takes no tag; to choose items by a tag, give filter.tag", q.Op)
	}
	if err := checkIDs(q); err != nil {
		return out, err
	}
	if q.Filter != nil {
		if ask.Filter, err = h.bulkFilter(*q.Filter); err != nil {
			return out, err
		}
	}
	run, err := h.Bulk.Start(ctx, ask)
	return bulkJSON(run), err
}

// checkIDs checks that a request selects items either by ids or by a filter, not by both.
func checkIDs(q api.BulkRequest) error {
	switch {
	case (q.IDs == nil) == (q.Filter == nil):
		return fault.Field("ids", "give ids or filter, one of them")
	case q.Filter != nil:
		return nil
	case len(q.IDs) == 0 || len(q.IDs) > bulk.MaxIDs:
		return fault.Field("ids", "ids has %d ids; allowed are 1 to %d", len(q.IDs), bulk.MaxIDs)
	}
	for _, id := range q.IDs {
		if _, _, err := source.ParseID(id); err != nil {
			return fault.Field("ids", "ids: %w", err)
		}
	}
	return nil
}

// bulkFilter reads a filter. A request that selects every item must say so explicitly.
func (h *runHandlers) bulkFilter(q api.ItemFilter) (registry.Filter, error) {
	f, err := h.Lookup.Filter(registry.Filter{Host: q.Host, Status: registry.Status(q.Status), Tag: q.Tag,
		Paused: q.Paused}, "filter.")
	if err == nil && f == (registry.Filter{}) && !q.All {
		err = fault.Field("filter", "filter names no host, status, tag or pause: give one, or all: true for all items")
	}
	return f, err
}

func bulkJSON(r bulk.Run) api.BulkRun {
	return api.BulkRun{ID: r.ID, Op: string(r.Op), Tag: r.Tag, Status: r.State, Items: r.Items, Done: r.Done,
		Failed: r.Failed, StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt,
		Errors: wire.Each(r.Errors, func(f bulk.Failure) api.BulkError { return api.BulkError(f) })}
}
