package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// backfilling are the operations that register what sites already have.
func backfilling() []operation {
	return []operation{
		{
			route: "POST backfill/runs", id: "startBackfill", tag: tagBackfill,
			summary: "Register the pages that sites already have",
			about:   "Within the caps of the settings, and at the sites' pace. A dry run only counts. 403 while BACKFILL_ENABLED is false.",
			takes:   []any{api.BackfillRequest{}},
			gives:   ok(http.StatusAccepted, "The run, which goes on by itself.", api.BackfillRun{}),
			fails:   []int{http.StatusForbidden, http.StatusConflict},
			shown:   []string{"E7 a run", "E10 a dry run"},
		},
		{
			route: "GET backfill/runs", id: "listBackfills", tag: tagBackfill,
			summary: "List runs, newest first",
			params: []openapi.Parameter{
				query("top", "At most so many.", number(20, 1, 100)),
				query("continuation", "That of the page before.", text()),
			},
			gives: ok(http.StatusOK, "The runs.", api.BackfillRuns{}),
			shown: []string{"E7 the newest"},
		},
		{
			route: "GET backfill/runs/{id}", id: "getBackfill", tag: tagBackfill,
			summary: "Show how far a run is",
			gives:   ok(http.StatusOK, "The run.", api.BackfillRun{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"E7 done", "E10 what it would do", "E11 failed"},
		},
		{
			route: "POST backfill/runs/{id}/resume", id: "resumeBackfill", tag: tagBackfill,
			summary: "Let a run go on that is paused or FAILED",
			about:   "Nothing that was counted is repeated.",
			gives:   ok(http.StatusAccepted, "The run.", api.BackfillRun{}),
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E7 resumed"},
		},
		{
			route: "POST backfill/runs/{id}/pause", id: "pauseBackfill", tag: tagBackfill,
			summary: "Keep a run from its next step until it is resumed",
			gives:   ok(http.StatusAccepted, "The run.", api.BackfillRun{}),
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E7 paused"},
		},
		{
			route: "POST backfill/runs/{id}/cancel", id: "cancelBackfill", tag: tagBackfill,
			summary: "End a run before its next step",
			gives:   ok(http.StatusAccepted, "The run.", api.BackfillRun{}),
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E7 cancelled"},
		},
		{
			route: "GET backfill/sites", id: "listBackfillSites", tag: tagBackfill,
			summary: "List the sites that can be backfilled",
			gives:   ok(http.StatusOK, "The sites of the site file.", api.BackfillSites{}),
			shown:   []string{"E9 the sites"},
		},
	}
}
