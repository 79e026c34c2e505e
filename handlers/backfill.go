package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/backfill"
	"github.com/tidemark/tidemark/pkg/discover"
)

const (
	defaultRuns = 20
	maxRuns     = 100
)

// backfillStart begins a run (E7).
func (s *server) backfillStart(r *http.Request, v *Services) (int, any, error) {
	var req api.BackfillRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	dates, err := discover.ParseDates(req.DateFrom, req.DateTo)
	if err != nil {
		return 0, nil, err
	}
	run, err := v.Backfill.Start(r.Context(), backfill.Request{
		Sources: req.Sources, Mode: backfill.Mode(req.Mode), Dates: dates, MaxURLs: req.MaxURLs, MaxPerSrc: req.MaxURLsPerSource,
		Concurrency: req.Concurrency, Delay: time.Duration(req.DelayMS) * time.Millisecond, DryRun: req.DryRun, RunBy: req.RunBy,
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, runJSON(v, run), nil
}

// backfillRuns lists runs, newest first.
func (s *server) backfillRuns(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "top", "continuation")
	top, after := q.number("top", defaultRuns, 1, maxRuns), q.text("continuation")
	if q.err != nil {
		return 0, nil, q.err
	}
	runs, err := v.Backfill.List(r.Context(), after, top)
	if err != nil {
		return 0, nil, err
	}
	out := api.BackfillRuns{Runs: []api.BackfillRun{}}
	for _, run := range runs {
		out.Runs = append(out.Runs, runJSON(v, run))
	}
	if len(runs) == top {
		out.Continuation = runs[top-1].ID
	}
	return http.StatusOK, out, nil
}

// backfillDo gives a route that does something with the run of the path.
func backfillDo(status int, do func(*backfill.Service, context.Context, string) (backfill.Run, error)) route {
	return func(r *http.Request, v *Services) (int, any, error) {
		if q := queryOf(r); q.err != nil {
			return 0, nil, q.err
		}
		run, err := do(v.Backfill, r.Context(), r.PathValue("id"))
		if err != nil {
			return 0, nil, err
		}
		return status, runJSON(v, run), nil
	}
}

// backfillSites lists the sites of the site file.
func (s *server) backfillSites(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	out := api.BackfillSites{Enabled: v.Backfill.Enabled(), Sites: []api.BackfillSite{}}
	for _, site := range v.Backfill.Sites() {
		modes := []string{}
		for _, mode := range backfill.ModesOf(site) {
			modes = append(modes, string(mode))
		}
		out.Sites = append(out.Sites, api.BackfillSite{Slug: site.Slug, Domain: site.Domain, Modes: modes})
	}
	return http.StatusOK, out, nil
}

func runJSON(v *Services, run backfill.Run) api.BackfillRun {
	out := api.BackfillRun{
		ID: run.ID, Status: string(run.Status), Note: run.Note, Sources: run.Sources, Mode: string(run.Mode),
		DateFrom: run.Dates.From, DateTo: run.Dates.To, MaxURLs: run.MaxURLs, MaxURLsPerSource: run.MaxPerSrc,
		Concurrency: run.Concurrency, DelayMS: int(run.Delay.Milliseconds()), DryRun: run.DryRun, RunBy: run.RunBy,
		BackfillCounts: api.BackfillCounts(run.Counts), Reasons: run.Reasons,
		CreatedAt: run.CreatedAt, UpdatedAt: run.UpdatedAt, StartedAt: run.StartedAt, FinishedAt: run.FinishedAt,
	}
	for _, p := range run.ErrorLog {
		out.ErrorLog = append(out.ErrorLog, api.BackfillError(p))
	}
	for _, p := range run.Progress {
		out.Progress = append(out.Progress, api.BackfillProgress{
			Source: p.Source, State: string(p.State), Note: p.Note, Last: p.Last, BackfillCounts: api.BackfillCounts(p.Counts),
		})
	}
	if out.Over() {
		out.Report = v.Backfill.Report(run)
	}
	return out
}

// backfillWorker does one step of a run.
func (s *server) backfillWorker(ctx context.Context, v *Services, e envelope) (string, error) {
	body, err := e.payload("job")
	if err != nil {
		return "", err
	}
	return "", v.Backfill.Step(ctx, body)
}

// backfillPoison ends a source whose step failed on every try.
func (s *server) backfillPoison(ctx context.Context, v *Services, e envelope) (string, error) {
	body, err := e.payload("job")
	if err != nil {
		return "", err
	}
	const why = "a step failed on every try and was given up; see the app's log, and resume the run"
	s.Log.ErrorContext(ctx, "backfill step poisoned")
	return why, v.Backfill.GiveUp(ctx, body, why)
}
