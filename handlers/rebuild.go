package handlers

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/rebuild"
)

// rebuildStart begins to index many items anew.
func (s *server) rebuildStart(r *http.Request, v *Services) (int, any, error) {
	var req api.RebuildRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	if req.Audit && (req.Force || req.Refetch) {
		return 0, nil, fault.Field("audit", "audit repairs what differs, from the kept captures: leave force and refetch out")
	}
	scope := rebuild.Scope{Force: req.Force, Refetch: req.Refetch, Audit: req.Audit}
	if req.Scope != nil {
		if req.Scope.Host == "" {
			return 0, nil, fault.Field("scope.host", "scope.host is missing: name a host, or leave scope out for everything")
		}
		// A host is what the registry calls the host of its pages.
		src, err := v.Rules.ParseURL("https://" + req.Scope.Host + "/")
		if err != nil {
			return 0, nil, blame("scope.host", err)
		}
		scope.Host = src.Host
	}
	run, err := v.Rebuilds.Start(r.Context(), scope)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, rebuildJSON(run, 0), nil
}

// rebuildState tells how far a rebuild is.
func (s *server) rebuildState(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "id")
	id := q.text("id")
	if q.err != nil {
		return 0, nil, q.err
	}
	if id == "" {
		return 0, nil, fault.Field("id", "id is missing: give that of a rebuild")
	}
	run, err := v.Rebuilds.Get(r.Context(), id)
	if err != nil {
		return 0, nil, err
	}
	left, err := v.Rebuilds.Left(r.Context(), run)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, rebuildJSON(run, left), nil
}

func rebuildJSON(run rebuild.Run, left int) api.Rebuild {
	out := api.Rebuild{
		ID: run.ID, Status: string(run.State), Host: run.Host, Force: run.Force, Refetch: run.Refetch, Audit: run.Audit, Reason: run.Reason,
		Items: run.Items, Marked: run.Marked, Left: left, Indexed: run.Indexed, KeptOut: run.KeptOut, Failed: run.Failed,
		StartedAt: run.StartedAt, UpdatedAt: run.UpdatedAt, EndedAt: run.EndedAt, Removed: run.Removed, Entries: run.Entries, Mended: run.Mended,
	}
	for _, f := range run.Findings {
		out.Findings = append(out.Findings, api.Finding(f))
	}
	return out
}

// rebuildsJSON lists the rebuilds that go on and concern a host, or any when it is empty.
func rebuildsJSON(ctx context.Context, v *Services, host string, counts api.SearchStatus) ([]api.Rebuild, error) {
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
func (s *server) rebuildWorker(ctx context.Context, v *Services, e envelope) (string, error) {
	body, err := e.payload("job")
	if err != nil {
		return "", err
	}
	return "", v.Rebuilds.Step(ctx, body)
}
