package field

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"golang.org/x/net/html"
)

// compile checks a field with its expression. Errors: Invalid, with the name of what is wrong.
func compile(s Spec) error {
	if err := s.Check(); err != nil {
		return err
	}
	var err error
	switch s.Source {
	case CSS:
		selector, _ := cutAttribute(s.At)
		if jsonpath.Is(selector) {
			return fault.Field("at", "%.60q is a JSONPath, for which the source is jsonpath", s.At)
		}
		_, err = watch.Compile(watch.Spec{Include: []string{selector}})
	case JSONPath:
		_, err = jsonpath.Parse(s.At)
	case JSONLD, Microdata, RDFa:
		names := strings.Split(s.At, ".")
		if slices.Contains(names, "") || len(names) == 1 && isType(names[0]) {
			return fault.Field("at", "%.60q is not a property such as offers.price or Product.offers.price", s.At)
		}
	case Declared:
		return checkDeclared(s)
	}
	if err != nil {
		return fault.Field("at", "%s", strings.TrimPrefix(err.Error(), "watch.include: "))
	}
	return nil
}

// isType reports whether a name is that of a type: it begins with a capital letter, those of properties do not.
func isType(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// Read reads a field. A field whose expression is not correct is gone, with the reason.
func (p *Page) Read(s Spec) Result {
	if err := compile(s); err != nil {
		return p.without(s, Gone, err.Error())
	}
	switch s.Source {
	case CSS:
		return p.readCSS(s)
	case JSONPath:
		return p.readJSON(s)
	case OpenGraph:
		return p.readMetaField(s)
	case Declared:
		return p.readDeclared(s)
	}
	return p.readItem(s)
}

// without is the result of a field without a value.
func (p *Page) without(s Spec, state State, why string) Result {
	return Result{Name: s.Name, State: state, Evidence: Evidence{Source: s.Source, At: words.Clip(s.At, MaxExcerpt),
		Reason: words.Clip(why, MaxExcerpt)}}
}

// parsed reads the texts of a source that stands. Several texts must have one value; several texts of the type text are
// joined.
func (p *Page) parsed(s Spec, program bool, texts ...string) Result {
	h := Hint{Locale: p.locale, Program: program}
	if s.Locale != "" {
		h.Locale = s.Locale
	}
	if s.Type == Text {
		texts = []string{strings.Join(slices.Compact(texts), "; ")}
	}
	if s.Type == Money && program {
		h.Currency = p.currencyBeside(s)
	}
	var out reading
	for _, text := range texts {
		v, why, ok := Parse(s.Type, text, h)
		switch {
		case !ok && (out.raw == "" || out.v.None() && out.why == ""):
			out.raw, out.why = text, why
		case ok && out.v.None():
			out = reading{v, why, text, ""}
		case ok && !v.Equal(out.v):
			return p.without(s, Unread, "several values are found: "+out.v.String()+" and "+v.String())
		}
	}
	r := declaredProduct{source: s.Source}.result(s.Name, out)
	r.Evidence.At = words.Clip(s.At, MaxExcerpt)
	return r
}

// currencyBeside returns the currency that is declared beside a price.
func (p *Page) currencyBeside(s Spec) string {
	switch s.Source {
	case OpenGraph:
		content, _, _ := p.meta("product:price:currency", "og:price:currency")
		return codeOf(content)
	case JSONLD, Microdata, RDFa:
		it, path, _ := p.itemFor(s.Source, s.At)
		if at := strings.LastIndexByte(path, '.'); it != nil {
			holder := ""
			if at >= 0 {
				holder = path[:at+1]
			}
			for _, v := range follow(it, holder+"priceCurrency") {
				return codeOf(v.Text)
			}
		}
	}
	return ""
}

// itemFor returns the item of the page that a path begins at, and the path of properties below it. If the path names no
// type, that is the product of the page, its article or the page itself: the first that has the property, or else its
// product or its article. If it is nil, why says why several items leave none.
func (p *Page) itemFor(source Source, at string) (it *Item, path, why string) {
	of, path, _ := strings.Cut(at, ".")
	if isType(of) {
		it, why = p.theItem(p.sets[source], typesFor(of))
		return it, path, why
	}
	var first *Item
	for _, types := range [][]string{productTypes, articleTypes, pageTypes} {
		it, reason := p.theItem(p.sets[source], types)
		if it != nil && len(follow(it, at)) > 0 {
			return it, at, ""
		}
		if first == nil && !slices.Equal(types, pageTypes) {
			first = it
		}
		why = cmp.Or(why, reason)
	}
	if why != "" {
		return nil, at, why
	}
	return first, at, ""
}

// readItem reads a property of an item of the page.
func (p *Page) readItem(s Spec) Result {
	it, path, why := p.itemFor(s.Source, s.At)
	switch {
	case it == nil && why != "":
		return p.without(s, Unread, why)
	case it == nil:
		of, _, _ := strings.Cut(s.At, ".")
		if !isType(of) {
			of = "product and no article"
		}
		return p.without(s, Gone, "the page declares no "+words.Clip(of, 60))
	}
	var texts []string
	program := true
	for _, v := range follow(it, path) {
		text := v.Text
		if v.Item != nil {
			text = textOf([]PropValue{v})
		}
		texts, program = append(texts, text), program && !v.People
	}
	if len(texts) == 0 {
		return p.without(s, Disappeared, "")
	}
	return p.parsed(s, program, texts...)
}

// follow returns the values at the end of a path of properties.
func follow(it *Item, path string) (all []PropValue) {
	const most = 200
	here := []*Item{it}
	name, rest, more := strings.Cut(path, ".")
	for ; more; name, rest, more = strings.Cut(rest, ".") {
		var next []*Item
		for _, i := range here[:min(len(here), most)] {
			next = append(next, i.Items(name)...)
		}
		here = next
	}
	for _, i := range here[:min(len(here), most)] {
		all = append(all, i.all(name)...)
	}
	return all[:min(len(all), most)]
}

// readMetaField reads the content of a meta element. Its source stands as long as the page has others of its kind.
func (p *Page) readMetaField(s Spec) Result {
	name := strings.ToLower(strings.TrimSpace(s.At))
	kind, _, _ := strings.Cut(name, ":")
	switch content, _, has := p.meta(name); {
	case content != "":
		return p.parsed(s, true, content)
	case has, slices.ContainsFunc(p.metas, func(m meta) bool { return strings.HasPrefix(m.name, kind+":") }):
		return p.without(s, Disappeared, "")
	}
	return p.without(s, Gone, "the page has no meta elements of this kind")
}

// cutAttribute cuts the name of an attribute off a selector.
func cutAttribute(at string) (selector, attribute string) {
	if i := strings.LastIndex(at, " @"); i > 0 && !strings.ContainsAny(at[i+2:], ` "'])`) {
		return strings.TrimSpace(at[:i]), strings.ToLower(at[i+2:])
	}
	return strings.TrimSpace(at), ""
}

// readCSS reads the elements that a selector finds.
func (p *Page) readCSS(s Spec) Result {
	selector, attribute := cutAttribute(s.At)
	if p.root == nil {
		return p.without(s, Gone, "a selector needs a web page")
	}
	rules, err := watch.Compile(watch.Spec{Include: []string{selector}})
	if err != nil { // Unreachable: Read compiles it.
		return p.without(s, Gone, err.Error())
	}
	found, err := rules.Select(p.root)
	if err != nil {
		return p.without(s, Unread, err.Error())
	}
	if len(found) == 0 {
		return p.without(s, Gone, "the selector finds nothing")
	}
	const most = 50
	var texts []string
	for _, n := range found[:min(len(found), most)] {
		texts = append(texts, elementText(n, attribute, s.Type))
	}
	return p.parsed(s, false, texts...)
}

// elementText returns the text of an element, or one of its attributes. Struck text counts if there is no other.
func elementText(n *html.Node, attribute string, of Type) string {
	if attribute != "" {
		return dom.Attr(n, attribute)
	}
	if of == Money {
		if text := itemText(n, false); strings.ContainsAny(dom.PlainDigits(text), "0123456789") {
			return text
		}
	}
	if of == Date {
		if text := datetimeIn(n); text != "" {
			return text
		}
	}
	return itemText(n, true)
}

// datetimeIn returns the time for programs of an element, or of the only one in it that has one.
func datetimeIn(n *html.Node) (text string) {
	if text = dom.Attr(n, "datetime"); text != "" {
		return text
	}
	for c := range n.Descendants() {
		if other := dom.Attr(c, "datetime"); other != "" {
			if text != "" && text != other {
				return ""
			}
			text = other
		}
	}
	return text
}

// readJSON reads the values that a path finds. Its source stands as long as what holds the value does.
func (p *Page) readJSON(s Spec) Result {
	if p.json == nil {
		return p.without(s, Gone, "a JSONPath needs JSON")
	}
	path, err := jsonpath.Parse(s.At)
	if err != nil {
		return p.without(s, Unread, err.Error())
	}
	found, err := jsonpath.Select(p.json, []jsonpath.Path{path})
	if err != nil {
		return p.without(s, Unread, err.Error())
	}
	if len(found) == 0 {
		if holder, ok := path.Holder(); ok {
			if around, err := jsonpath.Select(p.json, []jsonpath.Path{holder}); err == nil && len(around) > 0 {
				return p.without(s, Disappeared, "")
			}
		}
		return p.without(s, Gone, "neither the path nor its parent finds anything")
	}
	const most = 50
	var texts []string
	program := true
	for _, n := range found[:min(len(found), most)] {
		switch n.Kind {
		case jsonpath.Null:
		case jsonpath.Array, jsonpath.Object:
			return p.without(s, Unread, "the path finds an object or an array, not a value")
		default:
			texts, program = append(texts, n.Text), program && n.Kind != jsonpath.String
		}
	}
	if len(texts) == 0 {
		return p.without(s, Disappeared, "")
	}
	return p.parsed(s, program, texts...)
}

// State says what reading a field found.
type State string

// The states of a field.
const (
	Found       State = "value"       // there is a value
	Disappeared State = "disappeared" // the page still has the product, the object or the element, but no value in it
	Unread      State = "unread"      // the text is not a value of the type, or is ambiguous: see Reason
	Gone        State = "gone"        // the page no longer has the product, the object or the element
)

// Evidence says where a value comes from. It is set for every state as far as it is known.
type Evidence struct {
	Source  Source `json:"src,omitempty"`
	At      string `json:"at,omitempty"`  // the place in the source: Product.offers.price, a selector, a path
	Excerpt string `json:"x,omitempty"`   // the text that was read, at most [MaxExcerpt] bytes
	Reason  string `json:"why,omitempty"` // why the text was read in this way, or why there is no value; "" if it is plain
}

// MaxExcerpt limits the bytes of an excerpt.
const MaxExcerpt = 200

// Result is what reading a field of a page found.
type Result struct {
	Name     string   `json:"name"`
	State    State    `json:"state"`
	Value    Value    `json:"v,omitzero"` // none unless State is [Found]
	Evidence Evidence `json:"by,omitzero"`
}

// The names of the fields that are read without being asked for.
const (
	Price     = "price"     // what the product costs usually, if it has a sale price, or else what it costs
	SalePrice = "salePrice" // what it costs now, if this is less than usual
	Stock     = "availability"
	Currency  = "currency"
	variants  = "variants"
	published = "published"
	modified  = "modified"
	Author    = "author"
	Version   = "version"
)

// Digest returns a short hash of what a page declares about its product. Neither sources nor forms of values count, nor
// the order. It is "" if the page declares nothing of it.
func Digest(all []Result) string {
	var values []string
	for _, r := range all {
		if slices.Contains([]string{Price, SalePrice, Currency, Stock, variants}, r.Name) && r.State != Gone {
			text := r.Value.String()
			if r.Value.None() {
				text = r.Evidence.Excerpt
			}
			values = append(values, r.Name+"\x00"+text+"\x00")
		}
	}
	if len(values) == 0 {
		return ""
	}
	slices.Sort(values)
	return fmt.Sprintf("%016x", xxhash.Sum64String(strings.Join(values, "")))
}

// Usual are the fields that pages declare and people look for, in the order of a list.
var Usual = []string{Price, SalePrice, Stock}

// Word returns what people call a field: stock in place of availability, and list price in place of list-price.
func Word(name string) string {
	if name == Stock {
		return "stock"
	}
	return strings.ReplaceAll(name, "-", " ")
}

// Reported says whether changes of a field that is kept unasked are published. Those of others are history.
func Reported(name string) bool { return slices.Contains(Usual, name) }

// breaks reports whether a field whose source is gone is broken. A sale ends and a product without an availability is
// no error, so these two never break.
func breaks(name string) bool { return name != SalePrice && name != Stock }
