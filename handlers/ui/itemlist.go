package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// pageSize is the number of rows on a page of the list.
const pageSize = 50

type itemsData struct {
	api.ItemPage
	Host, Status, Tag, Find, Sort string
	Paused                        bool
	First                         bool // whether this is the first page of the list
	Failing                       []failure
	MoreFailing                   int               // the number of further failing items
	Asked                         map[string]string // when people are told of an item, by its id
	Muted                         map[string]bool   // whether no messages come of an item, by its id
	Known                         []string          // the tags of the items that are listed
	Problem                       *api.Problem
	Filters                       savedFilters

	// The input of a refused bulk action, which is shown again.

	Chosen   []string
	Of, With string
}

// Orders returns the orders of the list. The present one is always among them.
func (d itemsData) Orders() []choice {
	out := choices("", "the usual order", "source", "address", "status", "state",
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
	return params("host", d.Host, "tag", d.Tag, "find", d.Find).Encode()
}

func (d itemsData) query(top int, after string) api.ItemQuery {
	return api.ItemQuery{Host: d.Host, Status: api.Status(d.Status), Tag: d.Tag, Paused: d.Paused, Sort: d.Sort,
		Find: d.Find, Top: top, Continuation: after}
}

// items lists the items, those that cannot be read first.
func (v *visit) items() page {
	d := itemFilter(v.URL.Query())
	me := ask(v, api.GetReader, api.None{})
	d.Filters = filtersOf(me.Filters, "items", "/items", v.URL.Query())
	return v.itemsPage(d, v.URL.Query().Get("after"))
}

func (v *visit) itemsPage(d itemsData, after string) page {
	d.ItemPage = v.listed(d, after)
	problem := v.refused()
	if problem != nil && fieldMessage(problem, "sort") != "" && d.Sort != "" {
		d.Sort, d.Problem, d.First = "", problem, true // there are too many items to sort, so they are listed unsorted
		d.ItemPage = v.listed(d, "")
		problem = v.refused()
	}
	d.Problem = cmp.Or(problem, d.Problem)
	v.besideItems(&d)
	p := page{Name: "items", Title: "Pages", Data: d}
	if fieldMessage(d.Problem, "sort") == "" {
		p.Refused = d.Problem
	}
	return p
}

// listed lists the items. The text in the search field is an address, an id, a part of an address or a title, or words
// of a page.
func (v *visit) listed(d itemsData, after string) api.ItemPage {
	q := d.query(pageSize, after)
	q.Removing = true
	if d.Find == "" || after != "" {
		return ask(v, api.ListItems, q)
	}
	if it, err := v.found(strings.ToLower(d.Find)); err == nil {
		return api.ItemPage{Items: []api.Item{it}}
	}
	out := ask(v, api.ListItems, q)
	words := api.SearchRequest{Q: d.Find, Top: wordsFound, Host: d.Host, Type: api.TypePage}
	for _, res := range ask(v, api.Search, words).Results {
		if slices.ContainsFunc(out.Items, func(it api.Item) bool { return it.ID == res.ID }) {
			continue
		}
		it, err := v.found(res.ID)
		if err == nil && d.fits(it) { // on error, the item has been removed meanwhile
			out.Items = append(out.Items, it)
		}
	}
	return out
}

// found returns an item that may be known.
func (v *visit) found(id string) (api.Item, error) {
	it, err := api.GetItem.Call(v.Context(), v.client, api.ItemID{ID: id})
	return it.Item, err
}

// besideItems adds what stands beside the list: the items that cannot be read, when people are told, and the tags.
func (v *visit) besideItems(d *itemsData) {
	if d.First && !d.Filtered() {
		counts, err := v.tally.Lately(v.Context())
		v.fail(err)
		bad := slices.Clone(counts.found.Errors)
		for _, it := range counts.found.Broken {
			bad = append(bad, failure{Item: it})
		}
		d.Failing = bad[:min(len(bad), failingShown)]
		d.MoreFailing = counts.found.Failing + len(counts.found.Broken)
		for _, f := range d.Failing {
			d.MoreFailing -= max(f.Pages, 1)
		}
	}
	d.Items = slices.DeleteFunc(d.Items, func(it api.Item) bool {
		return slices.ContainsFunc(d.Failing, func(bad failure) bool { return bad.ID == it.ID && bad.Pages == 0 })
	})
	d.Asked, d.Muted = map[string]string{}, map[string]bool{}
	for _, m := range ask(v, api.ListMutes, api.MuteQuery{}).Mutes {
		d.Muted[m.ItemID] = d.Muted[m.ItemID] || !m.Ended
	}
	rules := ask(v, api.ListRules, api.RuleQuery{Brief: true, Top: rulesKnown}).Rules
	slices.SortStableFunc(rules, func(a, b api.Rule) int { // those for a page alone come first
		return cmp.Compare(min(len(b.Filter.ItemID), 1), min(len(a.Filter.ItemID), 1))
	})
	for _, rule := range rules {
		asks := strings.TrimPrefix(alertAsks(rule.RuleSpec), "when ")
		for _, it := range d.Items {
			had := d.Asked[it.ID]
			if rule.Enabled && isFor(rule.Filter, it) && !slices.Contains(strings.Split(had, "; "), asks) {
				d.Asked[it.ID] = strings.TrimPrefix(had+"; "+asks, "; ")
			}
		}
	}
	for _, it := range d.Items {
		d.Known = append(d.Known, it.Tags...)
	}
	slices.Sort(d.Known)
	d.Known = slices.Compact(d.Known)
	d.Known = d.Known[:min(len(d.Known), tagsShown)]
}

// The numbers of what stands beside the list.
const (
	wordsFound   = 10  // items that are found by words of their text
	failingShown = 10  // items that cannot be read
	rulesKnown   = 500 // alerts that are looked up
	tagsShown    = 12
)

// now says what an item holds at present: its values, the most important first.
func now(it api.Item) string {
	var said []string
	for _, name := range []string{"price", "availability"} {
		if text := it.Fields[name].Text; text != "" {
			said = append(said, text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(it.Fields)) {
		f := it.Fields[name]
		if text := f.Text; f.Asked && text != "" && !slices.Contains(said, text) && len(said) < 3 {
			said = append(said, text)
		}
	}
	return strings.Join(said, ", ")
}

// fits reports whether an item that was found passes the other filters.
func (d itemsData) fits(it api.Item) bool {
	return (d.Status == "" || string(it.Status) == d.Status) && (!d.Paused || it.Paused) &&
		(d.Tag == "" || slices.Contains(it.Tags, strings.ToLower(d.Tag)))
}

// countedItems limits the number of items that are counted before a person confirms a removal.
const countedItems = 5000

type sureData struct {
	itemsData
	IDs    []string
	Number string
}

// startBulk starts one action on the chosen items. A removal has to be confirmed first.
func (v *visit) startBulk() page {
	f := v.PostForm
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
		return v.refusedBulk(d, &api.Problem{Status: http.StatusBadRequest, Errors: []api.FieldError{{Field: "ids",
			Message: "no item is selected: select some, or choose all on this page or all that match"}}})
	}
	if req.Op == "remove" && f.Get("sure") == "" {
		n := v.countMeant(d, req)
		return page{Name: "remove", Title: "Remove " + n + "?", Data: sureData{d, req.IDs, n}}
	}
	run := ask(v, api.StartBulk, req)
	if problem := v.refused(); problem != nil {
		return v.refusedBulk(d, problem)
	}
	return goTo(withUndo("/items/bulk?id="+url.QueryEscape(run.ID), run.Undo))
}

// refusedBulk shows the list again, with the choices that the person made and the errors in them.
func (v *visit) refusedBulk(d itemsData, problem *api.Problem) page {
	p := v.itemsPage(d, v.PostForm.Get("after"))
	if shown, ok := p.Data.(itemsData); ok {
		shown.Problem = problem
		p.Data, p.Refused = shown, problem
	}
	return p
}

// countMeant returns, in words, the number of items that a request selects.
func (v *visit) countMeant(d itemsData, req api.BulkRequest) string {
	if req.Filter == nil {
		return words.Count(len(req.IDs), "item")
	}
	n := 0
	d.Sort = ""
	for list := range v.pages(d.query(1000, "")) {
		if n += len(list.Items); n >= countedItems && list.Continuation != "" {
			return "more than " + words.Count(n, "item")
		}
	}
	return words.Count(n, "item")
}

// bulk shows the progress of a bulk run.
func (v *visit) bulk() page {
	id := v.URL.Query().Get("id")
	if id == "" {
		return goTo("/items")
	}
	run := ask(v, api.GetBulk, api.BulkID{ID: id})
	return page{Name: "bulk", Title: bulkName(run), Data: run}
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
