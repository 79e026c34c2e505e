package ui

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

type indexData struct {
	api.SearchStatus
	Health  api.Health
	Host    string // as the person typed it
	Problem *api.Problem
}

// index shows whether the index is up to date, and the forms that check or rebuild it.
func (a area) index(r *http.Request) (page, error) {
	return a.indexPage(r, r.URL.Query().Get("host"), nil)
}

func (a area) indexPage(r *http.Request, host string, problem *api.Problem) (page, error) {
	st, err := a.tally.Counts(r.Context())
	d := indexData{SearchStatus: st.SearchStatus, Host: host, Problem: problem, Health: a.healthOf(r)}
	p := page{Name: "index", Title: "Index", Data: d}
	if problem != nil {
		p.Status = problem.Status
	}
	return p, err
}

// healthOf returns the app's own report of its health, or the error that prevented the report.
func (a area) healthOf(r *http.Request) api.Health {
	h, err := api.GetHealth.Call(r.Context(), a.client, api.None{})
	if err != nil {
		h.Status = err.Error()
	}
	return h
}

// startRebuild starts a rebuild or an audit, or shows the form again with the errors in it.
func (a area) startRebuild(r *http.Request) (page, error) {
	host := strings.TrimSpace(r.PostForm.Get("host"))
	var req api.RebuildRequest
	if host != "" {
		req.Scope = &api.RebuildScope{Host: host}
	}
	switch r.PostForm.Get("do") {
	case "audit":
		req.Audit = true
	case "refetch":
		req.Refetch = true
	case "rebuild":
	default:
		return page{}, badRequest("the index can be rebuilt or audited")
	}
	run, err := api.StartRebuild.Call(r.Context(), a.client, req)
	if problem := refusal(err); problem != nil {
		return a.indexPage(r, host, problem)
	}
	return goTo("/index/run?id=" + url.QueryEscape(run.ID)), err
}

// rebuild shows one rebuild or audit. The id is a parameter and not a part of the path, because it
// has upper-case letters and paths are changed to lower case.
func (a area) rebuild(r *http.Request) (page, error) {
	run, err := api.GetRebuild.Call(r.Context(), a.client, api.RebuildID{ID: r.URL.Query().Get("id")})
	return page{Name: "rebuild", Title: rebuildName(run), Data: run}, err
}

// rebuildName returns a name for a rebuild or an audit.
func rebuildName(run api.Rebuild) string {
	what, of := "Rebuild of ", "everything"
	if run.Audit {
		what = "Audit of "
	}
	if run.Host != "" {
		of = run.Host
	}
	return what + of
}

// rebuildBar returns the progress of a rebuild. The total is known only after all items have been marked for it.
func rebuildBar(run api.Rebuild) progressBar {
	switch run.Status {
	case api.RebuildDone:
		return newBar(1, 1, "done")
	case api.RebuildIndexing:
		return newBar(run.Marked-min(run.Left, run.Marked), max(1, run.Marked), "indexed again")
	}
	return progressBar{What: run.Status}
}

// phase describes what a rebuild is doing now.
func phase(run api.Rebuild) string {
	return map[string]string{
		api.RebuildMarking:  "Items are being marked to be indexed again.",
		api.RebuildEntries:  "Entries are being put into the index.",
		api.RebuildClearing: "Leftovers without an item or an entry are being removed from the index.",
		api.RebuildIndexing: "All items are marked; the rest are waiting for a worker.",
		api.RebuildCounting: "The results are being counted.",
		api.RebuildDone:     "Done.",
	}[run.Status]
}
