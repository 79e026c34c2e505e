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
func (h *runHandlers) backfillStart(ctx context.Context, req api.BackfillRequest) (api.BackfillRun, error) {
	dates, err := discover.ParseDates(req.DateFrom, req.DateTo)
	if err != nil {
		return api.BackfillRun{}, err
	}
	run, err := h.Backfill.Start(ctx, backfill.Request{
		Sources: req.Sources, Mode: backfill.Mode(req.Mode), Dates: dates, MaxURLs: req.MaxURLs,
		MaxPerSrc:   req.MaxURLsPerSource,
		Concurrency: req.Concurrency, Delay: time.Duration(req.DelayMS) * time.Millisecond, DryRun: req.DryRun,
		RunBy: req.RunBy,
	})
	return h.runJSON(run), err
}

// backfillRuns lists runs, newest first.
func (h *runHandlers) backfillRuns(ctx context.Context, q api.BackfillQuery) (api.BackfillRuns, error) {
	runs, err := h.Backfill.List(ctx, q.Continuation, q.Top)
	out := api.BackfillRuns{Runs: wire.Each(runs, h.runJSON)}
	if len(runs) == q.Top {
		out.Continuation = runs[q.Top-1].ID
	}
	return out, err
}

// backfillSites lists the sites.
func (h *runHandlers) backfillSites(ctx context.Context, _ api.None) (api.BackfillSites, error) {
	sites, err := h.Backfill.Sites(ctx)
	out := api.BackfillSites{Enabled: h.Backfill.Enabled(), Sites: []api.BackfillSite{}}
	for _, site := range sites {
		modes := wire.Each(backfill.ModesOf(site), func(m backfill.Mode) string { return string(m) })
		out.Sites = append(out.Sites, api.BackfillSite{Slug: site.Slug, Domain: site.Domain, Modes: modes})
	}
	return out, err
}

func (h *runHandlers) runJSON(run backfill.Run) api.BackfillRun {
	out := api.BackfillRun{
		ID: run.ID, Status: string(run.Status), Note: run.Note, Sources: run.Sources, Mode: string(run.Mode),
		DateFrom: run.Dates.From, DateTo: run.Dates.To, MaxURLs: run.MaxURLs, MaxURLsPerSource: run.MaxPerSrc,
		Concurrency: run.Concurrency, DelayMS: int(run.Delay.Milliseconds()), DryRun: run.DryRun, RunBy: run.RunBy,
		BackfillCounts: api.BackfillCounts(run.Counts), Reasons: run.Reasons, ErrorLog: run.ErrorLog,
		LastProcessedSource: run.Last.Source, LastProcessedPage: run.Last.Page, LastProcessedURL: run.Last.URL,
		CreatedAt: run.CreatedAt, UpdatedAt: run.UpdatedAt, StartedAt: run.StartedAt, FinishedAt: run.FinishedAt,
	}
	for _, p := range run.Progress {
		out.Progress = append(out.Progress, api.BackfillProgress{
			Source: p.Source, State: string(p.State), Note: p.Note, Last: p.Last, BackfillCounts: api.BackfillCounts(p.Counts),
		})
	}
	if out.Over() {
		out.Report = h.Backfill.Report(run)
	}
	return out
}

// backfillPoison ends the work on one source of a backfill after every attempt at a step has failed.
func (h *runHandlers) backfillPoison(ctx context.Context, e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	const why = "a step failed on every try and was given up; see the app's log, and resume the run"
	h.Log.ErrorContext(ctx, "backfill step poisoned")
	return why, h.Backfill.GiveUp(ctx, body, why)
}
