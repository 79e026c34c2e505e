package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// runsShown is how many backfill runs a page lists.
const runsShown = 20

type backfillData struct {
	api.BackfillSites
	api.BackfillRuns
	Form    url.Values // what was asked for, to be asked again
	Limits  map[string]string
	Problem *api.Problem // why it was refused
	First   bool         // the first page of the runs
}

// Chosen says whether a field of the form has a value.
func (d backfillData) Chosen(field, value string) bool { return slices.Contains(d.Form[field], value) }

// backfill shows the sites, the runs and the form that starts one.
func backfill(o Options, r *http.Request) (page, error) {
	return backfillPage(o, r, url.Values{}, nil)
}

func backfillPage(o Options, r *http.Request, form url.Values, problem *api.Problem) (page, error) {
	after := r.URL.Query().Get("after")
	d := backfillData{Form: form, Problem: problem, First: after == ""}
	var err error
	if d.BackfillSites, err = api.ListBackfillSites.Call(r.Context(), o.Client, api.None{}); err != nil {
		return page{}, err
	}
	if d.BackfillRuns, err = api.ListBackfills.Call(r.Context(), o.Client,
		api.BackfillQuery{Top: runsShown, Continuation: after}); err != nil {
		return page{}, err
	}
	config, err := api.GetConfig.Call(r.Context(), o.Client, api.None{})
	d.Limits = config.Settings
	p := page{name: "backfill", title: "Backfill", data: d}
	if problem != nil {
		p.status = problem.Status
	}
	return p, err
}

// startBackfill begins a run, or shows the form again with what is wrong with it.
func startBackfill(o Options, r *http.Request) (page, error) {
	req, err := backfillOf(r.PostForm)
	var run api.BackfillRun
	if err == nil {
		run, err = api.StartBackfill.Call(r.Context(), o.Client, req)
	}
	if problem := refusal(err); problem != nil {
		return backfillPage(o, r, r.PostForm, problem)
	}
	return page{to: "/backfill/" + url.PathEscape(run.ID)}, err
}

// backfillOf reads the form. The server checks all but what is no number.
func backfillOf(form url.Values) (api.BackfillRequest, error) {
	req := api.BackfillRequest{
		Sources: form["sources"], Mode: form.Get("mode"), DateFrom: form.Get("dateFrom"), DateTo: form.Get("dateTo"),
		DryRun: form.Get("do") == "dry", RunBy: "the dashboard",
	}
	for name, into := range map[string]*int{"maxUrls": &req.MaxURLs, "maxUrlsPerSource": &req.MaxURLsPerSource,
		"concurrency": &req.Concurrency, "delayMs": &req.DelayMS} {
		text := strings.TrimSpace(form.Get(name))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return req, badRequest(name + " must be a whole number")
		}
		*into = n
	}
	return req, nil
}

type runData struct {
	api.BackfillRun
	Domains map[string]string // of the sites, by slug
	Enabled bool
}

// run shows one run of a backfill.
func run(o Options, r *http.Request) (page, error) {
	run, err := api.GetBackfill.Call(r.Context(), o.Client, api.BackfillID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	sites, err := api.ListBackfillSites.Call(r.Context(), o.Client, api.None{})
	d := runData{BackfillRun: run, Enabled: sites.Enabled, Domains: map[string]string{}}
	for _, site := range sites.Sites {
		d.Domains[site.Slug] = site.Domain
	}
	return page{name: "run", title: "Backfill of " + someOf(run.Sources), data: d}, err
}

// someOf names a list by its beginning.
func someOf(names []string) string {
	const some = 3
	if len(names) <= some {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:some], ", ") + " and " + words.Count(len(names)-some, "other")
}

// actRun pauses, resumes or cancels a run.
func actRun(o Options, r *http.Request) (page, error) {
	id, what := r.PathValue("id"), r.PostForm.Get("do")
	route, known := map[string]api.Route[api.BackfillID, api.BackfillRun]{
		"pause": api.PauseBackfill, "resume": api.ResumeBackfill, "cancel": api.CancelBackfill,
	}[what]
	if !known {
		return page{}, badRequest("a run can be paused, resumed or cancelled")
	}
	_, err := route.Call(r.Context(), o.Client, api.BackfillID{ID: id})
	return page{to: "/backfill/" + url.PathEscape(id) + "?done=run-" + what}, err
}

// found is how many addresses were found, in words beside a bar of the same: of how many at most, unless
// all were found that there are.
type found struct {
	Bar  bar
	Text string
}

func foundOf(n, most int, all bool) found {
	if all {
		return found{newBar(max(1, n), max(1, n), "addresses found"), words.Thousands(n)}
	}
	return found{newBar(n, max(1, most), "addresses found"), words.Thousands(n) + " of at most " + words.Thousands(most)}
}

// foundByRun is how far a run is.
func foundByRun(r api.BackfillRun) found {
	return foundOf(r.Discovered, r.Most(), r.Whole())
}

// foundAt is foundByRun of one source.
func foundAt(r api.BackfillRun, p api.BackfillProgress) found {
	return foundOf(p.Discovered, min(r.MaxURLs, r.MaxURLsPerSource), p.Whole())
}
