package ui

import (
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// runsShown is the number of backfill runs that a page lists.
const runsShown = 20

type backfillData struct {
	api.BackfillSites
	api.BackfillRuns
	Form  Form
	First bool // whether this is the first page of the runs
}

// backfill shows the sites, the runs and the form that starts one.
func (a area) backfill(r *http.Request) (page, error) {
	return a.backfillPage(r, nil, nil)
}

func (a area) backfillPage(r *http.Request, typed url.Values, problem *api.Problem) (page, error) {
	after := r.URL.Query().Get("after")
	d := backfillData{Form: newForm(api.BackfillRequest{}), First: after == ""}
	if typed != nil {
		d.Form = d.Form.Typed(typed, problem)
	}
	var err error
	if d.BackfillSites, err = api.ListBackfillSites.Call(r.Context(), a.client, api.None{}); err != nil {
		return page{}, err
	}
	if d.BackfillRuns, err = api.ListBackfills.Call(r.Context(), a.client,
		api.BackfillQuery{Top: runsShown, Continuation: after}); err != nil {
		return page{}, err
	}
	config, err := api.GetConfig.Call(r.Context(), a.client, api.None{})
	for path, setting := range map[string]string{"maxUrls": "BACKFILL_MAX_URLS_PER_RUN",
		"maxUrlsPerSource": "BACKFILL_MAX_URLS_PER_SOURCE", "concurrency": "BACKFILL_MAX_CONCURRENCY"} {
		d.Form.Holds = append(d.Form.Holds, form.Fact{Path: path, Value: config.Settings[setting]})
	}
	p := page{Name: "backfill", Title: "Backfill", Data: d}
	if problem != nil {
		p.Status = problem.Status
	}
	return p, err
}

// startBackfill starts a run, or shows the form again with the errors in it.
func (a area) startBackfill(r *http.Request) (page, error) {
	req := api.BackfillRequest{DryRun: r.PostForm.Get("do") == "dry", RunBy: "the dashboard"}
	err := readInto(r.PostForm, &req)
	var run api.BackfillRun
	if err == nil {
		run, err = api.StartBackfill.Call(r.Context(), a.client, req)
	}
	if problem := refusal(err); problem != nil {
		return a.backfillPage(r, r.PostForm, problem)
	}
	return goTo("/backfill/" + url.PathEscape(run.ID)), err
}

type runData struct {
	api.BackfillRun
	Domains map[string]string // the domain of each site, by slug
	Enabled bool
}

// run shows one run of a backfill.
func (a area) run(r *http.Request) (page, error) {
	run, err := api.GetBackfill.Call(r.Context(), a.client, api.BackfillID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	sites, err := api.ListBackfillSites.Call(r.Context(), a.client, api.None{})
	d := runData{BackfillRun: run, Enabled: sites.Enabled, Domains: map[string]string{}}
	for _, site := range sites.Sites {
		d.Domains[site.Slug] = site.Domain
	}
	return page{Name: "run", Title: "Backfill of " + some(run.Sources), Data: d}, err
}

// actRun pauses, resumes or cancels a run.
func (a area) actRun(r *http.Request) (page, error) {
	id, what := r.PathValue("id"), r.PostForm.Get("do")
	route, known := map[string]api.Route[api.BackfillID, api.BackfillRun]{
		"pause": api.PauseBackfill, "resume": api.ResumeBackfill, "cancel": api.CancelBackfill,
	}[what]
	if !known {
		return page{}, badRequest("a run can be paused, resumed or cancelled")
	}
	_, err := route.Call(r.Context(), a.client, api.BackfillID{ID: id})
	return goTo("/backfill/" + url.PathEscape(id) + "?done=run-" + what), err
}

// found is the number of addresses that a run has found, as a bar and in words. Until the search is
// complete, a full bar means that the number has reached the run's limit.
type found struct {
	Bar  progressBar
	Text string
}

func foundOf(n, most int, all bool) found {
	if all {
		return found{newBar(max(1, n), max(1, n), "addresses found"), words.Thousands(n)}
	}
	return found{newBar(n, max(1, most), "addresses found"),
		words.Thousands(n) + " of at most " + words.Thousands(most)}
}

// foundByRun returns how many addresses a whole run has found.
func foundByRun(r api.BackfillRun) found {
	return foundOf(r.Discovered, r.Most(), r.Whole())
}

// foundAt returns how many addresses a run has found at one source.
func foundAt(r api.BackfillRun, p api.BackfillProgress) found {
	return foundOf(p.Discovered, min(r.MaxURLs, r.MaxURLsPerSource), p.Whole())
}
