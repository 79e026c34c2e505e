package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

// rebuildStart starts a run that indexes many items again.
func (h *runHandlers) rebuildStart(ctx context.Context, req api.RebuildRequest) (out api.Rebuild, err error) {
	if req.Audit && (req.Force || req.Refetch) {
		return out, fault.Field("audit", "audit repairs what differs, from the kept captures: leave force and refetch out")
	}
	scope := rebuild.Scope{Force: req.Force, Refetch: req.Refetch, Audit: req.Audit}
	if req.Scope != nil {
		if req.Scope.Host == "" {
			return out, fault.Field("scope.host", "scope.host is missing: name a host, or leave scope out for everything")
		}
		if scope.Host, err = h.Lookup.Host("scope.host", req.Scope.Host); err != nil {
			return out, err
		}
	}
	run, err := h.Rebuilds.Start(ctx, scope)
	return rebuildJSON(run, 0), err
}

// rebuildState reports the progress of a rebuild.
func (h *runHandlers) rebuildState(ctx context.Context, q api.RebuildID) (out api.Rebuild, err error) {
	if q.ID == "" {
		return out, fault.Field("id", "id is missing: give that of a rebuild")
	}
	run, err := h.Rebuilds.Get(ctx, q.ID)
	if err != nil {
		return out, err
	}
	left, err := h.Rebuilds.Left(ctx, run)
	return rebuildJSON(run, left), err
}

// rebuildJSON returns a rebuild as a type of the API, with the number of items that the rebuild still has to index.
func rebuildJSON(run rebuild.Run, left int) api.Rebuild {
	out := api.Rebuild{
		ID: run.ID, Status: string(run.State), Host: run.Host, Force: run.Force, Refetch: run.Refetch, Audit: run.Audit,
		Reason: run.Reason,
		Items:  run.Items, Marked: run.Marked, Left: left, Indexed: run.Indexed, KeptOut: run.KeptOut, Failed: run.Failed,
		StartedAt: run.StartedAt, UpdatedAt: run.UpdatedAt, EndedAt: run.EndedAt, Removed: run.Removed, Entries: run.Entries,
		Mended: run.Mended,
	}
	out.Findings = wire.Each(run.Findings, func(f rebuild.Finding) api.Finding { return api.Finding(f) })
	if n := run.Collisions; n.Chunks > 0 {
		out.Collisions = (*api.Collisions)(&n)
	}
	return out
}
