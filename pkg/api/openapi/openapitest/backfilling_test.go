package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// backfilling describes the operations of backfills.
func backfilling() []operation {
	return []operation{
		{
			of: api.StartBackfill.Endpoint, id: "startBackfill", tag: tagBackfill,
			summary: "Register the pages that sites already have",
			about: "The run stays within the limits of the settings and keeps to the sites' pace. A dry run only " +
				"counts pages. 403 while BACKFILL_ENABLED is false.",
			gives: "The run. It continues in the background.",
			fails: []int{http.StatusForbidden, http.StatusConflict},
			shown: []string{"E7 a run", "E10 a dry run"},
		},
		{
			of: api.ListBackfills.Endpoint, id: "listBackfills", tag: tagBackfill,
			summary: "List runs, newest first",
			gives:   "The runs.",
			shown:   []string{"E7 the newest"},
		},
		{
			of: api.GetBackfill.Endpoint, id: "getBackfill", tag: tagBackfill,
			summary: "Show the progress of a run",
			gives:   "The run.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"E7 done", "E10 what it would do", "E11 failed"},
		},
		{
			of: api.ResumeBackfill.Endpoint, id: "resumeBackfill", tag: tagBackfill,
			summary: "Resume a run that is paused or FAILED",
			about:   "Work that is already counted is not repeated.",
			gives:   "The run.",
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E7 resumed"},
		},
		{
			of: api.PauseBackfill.Endpoint, id: "pauseBackfill", tag: tagBackfill,
			summary: "Pause a run before its next step",
			gives:   "The run.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E7 paused"},
		},
		{
			of: api.CancelBackfill.Endpoint, id: "cancelBackfill", tag: tagBackfill,
			summary: "Cancel a run before its next step",
			gives:   "The run.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E7 cancelled"},
		},
		{
			of: api.ListBackfillSites.Endpoint, id: "listBackfillSites", tag: tagBackfill,
			summary: "List the sites that can be backfilled",
			gives:   "The sites of the site file.",
			shown:   []string{"E9 the sites"},
		},
	}
}
