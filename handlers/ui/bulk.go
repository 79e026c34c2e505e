package ui

import (
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// countedItems limits the number of items that are counted before a person confirms a removal.
const countedItems = 5000

type sureData struct {
	itemsData
	IDs    []string
	Number string
}

// startBulk starts one action on the chosen items. A removal has to be confirmed first.
func (a area) startBulk(r *http.Request) (page, error) {
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
	if (req.Filter == nil || d.Find != "") && len(req.IDs) == 0 { // the API has no filter for the results of a search
		return a.refusedBulk(r, d, &api.Problem{Status: http.StatusBadRequest, Errors: []api.FieldError{{Field: "ids",
			Message: "no item is selected: select some, or choose all on this page or all that match"}}})
	}
	if req.Op == "remove" && f.Get("sure") == "" {
		n, err := a.countMeant(r, d, req)
		return page{Name: "remove", Title: "Remove " + n + "?", Data: sureData{d, req.IDs, n}}, err
	}
	run, err := api.StartBulk.Call(r.Context(), a.client, req)
	if problem := refusal(err); problem != nil {
		return a.refusedBulk(r, d, problem)
	}
	return goTo("/items/bulk?id=" + url.QueryEscape(run.ID)), err
}

// refusedBulk shows the list again, with the choices that the person made and the errors in them.
func (a area) refusedBulk(r *http.Request, d itemsData, problem *api.Problem) (page, error) {
	p, err := a.itemsPage(r, d, r.PostForm.Get("after"))
	if shown, ok := p.Data.(itemsData); ok {
		shown.Problem = problem
		p.Data, p.Status = shown, problem.Status
	}
	return p, err
}

// countMeant returns, in words, the number of items that a request selects.
func (a area) countMeant(r *http.Request, d itemsData, req api.BulkRequest) (string, error) {
	n, after := len(req.IDs), ""
	for d.Sort = ""; req.Filter != nil; {
		list, err := api.ListItems.Call(r.Context(), a.client, d.query(1000, after))
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

// bulk shows the progress of a bulk run.
func (a area) bulk(r *http.Request) (page, error) {
	id := r.URL.Query().Get("id")
	if id == "" {
		return goTo("/items"), nil
	}
	run, err := api.GetBulk.Call(r.Context(), a.client, api.BulkID{ID: id})
	return page{Name: "bulk", Title: bulkName(run), Data: run}, err
}

// bulkName returns the action of a run in words.
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

// bulkBar returns the progress of a run. The total number of items is known only at the end of the run.
func bulkBar(run api.BulkRun) progressBar {
	if run.Status == "done" {
		return newBar(1, 1, "done")
	}
	return progressBar{What: run.Status}
}
