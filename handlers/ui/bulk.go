package ui

import (
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// countedItems is how many items are counted before somebody is asked whether they are meant.
const countedItems = 5000

type sureData struct {
	itemsData
	IDs    []string
	Number string
}

// startBulk does one thing to the items that were chosen. A removal is asked about first.
func startBulk(o Options, r *http.Request) (page, error) {
	f := r.PostForm
	d := itemFilter(f)
	d.Chosen, d.Of, d.With = f["id"], f.Get("of"), f.Get("with")
	req := api.BulkRequest{Op: f.Get("do"), IDs: d.Chosen}
	if req.Op == "tag" || req.Op == "untag" {
		req.Tag = d.With
	}
	switch d.Of {
	case "page":
		req.IDs = f["page"]
	case "filter":
		req.IDs = nil
		req.Filter = &api.ItemFilter{Host: d.Host, Status: api.Status(d.Status), Tag: d.Tag, Paused: d.Paused,
			All: !d.Filtered()}
	}
	if (req.Filter == nil || d.Find != "") && len(req.IDs) == 0 { // no filter of the API knows what was found
		return refusedBulk(o, r, d, &api.Problem{Status: http.StatusBadRequest, Errors: []api.FieldError{{Field: "ids",
			Message: "no item is selected: select some, or choose all on this page or all that match"}}})
	}
	if req.Op == "remove" && f.Get("sure") == "" {
		n, err := countMeant(o, r, d, req)
		return page{name: "remove", title: "Remove " + n + "?", data: sureData{d, req.IDs, n}}, err
	}
	run, err := api.StartBulk.Call(r.Context(), o.Client, req)
	if problem := refusal(err); problem != nil {
		return refusedBulk(o, r, d, problem)
	}
	return page{to: "/items/bulk?id=" + url.QueryEscape(run.ID)}, err
}

// refusedBulk shows the list again, with what was chosen and what is wrong with it.
func refusedBulk(o Options, r *http.Request, d itemsData, problem *api.Problem) (page, error) {
	p, err := itemsPage(o, r, d, r.PostForm.Get("after"))
	if shown, ok := p.data.(itemsData); ok {
		shown.Problem = problem
		p.data, p.status = shown, problem.Status
	}
	return p, err
}

// countMeant says how many items a request means.
func countMeant(o Options, r *http.Request, d itemsData, req api.BulkRequest) (string, error) {
	n, after := len(req.IDs), ""
	for d.Sort = ""; req.Filter != nil; {
		list, err := api.ListItems.Call(r.Context(), o.Client, d.query(1000, after))
		if err != nil {
			return "", err
		}
		if n, after = n+len(list.Items), list.Continuation; after == "" {
			break
		}
		if n >= countedItems {
			return "more than " + words.Count(n, "item"), nil
		}
	}
	return words.Count(n, "item"), nil
}

// bulk shows how far a run over many items is.
func bulk(o Options, r *http.Request) (page, error) {
	id := r.URL.Query().Get("id")
	if id == "" {
		return page{to: "/items"}, nil
	}
	run, err := api.GetBulk.Call(r.Context(), o.Client, api.BulkID{ID: id})
	return page{name: "bulk", title: bulkName(run), data: run}, err
}

// bulkName says what a run does.
func bulkName(run api.BulkRun) string {
	switch run.Op {
	case "tag":
		return "Tag " + run.Tag
	case "untag":
		return "Untag " + run.Tag
	case "replan":
		return "Reschedule the checks of " + run.Tag
	case "check":
		return "Check now"
	case "pause":
		return "Pause"
	case "resume":
		return "Resume"
	}
	return "Remove"
}

// bulkBar is how far a run is. Nobody knows of how many items before its end.
func bulkBar(run api.BulkRun) bar {
	if run.Status == "done" {
		return bar{1, 1, "done"}
	}
	return bar{What: run.Status}
}
