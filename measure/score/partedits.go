package main

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// edited is a page that is being edited. The element keeps its identity, because edits move nodes and do not copy them.
type edited struct {
	rng  *rand.Rand
	root *html.Node
	at   *element
	gone bool // the element is not on the page any more
	bare bool // the element is there without its text
	// before is the same page as the press finds it. An edit may need to prepare it, as for classes with suffixes.
	before *html.Node
	other  *html.Node // another page, which may come in place of this one
	plain  *html.Node // before with its own classes, if they were given suffixes of a style
	style  int
}

// partEdit is one way in which pages change. It returns false if the page has nothing to which it applies.
type partEdit struct {
	name  string
	apply func(*edited) bool
}

// Edits around the element, and of its value.
var partEdits = []partEdit{
	{"insert above", (*edited).insert},
	{"insert above", (*edited).insert},
	{"remove another", (*edited).remove},
	{"reorder", (*edited).reorder},
	{"wrapper", (*edited).wrap},
	{"wrapper", (*edited).wrap},
	{"other suffixes", (*edited).suffixes},
	{"classes renamed", (*edited).renameNear},
	{"all classes renamed", (*edited).renameAll},
	{"advert", (*edited).advert},
	{"new value", (*edited).value},
	{"new value", (*edited).value},
}

// isGrouped reports whether the units of an element can be moved among each other.
func (e *edited) isGrouped() bool {
	for _, u := range e.at.group {
		for _, n := range u.nodes {
			if n.Parent == nil || n.Parent != e.at.among.nodes[0].Parent {
				return false
			}
		}
	}
	return len(e.at.group) >= 2
}

func (e *edited) index() int { return slices.Index(e.at.group, e.at.among) }

// insert puts a new unit above that of the element: at once, or at the top.
func (e *edited) insert() bool {
	if !e.isGrouped() {
		return false
	}
	c := countsOf(e.at.group)
	u := e.newUnit()
	if u == nil {
		return false
	}
	at := 0
	if e.rng.IntN(2) == 0 {
		at = e.index()
	}
	first := e.at.group[at].nodes[0]
	for _, n := range u.nodes {
		first.Parent.InsertBefore(n, first)
	}
	e.at.group = slices.Insert(slices.Clone(e.at.group), at, u)
	c.again(e.at.group)
	return true
}

// remove removes another unit, mostly one above that of the element.
func (e *edited) remove() bool {
	i := e.index()
	if !e.isGrouped() || len(e.at.group) < 3 {
		return false
	}
	c := countsOf(e.at.group)
	var at int
	if i > 0 && (e.rng.IntN(10) < 7 || i == len(e.at.group)-1) {
		at = e.rng.IntN(i)
	} else if at = i + 1 + e.rng.IntN(len(e.at.group)-i-1); at >= len(e.at.group) { // Unreachable: IntN keeps it below.
		return false
	}
	for _, n := range e.at.group[at].nodes {
		n.Parent.RemoveChild(n)
	}
	e.at.group = slices.Delete(slices.Clone(e.at.group), at, at+1)
	c.again(e.at.group)
	return true
}

// reorder gives the units another order, in which that of the element has another position.
func (e *edited) reorder() bool {
	if !e.isGrouped() {
		return false
	}
	c := countsOf(e.at.group)
	order := slices.Clone(e.at.group)
	for slices.Index(order, e.at.among) == e.index() {
		e.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	e.arrange(order)
	c.again(order)
	return true
}

// arrange puts units into the places where the units are.
func (e *edited) arrange(order []*unit) {
	var places []*html.Node
	for _, u := range e.at.group {
		place := &html.Node{Type: html.CommentNode}
		u.nodes[0].Parent.InsertBefore(place, u.nodes[0])
		places = append(places, place)
	}
	for i, u := range order {
		for _, n := range u.nodes {
			n.Parent.RemoveChild(n)
			places[i].Parent.InsertBefore(n, places[i])
		}
	}
	for _, p := range places {
		p.Parent.RemoveChild(p)
	}
	e.at.group = order
}

// wrap puts an element around the list, the content, each unit, or what is in each unit.
func (e *edited) wrap() bool {
	kinds := []func() bool{e.wrapList, e.wrapBody, e.wrapUnits, e.wrapInside}
	e.rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for _, k := range kinds {
		if k() {
			return true
		}
	}
	return false
}

var wrappers = []html.Node{
	{Data: "div", DataAtom: atom.Div, Attr: []html.Attribute{{Key: "class", Val: "wrapper"}}},
	{Data: "div", DataAtom: atom.Div, Attr: []html.Attribute{{Key: "class", Val: "row g-3"}}},
	{Data: "div", DataAtom: atom.Div},
	{Data: "section", DataAtom: atom.Section, Attr: []html.Attribute{{Key: "class", Val: "block"}}},
}

func (e *edited) wrapper() *html.Node {
	w := wrappers[e.rng.IntN(len(wrappers))]
	return &html.Node{Type: html.ElementNode, Data: w.Data, DataAtom: w.DataAtom, Attr: slices.Clone(w.Attr)}
}

func (e *edited) wrapList() bool {
	list := e.at.among.nodes[0].Parent
	if list.DataAtom == atom.Tbody {
		list = list.Parent
	}
	if list.Parent == nil || !isBlockParent(list.Parent) || list.DataAtom == atom.Body || list.DataAtom == atom.Li ||
		list.DataAtom == atom.Td {
		return false
	}
	around(e.wrapper(), list)
	return true
}

func (e *edited) wrapBody() bool {
	body := theBody(e.root)
	if body == nil || body.FirstChild == nil {
		return false
	}
	around(e.wrapper(), slices.Collect(body.ChildNodes())...)
	return true
}

func (e *edited) wrapUnits() bool {
	if !e.isGrouped() || !isBlockParent(e.at.among.nodes[0].Parent) {
		return false
	}
	like := e.wrapper()
	for _, u := range e.at.group {
		if isInline(u.nodes[0]) {
			return false
		}
	}
	for _, u := range e.at.group {
		w := &html.Node{Type: html.ElementNode, Data: like.Data, DataAtom: like.DataAtom, Attr: slices.Clone(like.Attr)}
		around(w, u.nodes...)
		u.nodes = []*html.Node{w}
	}
	return true
}

// wrapInside puts a span around what each cell, or the element and its counterparts, have.
func (e *edited) wrapInside() bool {
	inside := func(n *html.Node) {
		tag := atom.Span
		if slices.ContainsFunc(childElements(n), func(c *html.Node) bool { return !isInline(c) }) {
			tag = atom.Div
		}
		if tag == atom.Div && (n.DataAtom == atom.P || isInline(n)) {
			return
		}
		w := &html.Node{Type: html.ElementNode, Data: tag.String(), DataAtom: tag,
			Attr: []html.Attribute{{Key: "class", Val: "inner"}}}
		if n.FirstChild != nil && n.DataAtom != atom.Ul && n.DataAtom != atom.Table {
			around(w, slices.Collect(n.ChildNodes())...)
		}
	}
	for _, u := range e.at.group {
		for _, n := range u.nodes {
			switch {
			case n.DataAtom == atom.Tr:
				for _, c := range childElements(n) {
					inside(c)
				}
			case n.Data == e.at.node.Data:
				inside(n)
			case u == e.at.among && n == u.nodes[0]:
				inside(e.at.node)
			}
		}
	}
	return true
}

// around puts an element around neighbours.
func around(w *html.Node, nodes ...*html.Node) {
	nodes[0].Parent.InsertBefore(w, nodes[0])
	for _, n := range nodes {
		n.Parent.RemoveChild(n)
		w.AppendChild(n)
	}
}

func theBody(root *html.Node) *html.Node {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Body {
			return n
		}
	}
	return nil
}

func isBlockParent(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Article, atom.Main, atom.Body, atom.Td, atom.Li, 0:
		return true
	}
	return false
}

func isInline(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Span, atom.A, atom.B, atom.Strong, atom.I, atom.Em, atom.Small, atom.Time, atom.Img, atom.Br, atom.Sup,
		atom.Sub, atom.Label, atom.U, atom.Abbr, atom.Code, atom.Svg, atom.Font, atom.Mark, atom.Input, atom.Button:
		return true
	}
	return false
}

var adverts = []string{"Sponsored: the new tide watch for only 49.99, today only", "Advertisement",
	"Anzeige: Jetzt 20 % sparen bei Nordlicht Reisen", "Subscribe to our newsletter and never miss an offer",
	"Win a trip to Brest – ends 31 December", "Your advert here: call 040 5550199"}

// advert puts an advertisement above the element, between two units. It may look like a unit.
func (e *edited) advert() bool {
	unit := e.at.among.nodes[0]
	if e.isGrouped() {
		unit = e.at.group[e.rng.IntN(e.index()+1)].nodes[0]
	}
	text := &html.Node{Type: html.TextNode, Data: adverts[e.rng.IntN(len(adverts))]}
	ad := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	switch unit.Parent.DataAtom {
	case atom.Dl:
		return false
	case atom.Tr, atom.Td, atom.P, atom.Span:
		return false
	}
	if isInline(unit) {
		return false
	}
	class := []string{"ad", "sponsored", "promo-x7", "", attribute(unit, "class")}[e.rng.IntN(5)]
	if class != "" {
		ad.Attr = []html.Attribute{{Key: "class", Val: class}}
	}
	switch unit.DataAtom {
	case atom.Tr:
		ad.Data, ad.DataAtom = "tr", atom.Tr
		cell := &html.Node{Type: html.ElementNode, Data: "td", DataAtom: atom.Td,
			Attr: []html.Attribute{{Key: "colspan", Val: strconv.Itoa(len(childElements(unit)))}}}
		cell.AppendChild(text)
		ad.AppendChild(cell)
	case atom.Li, atom.Article, atom.Section, atom.Div:
		ad.Data, ad.DataAtom = unit.Data, unit.DataAtom
		fallthrough
	default:
		link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A,
			Attr: []html.Attribute{{Key: "href", Val: "https://ads.example/" + strconv.Itoa(e.rng.IntN(1000))}}}
		link.AppendChild(text)
		ad.AppendChild(link)
	}
	unit.Parent.InsertBefore(ad, unit)
	return true
}

// value changes the text of the element, but not of what names it.
func (e *edited) value() bool {
	all := e.valueTexts()
	if len(all) == 0 {
		return false
	}
	before := shown(e.at.node)
	if e.at.form == formProse || e.at.what == "paragraph of a heading" {
		for _, n := range all {
			n.Data = e.otherWords(n.Data, []float64{.05, .3, .8}[e.rng.IntN(3)])
		}
	} else {
		n := all[e.rng.IntN(len(all))]
		head, tail := "", n.Data
		if m := labelText.FindStringSubmatchIndex(n.Data); m != nil && e.at.scope == "label" && e.at.among.named == nil {
			head, tail = n.Data[:m[4]], n.Data[m[4]:]
		}
		if anyDigit.MatchString(tail) && e.rng.IntN(10) < 8 {
			tail = digits.ReplaceAllStringFunc(tail, e.otherDigits)
		} else {
			tail = e.otherText(tail)
		}
		n.Data = head + tail
	}
	return shown(e.at.node) != before
}

// valueTexts returns the texts of the element that do not name it.
func (e *edited) valueTexts() (all []*html.Node) {
	if e.at.among.named == nil && e.at.scope == "entry" {
		return nil
	}
	for n := range e.at.node.Descendants() {
		if n.Type == html.TextNode && hasLetterOrDigit(n.Data) && !holds(e.at.among.named, n) && shown(n.Parent) != "" {
			all = append(all, n)
		}
	}
	return all
}

// otherWords replaces a share of the words of a text, at least one.
func (e *edited) otherWords(s string, share float64) string {
	changed := false
	out := anyWord.ReplaceAllStringFunc(s, func(w string) string {
		if e.rng.Float64() >= share {
			return w
		}
		changed = true
		return e.otherWord(w)
	})
	if !changed {
		done := false
		out = anyWord.ReplaceAllStringFunc(s, func(w string) string {
			if done {
				return w
			}
			done = true
			return e.otherWord(w)
		})
	}
	return out
}

// cloneTree copies a tree, and records the copy of each node.
func cloneTree(n *html.Node, copies map[*html.Node]*html.Node) *html.Node {
	c := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace, Attr: slices.Clone(n.Attr)}
	copies[n] = c
	for child := range n.ChildNodes() {
		c.AppendChild(cloneTree(child, copies))
	}
	return c
}

// in returns the same element in a copy of its page.
func (e *element) in(copies map[*html.Node]*html.Node) *element {
	c := *e
	c.node, c.group = copies[e.node], nil
	for _, u := range e.group {
		own := &unit{key: u.key}
		if u.named != nil {
			own.named = copies[u.named]
		}
		for _, n := range u.nodes {
			own.nodes = append(own.nodes, copies[n])
		}
		if c.group = append(c.group, own); u == e.among {
			c.among = own
		}
	}
	return &c
}
