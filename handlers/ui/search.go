package ui

import (
	"bytes"
	"cmp"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

type searchData struct {
	api.SearchResponse
	Query                          url.Values // the query of this page
	Q, Host, Type, Language, Since string
	PublishedAfter                 string
	AsOf                           string // the day whose versions the results lead to
	Pictures                       bool
	Skip                           int
	NoPage                         bool // whether there are no items yet
	Suggested                      []string
}

// search shows the results with passages, and, on request, with images.
func (v *visit) search() page {
	q := v.URL.Query()
	skip, _ := strconv.Atoi(q.Get("skip"))
	d := searchData{
		Query: q, Q: strings.TrimSpace(q.Get("q")), Host: q.Get("host"), Type: q.Get("type"), Language: q.Get("language"),
		Since: q.Get("since"), PublishedAfter: q.Get("publishedAfter"), AsOf: q.Get("asOf"),
		Pictures: q.Get("pictures") != "", Skip: max(0, skip),
	}
	if d.Q == "" {
		st, err := api.GetStatus.Call(v.Context(), v.client, api.StatusQuery{})
		d.NoPage = err == nil && st.Total() == 0
		return d.page()
	}
	d.SearchResponse = ask(v, api.Search, api.SearchRequest{
		Q: d.Q, Host: d.Host, Type: d.Type, Language: d.Language, Since: d.Since, PublishedAfter: d.PublishedAfter,
		Tag: q.Get("tag"), Sort: q.Get("sort"), ChangedAfter: q.Get("changedAfter"),
		MaxAge: q.Get("maxAge"), Stale: q.Get("stale"), Skip: d.Skip, NestImages: true, Facets: api.AllFacets,
	})
	// A search works without completions of what was typed, so that errors are ignored.
	found, _ := api.Suggest.Call(v.Context(), v.client, api.SuggestQuery{Q: d.Q})
	d.Suggested = found.Suggestions
	return d.page()
}

func (d searchData) page() page {
	return page{Name: "search", Title: "Search", Data: d, Pictures: d.Pictures}
}

// Next returns the offset of the next page; 0 on the last page.
func (d searchData) Next() int {
	if next := d.Skip + len(d.Results); next < d.Count && len(d.Results) > 0 {
		return next
	}
	return 0
}

// More returns the address of the next page.
func (d searchData) More() string { return d.with("skip", strconv.Itoa(d.Next())) }

// with(name, value) is the address of the first page of this search, with one parameter changed.
func (d searchData) with(name, value string) string {
	q := maps.Clone(d.Query)
	q.Del("skip")
	if q.Set(name, value); value == "" {
		q.Del(name)
	}
	return linkTo(Root+"/search", q)
}

type facetName struct {
	param, title string
	of           func(*api.Facets) []api.Facet
	text         map[string]string
}

// say returns the text for a value of a facet.
func (n facetName) say(value string) string { return cmp.Or(n.text[value], value) }

// facetNames are the parameters that limit a search to one value of a facet, with texts for the values.
var facetNames = []facetName{
	{"type", "Type", func(f *api.Facets) []api.Facet { return f.Types }, nil},
	{"host", "Host", func(f *api.Facets) []api.Facet { return f.Hosts }, nil},
	{"tag", "Tag", func(f *api.Facets) []api.Facet { return f.Tags }, nil},
	{"language", "Language", func(f *api.Facets) []api.Facet { return f.Languages }, nil},
	{"since", "Changed", func(f *api.Facets) []api.Facet { return f.Ages },
		map[string]string{"day": "today", "week": "this week", "month": "this month", "year": "this year"}},
}

// A facet is a parameter that narrows the search, or that could narrow it.
type facet struct {
	Title string
	Chips []facetChip
}

type facetChip struct {
	chip
	Count int
}

// Filtered reports whether a field of the form other than the words is set.
func (d searchData) Filtered() bool {
	return d.Host+d.Type+d.Since+d.PublishedAfter+d.AsOf+d.Query.Get("sort")+d.Query.Get("changedAfter")+
		d.Query.Get("maxAge") != "" || d.Pictures
}

// Narrow lists the facets that would divide the results, and the facets that already narrow the
// search. It leaves out the age "older", because no filter selects it.
func (d searchData) Narrow() (out []facet) {
	if d.Facets == nil {
		return nil
	}
	for _, n := range facetNames {
		one, held := facet{Title: n.title}, d.Query.Get(n.param)
		if held != "" {
			one.Chips = []facetChip{{chip{Text: n.say(held) + " ×", To: d.with(n.param, ""), On: true}, 0}}
		} else if values := n.of(d.Facets); len(values) > 1 {
			for _, v := range values {
				if n.text == nil || n.text[v.Value] != "" {
					chip := chip{Text: n.say(v.Value), To: d.with(n.param, v.Value)}
					one.Chips = append(one.Chips, facetChip{chip, v.Count})
				}
			}
		}
		if len(one.Chips) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// foundAs returns the types to which a search can be narrowed.
func foundAs() []choice {
	return choices("", "anything", api.TypePage, "pages", api.TypeEntry, "entries")
}

// A piece is a part of a passage, either wholly highlighted or not at all.
type piece struct {
	Text string
	Hit  bool
}

// marked splits a passage into highlighted and other pieces. Highlights outside the passage are ignored.
func marked(p api.Passage) []piece {
	var out []piece
	at := 0
	for _, r := range p.Highlights {
		if r.From < at || r.To > len(p.Text) || r.From >= r.To {
			continue
		}
		out = append(out, piece{p.Text[at:r.From], false}, piece{p.Text[r.From:r.To], true})
		at = r.To
	}
	return append(out, piece{strings.ToValidUTF8(p.Text[at:], "�"), false})
}

// maxReading limits the number of bytes of a text that are shown.
const maxReading = 512 << 10

type readingData struct {
	Item          api.Item
	Capture       api.Capture
	Earlier, Next string        // digests of the captures before and after this one
	Body          template.HTML // from a converter that lets no HTML through
	Cut           bool
}

// reading shows the text of a page as it is now, as it was on a given day, or as it is in a given capture.
func (v *visit) reading() page {
	asOf := cmp.Or(v.PathValue("sha256"), v.URL.Query().Get("asOf"))
	text := ask(v, api.GetPageText,
		api.TextQuery{ID: v.PathValue("id"), AsOf: asOf, Format: "json", Zone: v.URL.Query().Get("zone")})
	it := ask(v, api.GetItem, api.ItemID{ID: text.ItemID})
	d := readingData{Item: it.Item, Capture: api.Capture{SHA256: text.Capture, CapturedAt: text.At},
		Cut: len(text.Text) > maxReading}
	all := bodies(it.Captures)
	if i := slices.IndexFunc(all, func(c api.Capture) bool { return c.SHA256 == text.Capture }); i >= 0 {
		d.Capture = all[i]
		if i > 0 {
			d.Next = all[i-1].SHA256
		}
		if i+1 < len(all) {
			d.Earlier = all[i+1].SHA256
		}
	}
	var body bytes.Buffer
	v.fail(untrusted.Convert([]byte(words.Clip(strings.ToValidUTF8(text.Text, "�"), maxReading)), &body))
	d.Body = template.HTML(body.String())
	return page{Name: "reading", Title: itemTitle(it.Item), Data: d}
}
