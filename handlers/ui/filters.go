package ui

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// passing are the parameters of a list that are not part of its filter.
var passing = []string{"after", "done", "page"}

// savedFilters are what the template "filters" shows on a list.
type savedFilters struct {
	List  string // changes or items
	Query string // what the list shows now; "" for everything
	Saved []savedFilter
}

type savedFilter struct {
	api.SavedFilter
	To string
	On bool
}

// filtersOf are those that a reader keeps for a list, whose page is at a path.
func filtersOf(kept []api.SavedFilter, list, path string, q url.Values) savedFilters {
	out := savedFilters{List: list, Query: filterQuery(q)}
	for _, f := range kept {
		if f.List == list {
			out.Saved = append(out.Saved, savedFilter{f, Root + path + "?" + f.Query, f.Query == out.Query})
		}
	}
	return out
}

// filterQuery is what of an address is a filter, always in the same form.
func filterQuery(q url.Values) string {
	out := url.Values{}
	for name, values := range q {
		if !slices.Contains(passing, name) && values[0] != "" {
			out[name] = values
		}
	}
	return out.Encode()
}

// Known reports whether what the list shows now is kept already.
func (f savedFilters) Known() bool {
	return slices.ContainsFunc(f.Saved, func(s savedFilter) bool { return s.On })
}

// listPaths are where the lists are that filters are kept for.
var listPaths = map[string]string{"changes": "/", "items": "/items"}

// saveFilter keeps a filter under a name, or forgets the one of that name.
func saveFilter(o Options, r *http.Request) (page, error) {
	f := api.SavedFilter{Name: r.PostForm.Get("name"), List: r.PostForm.Get("list"), Query: r.PostForm.Get("query")}
	me, err := api.GetReader.Call(r.Context(), o.Client, api.None{})
	if err != nil {
		return page{}, err
	}
	req := api.ReaderRequest{Filters: slices.DeleteFunc(me.Filters, func(k api.SavedFilter) bool {
		return k.Name == f.Name && k.List == f.List
	})}
	to, done := listPaths[f.List], "filter-forgotten"
	if r.PostForm.Get("do") != "forget" {
		req.Filters, done = append(req.Filters, f), "filter-kept"
		to += "?" + f.Query
	}
	_, err = api.SaveReader.Call(r.Context(), o.Client, req)
	back, parseErr := url.Parse(to)
	if err != nil || parseErr != nil {
		return page{}, err
	}
	q := back.Query()
	q.Set("done", done)
	return page{to: withQuery(back.Path, q)}, nil
}
