package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/form"
)

// pickData is a page as it was read, of which a person presses what to watch, with what was pressed.
type pickData struct {
	Item     api.Item
	Find, To string
	api.PageElements
	Regions []pageRegion
	Asked   api.TryRequest
	Trial   api.WatchTrial
	Form    Form // the parts that are watched, as text
	Also    bool // parts of the page are watched already
	Written bool // the parts were written as text
}

// pick shows the texts of a page, and what was pressed of them.
func (v *visit) pick() page {
	q := v.URL.Query()
	it := v.itemHere()
	d := v.readPage(it, q)
	if q.Get("element") == "" && q.Get("selector") == "" {
		return d.page()
	}
	d.Asked = v.choice(it.ID, q)
	d.Trial = ask(v, api.TryWatch, d.Asked)
	if usual := d.usualScope(); d.Asked.Scope == "" && usual != "" {
		d.Asked.Scope = usual
		d.Trial = ask(v, api.TryWatch, d.Asked)
	}
	d.Form.Values = form.Inputs(api.TagSettings{Watch: &d.Trial.Watch})
	return d.page()
}

// readPage returns the texts of the page.
func (v *visit) readPage(it api.ItemDetail, q url.Values) (d pickData) {
	d = pickData{Item: it.Item, Find: q.Get("find"), Form: partsForm(it), Also: len(effectiveWatch(it).Include) > 0}
	if to := Below(q.Get("to")); to != "/" {
		d.To = to
	}
	d.PageElements = ask(v, api.ListElements, api.ElementQuery{ID: it.ID, Capture: q.Get("capture"), Find: d.Find})
	return d
}

func (d pickData) page() page {
	shown := map[int]bool{}
	if o := d.Offer(); o != nil && d.Asked.Capture == d.Capture {
		for _, n := range o.Elements {
			shown[n] = true
		}
	}
	d.Regions = regionsOf(d.Lines, d.Asked.Element, shown)
	p := page{Name: "pick", Title: "Press what you want to watch", Data: d, Refused: d.Form.Problem}
	if d.Chosen() || d.Written {
		p.Body = "acting drawer"
	}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p
}

// Chosen reports whether something was pressed.
func (d pickData) Chosen() bool { return d.Trial.Selector != "" }

// Scope returns the scope of the offer that is shown.
func (d pickData) Scope() string { return cmp.Or(d.Asked.Scope, "this") }

// Offer returns the offer that is shown; nil if nothing was pressed.
func (d pickData) Offer() *api.PartOffer {
	for i, o := range d.Trial.Offers {
		if o.Scope == d.Scope() {
			return &d.Trial.Offers[i]
		}
	}
	return nil
}

// usualScope returns what most people mean by what they pressed: the row by its first cell, all entries of a list by a
// heading or an entry, and otherwise what was pressed.
func (d pickData) usualScope() string {
	var at api.ElementLine
	for _, l := range d.Lines {
		if l.Element == d.Asked.Element || slices.ContainsFunc(l.Parts, func(p api.PageElement) bool {
			return p.Element == d.Asked.Element && p.Column == 1
		}) {
			at = l
		}
	}
	for _, o := range d.Trial.Offers {
		switch {
		case d.Trial.Value != nil && at.Row == 0, d.Asked.Larger > 0:
		case o.Scope == "row" && at.Row != 0 && (at.Column == 1 || at.Element != d.Asked.Element):
			return "row"
		case o.Scope == "alike" && o.Entries && (at.Heading || at.Entry):
			return "alike"
		}
	}
	return ""
}

// Around returns the address of the choice of a larger part, or a smaller one.
func (d pickData) Around(link string, by int) string {
	return linkTo(link, params("larger", strconv.Itoa(d.Asked.Larger+by), "capture", d.Asked.Capture, "selector",
		d.Asked.Selector, "to", d.To, "find", d.Find, "element", strings.TrimPrefix(strconv.Itoa(d.Asked.Element), "0"))) +
		"#at"
}

// Heading names what is chosen.
func (d pickData) Heading() string {
	if o := d.Offer(); o != nil && (o.Scope != "this" || d.Asked.Selector != "") {
		return capital(o.Says)
	}
	const most = 60
	return "“" + words.Ellipsis(d.Trial.Text, most) + "”"
}

// OfferWords names an offer.
func (d pickData) OfferWords(o api.PartOffer) string {
	switch {
	case o.Scope == "alike" && o.Entries:
		return "all like this: " + strconv.Itoa(max(o.Found[0], 0)) + ", new ones are told"
	case o.Scope != "this":
		return o.Says
	case slices.ContainsFunc(d.Trial.Offers, func(o api.PartOffer) bool { return o.Scope == "column" }):
		return "only this cell"
	}
	return "only this text"
}

// Noun names what the main button watches.
func (d pickData) Noun() string {
	switch o := d.Offer(); {
	case o == nil || o.Scope == "this":
		return "this"
	case o.Scope == "alike" && o.Entries:
		return "this list"
	case o.Scope == "alike":
		return "all of them"
	case o.Scope == "column":
		return "this column"
	case strings.HasPrefix(o.Says, "the row"):
		return "this row"
	}
	return "this entry"
}

// Kept and Lost say after which changes of the page the offer still finds the same, and after which it does not.
func (d pickData) Kept() string { return steadyWords(d.Offer(), true) }

// Lost is the other half of [pickData.Kept].
func (d pickData) Lost() string { return steadyWords(d.Offer(), false) }

func steadyWords(o *api.PartOffer, kept bool) string {
	if o == nil {
		return ""
	}
	var when []string
	for _, edit := range []struct {
		says string
		is   *bool
	}{
		{"another one is added above", o.Steady.InsertedAbove}, {"they change places", o.Steady.Reordered},
		{"the page is built with other names", o.Steady.OtherClasses},
	} {
		if edit.is != nil && *edit.is == kept {
			when = append(when, edit.says)
		}
	}
	return strings.Join(when, ", or ")
}

// choice reads which element was chosen.
func (v *visit) choice(id string, f url.Values) api.TryRequest {
	q := api.TryRequest{ID: id, Capture: f.Get("capture"), Selector: f.Get("selector"), Scope: f.Get("scope"),
		As: f.Get("as")}
	for name, into := range map[string]*int{"element": &q.Element, "larger": &q.Larger} {
		var err error
		if *into, err = strconv.Atoi(cmp.Or(f.Get(name), "0")); err != nil || *into < 0 {
			v.fail(badRequest(name + " must be a number"))
		}
	}
	if q.Selector != "" {
		q.Capture, q.Element = "", 0
	}
	return q
}

// savePicked saves what was pressed or written, or shows what it finds.
func (v *visit) savePicked() page {
	f := v.PostForm
	it := v.itemHere()
	typed, do := f, cmp.Or(f.Get("do"), "press")
	switch do {
	case "show":
		shown := only(f, "capture", "element", "selector", "larger", "scope", "find", "to")
		return goTo(linkTo(itemPath(it.ID)+"/pick", shown) + "#at")
	case "press":
		typed = v.pressed(it)
	case "preview", "save":
	default:
		return v.fail(badRequest("the choices are to show, to press, to preview and to save"))
	}
	patch := v.valid(changesOf[api.TagSettings](typed))
	if do == "preview" {
		return v.previewParts(it, patch, nil)
	}
	set := ask(v, api.PatchItem, api.ItemPatch{ID: it.ID, Patching: api.Patching{Patch: patch}})
	if problem := v.refused(http.StatusBadRequest); problem != nil {
		return v.previewParts(it, patch, problem)
	}
	v.positions.forget()
	to := Below(f.Get("to"))
	if to == "/" {
		to = itemPath(it.ID)
	}
	return goTo(withUndo(back(to, "part"), set.Undo))
}

// pressed returns the inputs of the parts of a page with what was pressed.
func (v *visit) pressed(it api.ItemDetail) url.Values {
	trial := ask(v, api.TryWatch, v.choice(it.ID, v.PostForm))
	out := url.Values{was: {partsForm(it).Was.Encode()}}
	for path, values := range form.Inputs(api.TagSettings{Watch: &trial.Watch}) {
		if slices.Contains(partInputs, path) {
			out[path] = values
		}
	}
	return out
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
func (v *visit) previewParts(it api.ItemDetail, patch api.Patch, problem *api.Problem) page {
	d := v.readPage(it, v.PostForm)
	set := api.TagSettings{Watch: new(effectiveWatch(it))}
	v.fail(patch.Apply(&set))
	d.Form, d.Written = d.Form.Typed(v.PostForm, problem), true
	if problem == nil {
		d.Trial = ask(v, api.TryWatch, api.TryRequest{ID: it.ID, Watch: set.Watch})
		d.Form.Problem = v.refused()
	}
	return d.page()
}

// effectiveWatch returns the watch that applies to an item, from its own settings and those of its tags.
func effectiveWatch(it api.ItemDetail) (w api.Watch) {
	if it.Effective != nil && it.Effective.Watch != nil {
		w = *it.Effective.Watch
	}
	return w
}

// foundText is what was found in a capture, in which is marked what differs from the capture before.
func foundText(all []api.TriedCapture, i int) []textdiff.Piece {
	lines := func(i int) string { return strings.Join(words.Parts(all[i].Text, "\n"), " · ") }
	if i+1 == len(all) || all[i+1].Text == "" {
		return []textdiff.Piece{{Text: lines(i)}}
	}
	_, after := wordsOf(lines(i+1), lines(i))
	return after
}

// wordsOf compares two lines by their words, without the end of the line.
func wordsOf(old, now string) (before, after []textdiff.Piece) {
	before, after = textdiff.ByWord(old, now)
	return unended(before), unended(after)
}

func unended(all []textdiff.Piece) []textdiff.Piece {
	for n := len(all); n > 0; n = len(all) {
		if all[n-1].Text = strings.TrimRight(all[n-1].Text, "\n"); all[n-1].Text != "" {
			break
		}
		all = all[:n-1]
	}
	return all
}
