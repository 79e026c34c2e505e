package ui

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// listPaths has the path of each list whose filters can be saved.
var listPaths = map[string]string{"changes": "/", "items": "/items"}

// saveFilter saves a filter under a name, or deletes the filter with that name.
func (a changesArea) saveFilter(r *http.Request) (frame.Page, error) {
	f := api.SavedFilter{Name: r.PostForm.Get("name"), List: r.PostForm.Get("list"), Query: r.PostForm.Get("query")}
	me, err := api.GetReader.Call(r.Context(), a.client, api.None{})
	if err != nil {
		return frame.Page{}, err
	}
	req := api.ReaderRequest{Filters: slices.DeleteFunc(me.Filters, func(k api.SavedFilter) bool {
		return k.Name == f.Name && k.List == f.List
	})}
	to, done := listPaths[f.List], "filter-forgotten"
	if r.PostForm.Get("do") != "forget" {
		req.Filters, done = append(req.Filters, f), "filter-kept"
		to += "?" + f.Query
	}
	_, err = api.SaveReader.Call(r.Context(), a.client, req)
	back, parseErr := url.Parse(to)
	if err != nil || parseErr != nil {
		return frame.Page{}, err
	}
	q := back.Query()
	q.Set("done", done)
	return frame.GoTo(frame.Address(back.Path, q)), nil
}
