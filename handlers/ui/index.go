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
	Host    string // that was asked for
	Problem *api.Problem
}

// index shows how true the index is, and the forms that check or rebuild it.
func index(o Options, r *http.Request) (page, error) {
	return indexPage(o, r, r.URL.Query().Get("host"), nil)
}

func indexPage(o Options, r *http.Request, host string, problem *api.Problem) (page, error) {
	d := indexData{Host: host, Problem: problem, Health: healthOf(o, r)}
	var err error
	d.SearchStatus, err = api.GetStatus.Call(r.Context(), o.Client, api.StatusQuery{Host: ""})
	p := page{name: "index", title: "Index", data: d}
	if problem != nil {
		p.status = problem.Status
	}
	return p, err
}

// health is what the app says of itself; what it fails with when it does not.
func healthOf(o Options, r *http.Request) api.Health {
	h, err := api.GetHealth.Call(r.Context(), o.Client, api.None{})
	if err != nil {
		h.Status = err.Error()
	}
	return h
}

// startRebuild begins a rebuild or an audit, or shows the form again with what is wrong with it.
func startRebuild(o Options, r *http.Request) (page, error) {
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
	run, err := api.StartRebuild.Call(r.Context(), o.Client, req)
	if problem := refusal(err); problem != nil {
		return indexPage(o, r, host, problem)
	}
	return page{to: "/index/run?id=" + url.QueryEscape(run.ID)}, err
}

// rebuild shows one rebuild or audit. Its id has upper-case letters, which paths lose on their way.
func rebuild(o Options, r *http.Request) (page, error) {
	run, err := api.GetRebuild.Call(r.Context(), o.Client, api.RebuildID{ID: r.URL.Query().Get("id")})
	return page{name: "rebuild", title: rebuildName(run), data: run}, err
}

// rebuildName says what a rebuild is about.
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

// rebuildBar is how far a rebuild is with what it has marked. Until all is marked nobody knows of how much.
func rebuildBar(run api.Rebuild) bar {
	switch run.Status {
	case api.RebuildDone:
		return bar{1, 1, "done"}
	case api.RebuildIndexing:
		return bar{run.Marked - min(run.Left, run.Marked), max(1, run.Marked), "indexed again"}
	}
	return bar{What: run.Status}
}

// phase says what a rebuild is doing.
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
