package sites

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// runsShown is the number of backfill runs that a page lists.
const runsShown = 20

type backfillData struct {
	api.BackfillSites
	api.BackfillRuns
	Form    url.Values // the input, which is shown again
	Limits  map[string]string
	Problem *api.Problem // why the input was refused
	First   bool         // whether this is the first page of the runs
}

// Chosen reports whether the given value is among the values of a field.
func (d backfillData) Chosen(field, value string) bool { return slices.Contains(d.Form[field], value) }

// backfill shows the sites, the runs and the form that starts one.
func (a area) backfill(r *http.Request) (frame.Page, error) {
	return a.backfillPage(r, url.Values{}, nil)
}

func (a area) backfillPage(r *http.Request, form url.Values, problem *api.Problem) (frame.Page, error) {
	after := r.URL.Query().Get("after")
	d := backfillData{Form: form, Problem: problem, First: after == ""}
	var err error
	if d.BackfillSites, err = api.ListBackfillSites.Call(r.Context(), a.client, api.None{}); err != nil {
		return frame.Page{}, err
	}
	if d.BackfillRuns, err = api.ListBackfills.Call(r.Context(), a.client,
		api.BackfillQuery{Top: runsShown, Continuation: after}); err != nil {
		return frame.Page{}, err
	}
	config, err := api.GetConfig.Call(r.Context(), a.client, api.None{})
	d.Limits = config.Settings
	p := frame.Page{Name: "backfill", Title: "Backfill", Data: d}
	if problem != nil {
		p.Status = problem.Status
	}
	return p, err
}

// startBackfill starts a run, or shows the form again with the errors in it.
func (a area) startBackfill(r *http.Request) (frame.Page, error) {
	req, err := backfillOf(r.PostForm)
	var run api.BackfillRun
	if err == nil {
		run, err = api.StartBackfill.Call(r.Context(), a.client, req)
	}
	if problem := frame.Refusal(err); problem != nil {
		return a.backfillPage(r, r.PostForm, problem)
	}
	return frame.GoTo("/backfill/" + url.PathEscape(run.ID)), err
}

// backfillOf reads the request from the form. It checks only that numeric fields have numbers; the API checks the
// rest.
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
			return req, frame.BadRequest(name + " must be a whole number")
		}
		*into = n
	}
	return req, nil
}

type runData struct {
	api.BackfillRun
	Domains map[string]string // the domain of each site, by slug
	Enabled bool
}

// run shows one run of a backfill.
func (a area) run(r *http.Request) (frame.Page, error) {
	run, err := api.GetBackfill.Call(r.Context(), a.client, api.BackfillID{ID: r.PathValue("id")})
	if err != nil {
		return frame.Page{}, err
	}
	sites, err := api.ListBackfillSites.Call(r.Context(), a.client, api.None{})
	d := runData{BackfillRun: run, Enabled: sites.Enabled, Domains: map[string]string{}}
	for _, site := range sites.Sites {
		d.Domains[site.Slug] = site.Domain
	}
	return frame.Page{Name: "run", Title: "Backfill of " + show.Some(run.Sources), Data: d}, err
}

// modes returns the ways in which a backfill can find pages.
func modes() []show.Choice {
	return show.Choices("SITEMAP", "sitemaps and feeds", "ARCHIVE", "archives by date", "PAGINATION", "listings",
		"CONTAINER", "containers of blobs", "LINKS", "links from page to page")
}

// actRun pauses, resumes or cancels a run.
func (a area) actRun(r *http.Request) (frame.Page, error) {
	id, what := r.PathValue("id"), r.PostForm.Get("do")
	route, known := map[string]api.Route[api.BackfillID, api.BackfillRun]{
		"pause": api.PauseBackfill, "resume": api.ResumeBackfill, "cancel": api.CancelBackfill,
	}[what]
	if !known {
		return frame.Page{}, frame.BadRequest("a run can be paused, resumed or cancelled")
	}
	_, err := route.Call(r.Context(), a.client, api.BackfillID{ID: id})
	return frame.GoTo("/backfill/" + url.PathEscape(id) + "?done=run-" + what), err
}

// found is the number of addresses that a run has found, as a bar and in words. Until the search is complete, a full
// bar means that the number has reached the run's limit.
type found struct {
	Bar  show.Bar
	Text string
}

func foundOf(n, most int, all bool) found {
	if all {
		return found{show.NewBar(max(1, n), max(1, n), "addresses found"), words.Thousands(n)}
	}
	return found{show.NewBar(n, max(1, most), "addresses found"),
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
