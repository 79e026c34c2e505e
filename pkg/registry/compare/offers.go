package compare

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// Bounds of what a page offers: all of it, the values for which selectors are made, and those of each list among them.
const (
	maxOffers  = 20
	maxValues  = 16
	maxOfList  = 4
	maxOffered = 200 // bytes of a text
	maxTitle   = 80  // and of a name
	maxSlug    = 40  // and of the name of a field that follows from it
)

// offerOrder is the order of kinds.
var offerOrder = []api.OfferKind{api.OfferPrice, api.OfferStock, api.OfferList, api.OfferNumber, api.OfferPart}

// Offers returns what a page offers to be told of, as its current capture shows it.
func (c *Comparer) Offers(ctx context.Context, p history.Past) ([]api.PageOffer, error) {
	digest, err := p.Current()
	if err != nil {
		return nil, err
	}
	v, err := load(ctx, p, digest)
	if err != nil {
		return nil, err
	}
	now, err := c.tags.Effective(ctx, &p.Item)
	if err != nil {
		return nil, err
	}
	o := offering{seen: map[string]bool{}}
	if now.Watch != nil {
		o.fields = now.Watch.Fields
	}
	switch address := cmp.Or(v.capture.FetchURL, v.capture.CanonicalURI); {
	case v.feed != nil:
		var titles []string
		for _, e := range v.feed[:min(len(v.feed), 3)] {
			titles = append(titles, e.Title)
		}
		o.list("", titles, len(v.feed), api.Watch{List: "tell"})
	case v.root != nil:
		o.page(v.root, address)
	case v.json != nil:
		o.values(v.json, address)
	}
	slices.SortStableFunc(o.out, func(a, b api.PageOffer) int {
		return cmp.Compare(slices.Index(offerOrder, a.Kind), slices.Index(offerOrder, b.Kind))
	})
	return append([]api.PageOffer{}, o.out[:min(len(o.out), maxOffers)]...), nil
}

// offering collects what a page offers.
type offering struct {
	fields map[string]api.FieldSpec // those of the watch, and those that were offered
	seen   map[string]bool          // values, which are offered once
	out    []api.PageOffer
}

// page adds what a web page offers.
func (o *offering) page(root *html.Node, address string) {
	fields := field.NewPage(root, jsonld.Of(root), address)
	for _, r := range append(fields.Product(), fields.Article()...) {
		if kind := declaredKinds[r.Name]; kind != "" && r.State == field.Found {
			s := field.Spec{Name: r.Name, Source: field.Declared, At: r.Name}
			if had := o.fields[r.Name]; had == (api.FieldSpec{From: string(field.Declared)}) {
				s.At = ""
			}
			o.value(kind, r.Name, s, r.Value, r.Value.Unit())
		}
	}
	page := pick.Read(root)
	lists := page.Lists()
	o.shown(page, fields, lists)
	for _, l := range lists {
		var titles []string
		for _, n := range l.Entries[:min(len(l.Entries), 3)] {
			titles = append(titles, cmp.Or(page.Of(n), pick.Text(n)))
		}
		w := api.Watch{Include: []string{l.Selector}}
		if l.Links != "" {
			w.List, w.ListLinks = "tell", []string{l.Links}
		}
		o.list(l.Name, titles, len(l.Entries), w)
	}
}

// declaredKinds are the declared fields that are offered.
var declaredKinds = map[string]api.OfferKind{field.Price: api.OfferPrice, field.SalePrice: api.OfferPrice,
	field.Stock: api.OfferStock, field.Version: api.OfferPart}

// shown adds the values that the content of a page shows: first those that stand alone, and then the prices of lists.
func (o *offering) shown(page *pick.Page, fields *field.Page, lists []pick.List) {
	var alone, listed []pick.Element
	ofList := map[int]int{}
	var beside []pick.Element // amounts that are not the price that holds, which come last
	for i := range page.Lines {
		l := &page.Lines[i]
		if !page.IsContent(l) {
			continue
		}
		e, of := valueIn(l, fields)
		at := slices.IndexFunc(lists, func(l pick.List) bool { return e.Node != nil && l.Has(e.Node) })
		switch {
		case of == "":
		case at < 0 && of == field.Money && isBeside(page, l, e):
			beside = append(beside, e)
		case at < 0:
			alone = append(alone, e)
		case of == field.Money && ofList[at] < maxOfList:
			ofList[at]++
			listed = append(listed, e)
		}
	}
	all := append(append(alone, beside...), listed...)
	for _, e := range all[:min(len(all), maxValues)] {
		way, ok := page.Way(e.Node)
		if !ok {
			continue
		}
		found, ok := fields.Propose(way.Selector)
		kind := shownKinds[found.Spec.Type]
		if !ok || kind == "" || kind == api.OfferStock && o.has(kind) {
			continue
		}
		name := strings.TrimRight(page.Of(e.Node), ": ")
		if found.Spec.Type == field.Money && o.fields[found.Spec.Name] != (api.FieldSpec{}) {
			found.Spec.Name = cmp.Or(slug(name), found.Spec.Name) // the label says which of several prices it is
		}
		if name == e.Text || field.Shows(name) == field.Money {
			name = "" // it is what it shows, or another price
		}
		o.value(kind, name, found.Spec, found.Value, cmp.Or(found.Unit, found.Value.Unit()))
	}
}

// shownKinds are the kinds of the values that a page shows.
var shownKinds = map[field.Type]api.OfferKind{field.Money: api.OfferPrice, field.Availability: api.OfferStock,
	field.Number: api.OfferNumber}

// slug returns a label as the name of a field: list-price; "" if it cannot be one.
func slug(label string) string {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	name := strings.Join(strings.FieldsFunc(strings.ToLower(label), other), "-")
	if len(name) > maxSlug || field.Shows(label) != "" || options.FieldName(name) != nil {
		return ""
	}
	return name
}

// isBeside reports whether an amount of a line is not the price that holds, by its label or the words before it.
func isBeside(page *pick.Page, l *pick.Line, e pick.Element) bool {
	before, _, _ := strings.Cut(l.Text, e.Text)
	return field.Beside(before+" "+e.Text) || field.Beside(page.Of(e.Node)+" "+e.Text)
}

// valueIn returns the smallest element of a line that shows a value, and the type of that; none for a heading. A text
// that is struck out has no value.
func valueIn(l *pick.Line, fields *field.Page) (e pick.Element, of field.Type) {
	if l.Heading {
		return e, ""
	}
	for _, p := range append([]pick.Element{l.Element}, l.Parts...) {
		switch t := field.Shows(p.Text); {
		case t == "" || of == field.Money && t != of || fields.IsStruck(p.Node):
		case of == "" || len(p.Text) < len(e.Text):
			e, of = p, t
		}
	}
	return e, of
}

func (o *offering) has(kind api.OfferKind) bool {
	return slices.ContainsFunc(o.out, func(have api.PageOffer) bool { return have.Kind == kind })
}

// value adds a value, unless one of its kind that shows the same was added.
func (o *offering) value(kind api.OfferKind, name string, s field.Spec, v field.Value, unit string) {
	text := v.Words()
	if v.Type == field.Number {
		text = strings.TrimSpace(text + " " + unit)
	}
	key := string(kind) + text
	switch {
	case s.Source == field.JSONPath:
		key = s.At // each has a name of its own
	case v.Type == field.Money:
		key = string(kind) + string(v.Number) + v.Per // once with its currency, and once without
	}
	if o.seen[key] || v.Type == field.Money && v.Number == "0" {
		return
	}
	o.seen[key] = true
	o.fields = withField(o.fields, &s)
	w := api.Watch{Fields: map[string]api.FieldSpec{s.Name: o.fields[s.Name]}}
	when := &api.Condition{Field: s.Name, Op: "fromTo"} // each other value
	switch {
	case kind == api.OfferPrice:
		when.Op, when.Value = "<", api.Constant(strings.TrimSpace(string(v.Number)+" "+v.Unit()))
	case kind == api.OfferStock && v.Text != "InStock":
		when.To = "InStock"
	}
	o.add(api.PageOffer{Kind: kind, Name: cmp.Or(name, s.Name), Text: text, Value: v.JSON(), Unit: unit, Watch: w,
		When: when}, api.RuleSpec{When: &api.Condition{Field: ruleFields[kind]}})
}

// ruleFields are fields from which the interval of a kind follows, whatever a page calls its field.
var ruleFields = map[api.OfferKind]string{api.OfferPrice: field.Price, api.OfferStock: field.Stock}

// values adds what JSON offers: its numbers and amounts, and its arrays.
func (o *offering) values(root *jsonpath.Node, address string) {
	values, fields := pick.ReadJSON(root), field.NewJSON(root, address)
	var alone, listed []*jsonpath.Node
	ofArray := map[*jsonpath.Node]int{}
	for _, n := range values.Leaves() {
		switch array := values.Array(n); {
		case kindOf(n) == "":
		case array == nil:
			alone = append(alone, n)
		case ofArray[array] < maxOfList:
			ofArray[array]++
			listed = append(listed, n)
		}
	}
	all := append(alone, listed...)
	for _, n := range all[:min(len(all), maxValues)] {
		if way, ok := values.Way(n); ok {
			if found, ok := fields.Propose(way.Selector); ok {
				o.value(kindOf(n), nameIn(way.Words), found.Spec, found.Value,
					cmp.Or(found.Unit, found.Value.Unit()))
			}
		}
	}
	for _, l := range values.Lists() {
		var titles []string
		for _, n := range l.Values[:min(len(l.Values), 3)] {
			titles = append(titles, pick.TitleOf(n))
		}
		w := api.Watch{Include: []string{l.Selector}}
		if l.Links != "" {
			w.List, w.ListLinks = "tell", []string{l.Links}
		}
		o.list(nameIn(l.Words), titles, len(l.Values), w)
	}
}

// Names of members of JSON: of prices, and of numbers that say which or when and not how many.
var (
	pricedName  = regexp.MustCompile(`(?i)price|amount|cost|fee`)
	countedName = regexp.MustCompile(`(?i:(?:^|[_-])(?:ids?|time|timestamp|date|at|ts|epoch|ttl|lat|lon|lng|page|version|` +
		`year)$)|(?:Id|At|Time)$`)
)

// kindOf returns the kind of a value of JSON that is offered; "" for another one.
func kindOf(n *jsonpath.Node) api.OfferKind {
	switch {
	case n.Kind == jsonpath.Number && countedName.MatchString(n.Name):
		return ""
	case n.Kind == jsonpath.Number && pricedName.MatchString(n.Name):
		return api.OfferPrice
	case n.Kind == jsonpath.Number:
		return api.OfferNumber
	case n.Kind == jsonpath.String:
		return shownKinds[field.Shows(n.Text)]
	}
	return ""
}

// list adds a list.
func (o *offering) list(name string, titles []string, entries int, w api.Watch) {
	text := strings.Join(titles, "; ")
	if entries > len(titles) {
		text += "; …"
	}
	var listed api.RuleSpec
	listed.Filter.Kind = string(api.ChangeListed)
	o.add(api.PageOffer{Kind: api.OfferList, Name: cmp.Or(name, "list"), Text: text, Entries: entries, Watch: w}, listed)
}

func (o *offering) add(one api.PageOffer, rule api.RuleSpec) {
	one.Name, one.Text = words.Clip(valid(one.Name), maxTitle), words.Clip(valid(one.Text), maxOffered)
	one.Every = form.ProposedEvery(rule, &one.Watch)
	o.out = append(o.out, one)
}

// nameIn returns the words for a value without those that all have.
func nameIn(words string) string {
	if name, has := strings.CutPrefix(words, "the value “"); has {
		return strings.TrimSuffix(name, "”")
	}
	return words
}
