package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

type searchData struct {
	api.SearchResponse
	Query                          url.Values // of this page
	Q, Host, Type, Language, Since string
	PublishedAfter                 string
	AsOf                           string // the day for which results show how they were
	Pictures                       bool
	Skip                           int
	NoPage                         bool // is registered
	Suggested                      []string
}

// search shows what is found, with passages, and pictures when asked to.
func search(o Options, r *http.Request) (page, error) {
	q := r.URL.Query()
	skip, _ := strconv.Atoi(q.Get("skip"))
	d := searchData{
		Query: q, Q: strings.TrimSpace(q.Get("q")), Host: q.Get("host"), Type: q.Get("type"), Language: q.Get("language"),
		Since: q.Get("since"), PublishedAfter: q.Get("publishedAfter"), AsOf: q.Get("asOf"),
		Pictures: q.Get("pictures") != "", Skip: max(0, skip),
	}
	p := page{name: "search", title: "Search", pictures: d.Pictures}
	if d.Q == "" {
		st, err := api.GetStatus.Call(r.Context(), o.Client, api.StatusQuery{})
		d.NoPage = err == nil && st.Total() == 0
		p.data = d
		return p, nil
	}
	var err error
	d.SearchResponse, err = api.Search.Call(r.Context(), o.Client, api.SearchRequest{
		Q: d.Q, Host: d.Host, Type: d.Type, Language: d.Language, Since: d.Since, PublishedAfter: d.PublishedAfter,
		Tag: q.Get("tag"), Sort: q.Get("sort"), Skip: d.Skip, NestImages: true, Facets: api.AllFacets,
	})
	d.Suggested = suggested(o, r, d.Q)
	p.data = d
	return p, err
}

// suggested completes what is typed. A search is as good without, so an error is none.
func suggested(o Options, r *http.Request, typed string) []string {
	found, err := api.Suggest.Call(r.Context(), o.Client, api.SuggestQuery{Q: typed})
	if err != nil {
		return nil
	}
	return found.Suggestions
}

// Next is where the next page begins; 0 after the last.
func (d searchData) Next() int {
	if next := d.Skip + len(d.Results); next < d.Count && len(d.Results) > 0 {
		return next
	}
	return 0
}

// More is the address of the next page.
func (d searchData) More() string { return d.with("skip", strconv.Itoa(d.Next())) }

// with is the address of this search with another value of a parameter, from its first page on.
func (d searchData) with(name, value string) string {
	q := maps.Clone(d.Query)
	q.Del("skip")
	if q.Set(name, value); value == "" {
		q.Del(name)
	}
	return withQuery(Root+"/search", q)
}

type facetName struct {
	param, title string
	of           func(*api.Facets) []api.Facet
	text         map[string]string
}

// say is a value in words.
func (n facetName) say(value string) string { return cmp.Or(n.text[value], value) }

// facetNames are the parameters that facets narrow a search by, with what is said of a value.
var facetNames = []facetName{
	{"type", "Type", func(f *api.Facets) []api.Facet { return f.Types }, nil},
	{"host", "Host", func(f *api.Facets) []api.Facet { return f.Hosts }, nil},
	{"tag", "Tag", func(f *api.Facets) []api.Facet { return f.Tags }, nil},
	{"language", "Language", func(f *api.Facets) []api.Facet { return f.Languages }, nil},
	{"since", "Changed", func(f *api.Facets) []api.Facet { return f.Ages },
		map[string]string{"day": "today", "week": "this week", "month": "this month", "year": "this year"}},
}

// facet is what a search can be narrowed to, or widened from.
type facet struct {
	Title string
	Chips []facetChip
}

type facetChip struct {
	chip
	Count int
}

// Narrow lists the facets that tell results apart, and those that hold. Ages beyond the last have no filter.
func (d searchData) Narrow() (out []facet) {
	if d.Facets == nil {
		return nil
	}
	for _, n := range facetNames {
		one, held := facet{Title: n.title}, d.Query.Get(n.param)
		if held != "" {
			one.Chips = []facetChip{{chip{n.say(held) + " ×", d.with(n.param, ""), true}, 0}}
		} else if values := n.of(d.Facets); len(values) > 1 {
			for _, v := range values {
				if n.text == nil || n.text[v.Value] != "" {
					one.Chips = append(one.Chips, facetChip{chip{n.say(v.Value), d.with(n.param, v.Value), false}, v.Count})
				}
			}
		}
		if len(one.Chips) > 0 {
			out = append(out, one)
		}
	}
	return out
}
