package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

// rebuildStart begins to index many items anew.
func rebuildStart(ctx context.Context, v *call, req api.RebuildRequest) (out api.Rebuild, err error) {
	if req.Audit && (req.Force || req.Refetch) {
		return out, fault.Field("audit", "audit repairs what differs, from the kept captures: leave force and refetch out")
	}
	scope := rebuild.Scope{Force: req.Force, Refetch: req.Refetch, Audit: req.Audit}
	if req.Scope != nil {
		if req.Scope.Host == "" {
			return out, fault.Field("scope.host", "scope.host is missing: name a host, or leave scope out for everything")
		}
		if scope.Host, err = v.lookup().Host("scope.host", req.Scope.Host); err != nil {
			return out, err
		}
	}
	run, err := v.Rebuilds.Start(ctx, scope)
	return rebuildJSON(run, 0), err
}

// rebuildState tells how far a rebuild is.
func rebuildState(ctx context.Context, v *call, q api.RebuildID) (out api.Rebuild, err error) {
	if q.ID == "" {
		return out, fault.Field("id", "id is missing: give that of a rebuild")
	}
	run, err := v.Rebuilds.Get(ctx, q.ID)
	if err != nil {
		return out, err
	}
	left, err := v.Rebuilds.Left(ctx, run)
	return rebuildJSON(run, left), err
}

func rebuildJSON(run rebuild.Run, left int) api.Rebuild {
	out := api.Rebuild{
		ID: run.ID, Status: string(run.State), Host: run.Host, Force: run.Force, Refetch: run.Refetch, Audit: run.Audit,
		Reason: run.Reason,
		Items:  run.Items, Marked: run.Marked, Left: left, Indexed: run.Indexed, KeptOut: run.KeptOut, Failed: run.Failed,
		StartedAt: run.StartedAt, UpdatedAt: run.UpdatedAt, EndedAt: run.EndedAt, Removed: run.Removed, Entries: run.Entries,
		Mended: run.Mended,
	}
	for _, f := range run.Findings {
		out.Findings = append(out.Findings, api.Finding(f))
	}
	if n := run.Collisions; n.Chunks > 0 {
		out.Collisions = (*api.Collisions)(&n)
	}
	return out
}

// rebuildsJSON lists the rebuilds that go on and concern a host, or any when it is empty.
func rebuildsJSON(ctx context.Context, v *call, host string, counts api.SearchStatus) ([]api.Rebuild, error) {
	runs, err := v.Rebuilds.Active(ctx)
	if err != nil {
		return nil, err
	}
	left := map[string]int{"": counts.Rebuilding}
	for _, h := range counts.Hosts {
		left[h.Host] = h.Rebuilding
	}
	var out []api.Rebuild
	for _, run := range runs {
		if host == "" || run.Host == "" || run.Host == host {
			out = append(out, rebuildJSON(run, left[run.Host]))
		}
	}
	return out, nil
}

// rebuildWorker does one step of a rebuild.
func rebuildWorker(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	return "", v.Rebuilds.Step(ctx, body)
}
