package ui

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// itemsFuncs are the functions that the templates of this part call.
var itemsFuncs = template.FuncMap{
	"besides": besides, "blocks": blocks, "bulkBar": bulkBar, "bulkName": bulkName, "changeRate": changeRate,
	"extent":       extent,
	"facts":        facts,
	"sharePercent": sharePercent, "aroundWord": aroundWord, "offerWord": offerWord,
	"fieldGroups": fieldGroupsOf, "fieldPath": fieldPath, "csvPath": csvPath,
	"newRulePath": newRulePath, "sourceWord": sourceWord,
}

// itemsViews returns the pages and forms about items, by pattern. They are the list of items with its bulk actions, the
// page of an item with its past, the differences between two versions, and the settings of items and tags.
func (a area) itemsViews() map[string]viewFunc {
	return map[string]viewFunc{
		"GET /items":                       a.items,
		"GET /items/bulk":                  a.bulk,
		"GET /items/{id}":                  a.item,
		"GET /items/{id}/settings":         a.settings,
		"GET /items/{id}/stop":             a.stop,
		"GET /items/{id}/diff":             a.diff,
		"GET /items/{id}/images":           a.images,
		"GET /items/{id}/pick":             a.pick,
		"GET /items/{id}/ignore":           a.patterns,
		"GET /items/{id}/fields/{name...}": a.field,
		"GET /tags":                        a.tags,
		"GET /tags/{tag}":                  a.tag,

		"POST /items/bulk":          a.startBulk,
		"POST /items/{id}":          a.act,
		"POST /items/{id}/settings": a.saveSettings,
		"POST /items/{id}/ignore":   a.ignore,
		"POST /items/{id}/memory":   a.remember,
		"POST /items/{id}/pick":     a.savePicked,
		"POST /tags/{tag}":          a.actTag,
	}
}

// pageSize is the number of rows on a page of the list.
const pageSize = 50

type itemsData struct {
	api.ItemPage
	Host, Status, Tag, Find, Sort string
	Paused                        bool
	First                         bool // whether this is the first page of the list
	Problem                       *api.Problem
	Filters                       savedFilters

	// The input of a refused bulk action, which is shown again.

	Chosen   []string
	Of, With string
}

// columns are the columns of the list, each with the order that a click on the column selects.
var columns = []struct{ Name, Sort string }{{"Source", "source"}, {"Status", "status"}, {"Checked", "-lastChecked"},
	{"Changed", "-lastChanged"}, {"Next check", "nextCrawlAt"}}

// Columns returns the columns of the list.
func (itemsData) Columns() any { return columns }

// Orders returns the orders of the list. The present one is always among them.
func (d itemsData) Orders() []choice {
	out := choices("", "the usual order", "source", "address", "status", "status",
		"-lastChecked", "last checked first", "-lastChanged", "last changed first", "nextCrawlAt", "next check first")
	if !slices.ContainsFunc(out, func(c choice) bool { return c.Value == d.Sort }) {
		out = append(out, choice{Value: d.Sort, Text: d.Sort})
	}
	return out
}

// Filtered reports whether a filter is set.
func (d itemsData) Filtered() bool {
	return d.Find != "" || d.Host != "" || d.Status != "" || d.Tag != "" || d.Paused
}

// Pausing returns the value of the parameter "paused".
func (d itemsData) Pausing() string {
	if d.Paused {
		return "true"
	}
	return ""
}

// Order reports how the list is sorted by the given column: ascending, descending, or not at all.
func (d itemsData) Order(by string) string {
	switch by = strings.TrimPrefix(by, "-"); d.Sort {
	case by:
		return "ascending"
	case "-" + by:
		return "descending"
	}
	return "none"
}

// Turned returns the order that a click on a column selects. A click on the column by which the
// list is already sorted reverses the order.
func (d itemsData) Turned(by string) string {
	if d.Sort != by {
		return by
	}
	if up, down := strings.CutPrefix(by, "-"); down {
		return up
	}
	return "-" + by
}

// IsChosen reports whether the checkbox of an item is ticked.
func (d itemsData) IsChosen(id string) bool { return slices.Contains(d.Chosen, id) }

// itemFilter reads the filter from an address or from a form.
func itemFilter(q url.Values) itemsData {
	return itemsData{Host: strings.TrimSpace(q.Get("host")), Status: q.Get("status"), Tag: strings.TrimSpace(q.Get("tag")),
		Paused: q.Get("paused") != "", Find: strings.TrimSpace(q.Get("find")), Sort: q.Get("sort"),
		First: q.Get("after") == ""}
}

// Search returns the search of the list in the form of a rule, or "" if a rule cannot have it.
func (d itemsData) Search() string {
	if d.Status != "" || d.Paused || d.Host+d.Tag+d.Find == "" {
		return ""
	}
	q := url.Values{}
	for name, value := range map[string]string{"host": d.Host, "tag": d.Tag, "find": d.Find} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}

func (d itemsData) query(top int, after string) api.ItemQuery {
	return api.ItemQuery{Host: d.Host, Status: api.Status(d.Status), Tag: d.Tag, Paused: d.Paused, Sort: d.Sort,
		Top: top, Continuation: after}
}

// items lists the items. It first reads the text in the search field as an address or an id. If no
// item has that address or id, it searches the pages for the text.
func (a area) items(r *http.Request) (page, error) {
	d := itemFilter(r.URL.Query())
	me, err := api.GetReader.Call(r.Context(), a.client, api.None{})
	if err != nil {
		return page{}, err
	}
	d.Filters = filtersOf(me.Filters, "items", "/items", r.URL.Query())
	return a.itemsPage(r, d, r.URL.Query().Get("after"))
}

func (a area) itemsPage(r *http.Request, d itemsData, after string) (p page, err error) {
	if d.Find != "" {
		d.Items, err = a.find(r, d)
	} else {
		d.ItemPage, err = api.ListItems.Call(r.Context(), a.client, d.query(pageSize, after))
	}
	problem := refusal(err)
	if problem != nil && fieldMessage(problem, "sort") != "" && d.Sort != "" {
		d.Sort, d.Problem = "", problem // there are too many items to sort, so they are listed unsorted
		d.First = true
		d.ItemPage, err = api.ListItems.Call(r.Context(), a.client, d.query(pageSize, ""))
		problem = refusal(err)
	}
	if problem != nil {
		d.Problem, err = problem, nil
	}
	p = page{Name: "items", Title: "Pages", Data: d}
	if d.Problem != nil && fieldMessage(d.Problem, "sort") == "" {
		p.Status = d.Problem.Status
	}
	return p, err
}

// find lists the items that the text in the search field may mean.
func (a area) find(r *http.Request, d itemsData) (out []api.Item, err error) {
	if it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: strings.ToLower(d.Find)}); err == nil {
		return []api.Item{it.Item}, nil
	}
	found, err := api.Search.Call(r.Context(), a.client, api.SearchRequest{Q: d.Find, Top: pageSize, Host: d.Host,
		Type: api.TypePage})
	if err != nil {
		return nil, err
	}
	for _, res := range found.Results {
		it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: res.ID})
		if err == nil && d.fits(it.Item) { // on error, the item has been removed meanwhile
			out = append(out, it.Item)
		}
	}
	return out, nil
}

// fits reports whether an item that was found passes the other filters.
func (d itemsData) fits(it api.Item) bool {
	return (d.Status == "" || string(it.Status) == d.Status) && (!d.Paused || it.Paused) &&
		(d.Tag == "" || slices.Contains(it.Tags, strings.ToLower(d.Tag)))
}
