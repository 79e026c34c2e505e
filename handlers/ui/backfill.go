package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
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
func (s *server) backfill(r *http.Request) (page, error) {
	return s.backfillPage(r, url.Values{}, nil)
}

func (s *server) backfillPage(r *http.Request, form url.Values, problem *api.Problem) (page, error) {
	after := r.URL.Query().Get("after")
	d := backfillData{Form: form, Problem: problem, First: after == ""}
	var err error
	if d.BackfillSites, err = s.Client.BackfillSites(r.Context()); err != nil {
		return page{}, err
	}
	if d.BackfillRuns, err = s.Client.BackfillRuns(r.Context(), runsShown, after); err != nil {
		return page{}, err
	}
	config, err := s.Client.Config(r.Context())
	d.Limits = config.Settings
	p := page{name: "backfill", title: "Backfill", data: d}
	if problem != nil {
		p.status = problem.Status
	}
	return p, err
}

// startBackfill begins a run, or shows the form again with what is wrong with it.
func (s *server) startBackfill(r *http.Request) (page, error) {
	if err := r.ParseForm(); err != nil {
		return page{}, badForm(err)
	}
	req, err := backfillOf(r.PostForm)
	var run api.BackfillRun
	if err == nil {
		run, err = s.Client.StartBackfill(r.Context(), req)
	}
	if problem := refusal(err); problem != nil {
		return s.backfillPage(r, r.PostForm, problem)
	}
	return page{to: "/backfill/" + url.PathEscape(run.ID)}, err
}

// backfillOf reads the form. The server checks all but what is no number.
func backfillOf(form url.Values) (api.BackfillRequest, error) {
	req := api.BackfillRequest{
		Sources: form["sources"], Mode: form.Get("mode"), DateFrom: form.Get("dateFrom"), DateTo: form.Get("dateTo"),
		DryRun: form.Get("do") == "dry", RunBy: "the dashboard",
	}
	for name, into := range map[string]*int{"maxUrls": &req.MaxURLs, "maxUrlsPerSource": &req.MaxURLsPerSource, "concurrency": &req.Concurrency, "delayMs": &req.DelayMS} {
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
func (s *server) run(r *http.Request) (page, error) {
	run, err := s.Client.BackfillRun(r.Context(), r.PathValue("id"))
	if err != nil {
		return page{}, err
	}
	sites, err := s.Client.BackfillSites(r.Context())
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
	return strings.Join(names[:some], ", ") + " and " + count(len(names)-some, "other")
}

// actRun pauses, resumes or cancels a run.
func (s *server) actRun(r *http.Request) (page, error) {
	if err := r.ParseForm(); err != nil {
		return page{}, badForm(err)
	}
	id, what := r.PathValue("id"), r.PostForm.Get("do")
	var err error
	switch what {
	case "pause":
		_, err = s.Client.PauseBackfill(r.Context(), id)
	case "resume":
		_, err = s.Client.ResumeBackfill(r.Context(), id)
	case "cancel":
		_, err = s.Client.CancelBackfill(r.Context(), id)
	default:
		err = badRequest("a run can be paused, resumed or cancelled")
	}
	return page{to: "/backfill/" + url.PathEscape(id) + "?done=run-" + what}, err
}

// fullRun is the number of addresses that a run's bar is full at. What it will find is not known before;
// its cap is.
func fullRun(r api.BackfillRun) int {
	if r.Over() {
		return max(1, r.Discovered)
	}
	return max(1, r.MaxURLs)
}

// fullSource is fullRun of one source.
func fullSource(r api.BackfillRun, p api.BackfillProgress) int {
	if r.Over() || p.State == "done" || p.State == "failed" {
		return max(1, p.Discovered)
	}
	return max(1, r.MaxURLsPerSource)
}
