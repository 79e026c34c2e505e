package frame

import (
	"net/url"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// passing are the parameters in a list's address that are not part of its filter.
var passing = []string{"after", "done", "page"}

// SavedFilters is the data of the template "filters".
type SavedFilters struct {
	List  string // "changes" or "items"
	Query string // the filter that the list has now; "" for none
	Saved []savedFilter
}

type savedFilter struct {
	api.SavedFilter
	To string
	On bool
}

// FiltersOf returns those of the kept filters that belong to a list, and the list's present filter. The given path is
// that of the list's page.
func FiltersOf(kept []api.SavedFilter, list, path string, q url.Values) SavedFilters {
	out := SavedFilters{List: list, Query: filterQuery(q)}
	for _, f := range kept {
		if f.List == list {
			out.Saved = append(out.Saved, savedFilter{f, Root + path + "?" + f.Query, f.Query == out.Query})
		}
	}
	return out
}

// filterQuery returns the part of a query that is a filter. Equal filters give equal text.
func filterQuery(q url.Values) string {
	out := url.Values{}
	for name, values := range q {
		if !slices.Contains(passing, name) && values[0] != "" {
			out[name] = values
		}
	}
	return out.Encode()
}

// Known reports whether the list's present filter is already saved.
func (f SavedFilters) Known() bool {
	return slices.ContainsFunc(f.Saved, func(s savedFilter) bool { return s.On })
}
