package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

type itemsData struct {
	api.ItemPage
	Host, Status, Tag, Find, Sort string
	Paused                        bool
	First                         bool // the first page of the list
	Problem                       *api.Problem
	Filters                       savedFilters

	// What was typed for many items, when that was refused.

	Chosen   []string
	Of, With string
}

// columns are those of the list, each with the order that a click on it gives.
var columns = []struct{ Name, Sort string }{{"Source", "source"}, {"Status", "status"}, {"Checked", "-lastChecked"},
	{"Changed", "-lastChanged"}, {"Next check", "nextCrawlAt"}}

// Columns are those of the list.
func (itemsData) Columns() any { return columns }

// Filtered reports whether only some items are asked for.
func (d itemsData) Filtered() bool {
	return d.Find != "" || d.Host != "" || d.Status != "" || d.Tag != "" || d.Paused
}

// Pausing is the value of the parameter paused.
func (d itemsData) Pausing() string {
	if d.Paused {
		return "true"
	}
	return ""
}

// Order says how the list is sorted by a column: ascending, descending, or none.
func (d itemsData) Order(by string) string {
	switch by = strings.TrimPrefix(by, "-"); d.Sort {
	case by:
		return "ascending"
	case "-" + by:
		return "descending"
	}
	return "none"
}

// Turned is the order that a click on a column gives: the other way round where it is sorted by that already.
func (d itemsData) Turned(by string) string {
	if d.Sort != by {
		return by
	}
	if up, down := strings.CutPrefix(by, "-"); down {
		return up
	}
	return "-" + by
}

// IsChosen reports whether the box of an item is ticked.
func (d itemsData) IsChosen(id string) bool { return slices.Contains(d.Chosen, id) }

// itemFilter is the part of an address, or of a form, that says which items are meant.
func itemFilter(q url.Values) itemsData {
	return itemsData{Host: strings.TrimSpace(q.Get("host")), Status: q.Get("status"), Tag: strings.TrimSpace(q.Get("tag")),
		Paused: q.Get("paused") != "", Find: strings.TrimSpace(q.Get("find")), Sort: q.Get("sort"),
		First: q.Get("after") == ""}
}

func (d itemsData) query(top int, after string) api.ItemQuery {
	return api.ItemQuery{Host: d.Host, Status: api.Status(d.Status), Tag: d.Tag, Paused: d.Paused, Sort: d.Sort,
		Top: top, Continuation: after}
}

// items lists the registry. What is typed into its field is taken for an address or an id first, then
// for the words of a page.
func items(o Options, r *http.Request) (page, error) {
	d := itemFilter(r.URL.Query())
	me, err := api.GetReader.Call(r.Context(), o.Client, api.None{})
	if err != nil {
		return page{}, err
	}
	d.Filters = filtersOf(me.Filters, "items", "/items", r.URL.Query())
	return itemsPage(o, r, d, r.URL.Query().Get("after"))
}

func itemsPage(o Options, r *http.Request, d itemsData, after string) (p page, err error) {
	if d.Find != "" {
		d.Items, err = find(o, r, d)
	} else {
		d.ItemPage, err = api.ListItems.Call(r.Context(), o.Client, d.query(pageSize, after))
	}
	problem := refusal(err)
	if problem != nil && said(problem, "sort") != "" && d.Sort != "" {
		d.Sort, d.Problem = "", problem // too many to sort are listed as they come
		d.First = true
		d.ItemPage, err = api.ListItems.Call(r.Context(), o.Client, d.query(pageSize, ""))
		problem = refusal(err)
	}
	if problem != nil {
		d.Problem, err = problem, nil
	}
	p = page{name: "items", title: "Items", data: d}
	if d.Problem != nil && said(d.Problem, "sort") == "" {
		p.status = d.Problem.Status
	}
	return p, err
}

// find lists the items that a text may mean.
func find(o Options, r *http.Request, d itemsData) (out []api.Item, err error) {
	if it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: strings.ToLower(d.Find)}); err == nil {
		return []api.Item{it.Item}, nil
	}
	found, err := api.Search.Call(r.Context(), o.Client, api.SearchRequest{Q: d.Find, Top: pageSize, Host: d.Host,
		Type: api.TypePage})
	if err != nil {
		return nil, err
	}
	for _, res := range found.Results {
		it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: res.ID})
		if err == nil && d.fits(it.Item) { // it may have been removed meanwhile
			out = append(out, it.Item)
		}
	}
	return out, nil
}

// fits reports whether an item that was found is one of those asked for.
func (d itemsData) fits(it api.Item) bool {
	return (d.Status == "" || string(it.Status) == d.Status) && (!d.Paused || it.Paused) &&
		(d.Tag == "" || slices.Contains(it.Tags, strings.ToLower(d.Tag)))
}

// said is what a problem says of a field; "" for nothing.
func said(p *api.Problem, fields ...string) string {
	if p == nil {
		return ""
	}
	for _, e := range p.Errors {
		if slices.Contains(fields, e.Field) {
			return e.Message
		}
	}
	return ""
}
