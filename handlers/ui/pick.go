package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

type pickData struct {
	Item api.Item
	Find string
	api.PageElements
	Groups []lineGroup
}

// A lineGroup is some lines in a row that are all in the content of a page, or all in the same kind
// of part around it.
type lineGroup struct {
	Around string
	Lines  []api.ElementLine
}

// pick shows the texts of a page, of which a person chooses one to watch or to leave out.
func (a area) pick(r *http.Request) (page, error) {
	q := r.URL.Query()
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	if q.Get("element") != "" || q.Get("selector") != "" {
		return a.picked(r, it, q)
	}
	d := pickData{Item: it.Item, Find: q.Get("find")}
	d.PageElements, err = api.ListElements.Call(r.Context(), a.client,
		api.ElementQuery{ID: it.ID, Capture: q.Get("capture"), Find: d.Find})
	d.Groups = groupsOf(d.Lines)
	return page{Name: "pick", Title: "Choose a part of " + itemTitle(it.Item), Data: d}, err
}

// aroundWord names a part around the content of a page.
func aroundWord(around string) string {
	return map[string]string{"nav": "Navigation", "header": "Header", "footer": "Footer", "aside": "Beside"}[around]
}

func groupsOf(lines []api.ElementLine) (out []lineGroup) {
	for _, l := range lines {
		if len(out) == 0 || out[len(out)-1].Around != l.Around {
			out = append(out, lineGroup{Around: l.Around})
		}
		g := &out[len(out)-1]
		g.Lines = append(g.Lines, l)
	}
	return out
}

type pickedData struct {
	Item api.Item
	api.WatchTrial
	Asked api.TryRequest
	Form  Form
	Also  bool // parts of the page are watched already
}

// picked shows what a chosen element is, and what its selector finds in the last captures.
func (a area) picked(r *http.Request, it api.ItemDetail, f url.Values) (page, error) {
	q, err := choiceOf(it.ID, f)
	if err != nil {
		return page{}, err
	}
	d := pickedData{Item: it.Item, Asked: q, Form: partsForm(it),
		Also: len(effectiveWatch(it).Include) > 0}
	if d.WatchTrial, err = api.TryWatch.Call(r.Context(), a.client, q); err != nil {
		return page{}, err
	}
	d.Form.Values = form.Inputs(api.TagSettings{Watch: &d.Watch})
	return page{Name: "picked", Title: "Watch a part of " + itemTitle(it.Item), Data: d}, nil
}

// Scope returns the scope of the offer that is shown.
func (d pickedData) Scope() string { return cmp.Or(d.Asked.Scope, "this") }

// offerWord names an offer.
func offerWord(o api.PartOffer) string {
	switch {
	case o.Scope == "column":
		return "The column"
	case o.Scope == "alike" && o.Entries:
		return "All like this, new ones are told"
	case o.Scope == "alike":
		return "All like this"
	}
	return "This one"
}

// choiceOf reads which element was chosen.
func choiceOf(id string, f url.Values) (q api.TryRequest, err error) {
	q = api.TryRequest{ID: id, Capture: f.Get("capture"), Selector: f.Get("selector"), Scope: f.Get("scope"),
		As: f.Get("as")}
	for _, n := range []struct {
		name string
		into *int
	}{{"element", &q.Element}, {"larger", &q.Larger}} {
		if text := f.Get(n.name); text != "" {
			if *n.into, err = strconv.Atoi(text); err != nil || *n.into < 0 {
				return q, badRequest(n.name + " must be a number")
			}
		}
	}
	return q, nil
}

// savePicked shows what the selectors of the form find, or saves them.
func (a area) savePicked(r *http.Request) (page, error) {
	f := r.PostForm
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	patch, err := changesOf[api.TagSettings](r.PostForm)
	if err != nil {
		return page{}, err
	}
	switch f.Get("do") {
	case "preview":
		return a.previewParts(r, it, patch, nil)
	case "save":
		_, err := api.PatchItem.Call(r.Context(), a.client,
			api.ItemPatch{ID: it.ID, Patching: api.Patching{Patch: patch}})
		if problem := refusal(err); problem != nil && problem.Status == http.StatusBadRequest {
			return a.previewParts(r, it, patch, problem)
		}
		return goTo("/items/" + url.PathEscape(it.ID) + "?done=part"), err
	}
	return page{}, badRequest("the choices are to preview and to save")
}

// partsForm is the form for the parts of a page that are watched, with those that apply to an item.
func partsForm(it api.ItemDetail) Form {
	w := effectiveWatch(it)
	f := newForm(api.TagSettings{Watch: &w})
	maps.DeleteFunc(f.Was, func(path string, _ []string) bool { return !slices.Contains(partInputs, path) })
	return f
}

// partInputs are the inputs of [partsForm].
var partInputs = []string{"watch.include", "watch.exclude", "watch.list", "watch.listLinks", "watch.fields"}

// previewParts shows what some selectors find, and what is wrong with them.
func (a area) previewParts(r *http.Request, it api.ItemDetail, patch api.Patch, problem *api.Problem) (page,
	error) {
	chosen, err := choiceOf(it.ID, r.PostForm)
	if err != nil {
		return page{}, err
	}
	set := api.TagSettings{Watch: new(effectiveWatch(it))}
	d := pickedData{Item: it.Item, Asked: chosen, Form: partsForm(it).Typed(r.PostForm, problem),
		Also: len(set.Watch.Include) > 0}
	if err := patch.Apply(&set); err != nil {
		return page{}, err
	}
	if problem == nil {
		d.WatchTrial, err = api.TryWatch.Call(r.Context(), a.client, api.TryRequest{ID: it.ID, Watch: set.Watch})
		if d.Form.Problem = refusal(err); d.Form.Problem == nil && err != nil {
			return page{}, err
		}
	}
	p := page{Name: "picked", Title: "Watch a part of " + itemTitle(it.Item), Data: d}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p, nil
}

// effectiveWatch returns the watch that applies to an item, from its own settings and those of its tags.
func effectiveWatch(it api.ItemDetail) (w api.Watch) {
	if it.Effective.Watch != nil {
		w = *it.Effective.Watch
	}
	return w
}
