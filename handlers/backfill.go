package handlers

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/run/backfill"
)

// backfillStart begins a run (E7).
func backfillStart(ctx context.Context, v *call, req api.BackfillRequest) (api.BackfillRun, error) {
	dates, err := discover.ParseDates(req.DateFrom, req.DateTo)
	if err != nil {
		return api.BackfillRun{}, err
	}
	run, err := v.Backfill.Start(ctx, backfill.Request{
		Sources: req.Sources, Mode: backfill.Mode(req.Mode), Dates: dates, MaxURLs: req.MaxURLs,
		MaxPerSrc:   req.MaxURLsPerSource,
		Concurrency: req.Concurrency, Delay: time.Duration(req.DelayMS) * time.Millisecond, DryRun: req.DryRun,
		RunBy: req.RunBy,
	})
	return runJSON(v, run), err
}

// backfillRuns lists runs, newest first.
func backfillRuns(ctx context.Context, v *call, q api.BackfillQuery) (api.BackfillRuns, error) {
	runs, err := v.Backfill.List(ctx, q.Continuation, q.Top)
	out := api.BackfillRuns{Runs: []api.BackfillRun{}}
	for _, run := range runs {
		out.Runs = append(out.Runs, runJSON(v, run))
	}
	if len(runs) == q.Top {
		out.Continuation = runs[q.Top-1].ID
	}
	return out, err
}

// backfillDo does something with the run of the path.
func backfillDo(do func(*backfill.Service, context.Context, string) (backfill.Run, error),
) func(context.Context, *call, api.BackfillID) (api.BackfillRun, error) {
	return func(ctx context.Context, v *call, q api.BackfillID) (api.BackfillRun, error) {
		run, err := do(v.Backfill, ctx, q.ID)
		return runJSON(v, run), err
	}
}

// backfillSites lists the sites.
func backfillSites(ctx context.Context, v *call, _ api.None) (api.BackfillSites, error) {
	sites, err := v.Backfill.Sites(ctx)
	out := api.BackfillSites{Enabled: v.Backfill.Enabled(), Sites: []api.BackfillSite{}}
	for _, site := range sites {
		modes := []string{}
		for _, mode := range backfill.ModesOf(site) {
			modes = append(modes, string(mode))
		}
		out.Sites = append(out.Sites, api.BackfillSite{Slug: site.Slug, Domain: site.Domain, Modes: modes})
	}
	return out, err
}

func runJSON(v *call, run backfill.Run) api.BackfillRun {
	out := api.BackfillRun{
		ID: run.ID, Status: string(run.Status), Note: run.Note, Sources: run.Sources, Mode: string(run.Mode),
		DateFrom: run.Dates.From, DateTo: run.Dates.To, MaxURLs: run.MaxURLs, MaxURLsPerSource: run.MaxPerSrc,
		Concurrency: run.Concurrency, DelayMS: int(run.Delay.Milliseconds()), DryRun: run.DryRun, RunBy: run.RunBy,
		BackfillCounts: api.BackfillCounts(run.Counts), Reasons: run.Reasons,
		LastProcessedSource: run.Last.Source, LastProcessedPage: run.Last.Page, LastProcessedURL: run.Last.URL,
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
func backfillWorker(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	return "", v.Backfill.Step(ctx, body)
}

// backfillPoison ends a source whose step failed on every try.
func backfillPoison(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	const why = "a step failed on every try and was given up; see the app's log, and resume the run"
	v.log.ErrorContext(ctx, "backfill step poisoned")
	return why, v.Backfill.GiveUp(ctx, body, why)
}
