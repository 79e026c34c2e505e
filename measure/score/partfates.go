package main

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Edits after which the element is gone, or bare. A trial has one of them at most.
var partFates = []partEdit{
	{"emptied", (*edited).empty},
	{"emptied", (*edited).empty},
	{"list emptied", (*edited).emptyList},
	{"removed", (*edited).removeIt},
	{"removed", (*edited).removeIt},
	{"removed", (*edited).removeIt},
}

// empty takes the text of the element away.
func (e *edited) empty() bool {
	bare := []*html.Node{e.at.node}
	if e.at.node.DataAtom == atom.Tr {
		bare = childElements(e.at.node)
	}
	for _, n := range bare {
		for n.FirstChild != nil {
			n.RemoveChild(n.FirstChild)
		}
	}
	e.bare = true
	return true
}

var nothingTexts = []string{"There are no entries at present.", "No results", "Derzeit keine Einträge.", "–"}

// emptyList takes all units away, and says that there are none.
func (e *edited) emptyList() bool {
	switch e.at.what {
	case "row", "cell", "entry", "card", "part of a card":
	default:
		return false
	}
	if !e.isGrouped() {
		return false
	}
	first := e.at.group[0].nodes[0]
	note := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P,
		Attr: []html.Attribute{{Key: "class", Val: "no-results"}}}
	text := &html.Node{Type: html.TextNode, Data: nothingTexts[e.rng.IntN(len(nothingTexts))]}
	switch first.DataAtom {
	case atom.Tr:
		cell := &html.Node{Type: html.ElementNode, Data: "td", DataAtom: atom.Td,
			Attr: []html.Attribute{{Key: "colspan", Val: strconv.Itoa(len(childElements(first)))}}}
		note.Data, note.DataAtom = "tr", atom.Tr
		cell.AppendChild(text)
		note.AppendChild(cell)
	case atom.Li:
		note.Data, note.DataAtom = "li", atom.Li
		note.AppendChild(text)
	default:
		note.AppendChild(text)
	}
	first.Parent.InsertBefore(note, first)
	for _, u := range e.at.group {
		for _, n := range u.nodes {
			n.Parent.RemoveChild(n)
		}
	}
	e.gone = true
	return true
}

// removeIt removes the element: with its unit, or alone where its name may stay, if nothing else comes in its place.
func (e *edited) removeIt() bool {
	nodes := e.at.among.nodes
	if alone := (e.at.what == "dd" || e.at.what == "paragraph of a heading") && len(nodes) == 2 ||
		e.at.what == "value beside a label" && e.at.node != nodes[0]; alone && e.rng.IntN(3) == 0 {
		nodes = []*html.Node{e.at.node}
	}
	c := countsOf(e.at.group)
	for _, n := range nodes {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	if i := e.index(); len(nodes) == len(e.at.among.nodes) && i >= 0 {
		c.again(slices.Delete(slices.Clone(e.at.group), i, i+1))
	}
	e.gone = true
	return true
}

// rebuild is a page that was built anew: other classes and ids, other elements, other blocks in another order, and
// most lines new. The element is not on it.
func (e *edited) rebuild() bool {
	if e.other != nil && e.rng.IntN(3) == 0 {
		return e.replace()
	}
	if !e.removeIt() {
		return false
	}
	e.renovate(nil)
	return e.isForgotten()
}

// rebuildKept is a page that was built anew, which still has the unit of the element.
func (e *edited) rebuildKept() bool {
	kept := map[*html.Node]bool{}
	for _, n := range e.at.among.nodes {
		kept[n] = true
		for c := range n.Descendants() {
			kept[c] = true
		}
	}
	e.renovate(kept)
	return true
}

// replace puts another page in place of this one.
func (e *edited) replace() bool {
	head, body, other := e.root, theBody(e.root), theBody(e.other)
	if body == nil || other == nil {
		return false
	}
	for head.FirstChild != nil {
		head.RemoveChild(head.FirstChild)
	}
	for c := range e.other.ChildNodes() {
		head.AppendChild(cloneTree(c, map[*html.Node]*html.Node{}))
	}
	e.gone = true
	return e.isForgotten()
}

// isForgotten reports whether a rebuilt page has nothing that people could take for the element: neither its key nor
// its text.
func (e *edited) isForgotten() bool {
	const shortest = 3
	page, key := " "+fold(shown(e.root))+" ", e.at.among.key
	if len(key) >= shortest && strings.Contains(page, key) || key != "" && strings.Contains(page, " "+key+" ") {
		return false
	}
	text := fold(shown(e.at.node))
	return key != "" || len(text) < shortest || !strings.Contains(page, text)
}

var otherTags = map[atom.Atom]atom.Atom{atom.Div: atom.Section, atom.Section: atom.Div, atom.Article: atom.Div,
	atom.Main: atom.Div, atom.B: atom.Strong, atom.Strong: atom.B, atom.H2: atom.H3, atom.H3: atom.H4, atom.H4: atom.H2}

// renovate gives a page other classes, ids, elements, order and lines. What is kept has its texts still.
func (e *edited) renovate(kept map[*html.Node]bool) {
	restyle(e.root, e.renamer(), true)
	share := .6 + .35*e.rng.Float64()
	body := theBody(e.root)
	if body == nil {
		return
	}
	var widest *html.Node
	most := 2
	for n := range body.Descendants() {
		switch {
		case n.Type == html.ElementNode:
			if len(childElements(n)) > most && isBlockParent(n) {
				widest, most = n, len(childElements(n))
			}
			if to, ok := otherTags[n.DataAtom]; ok {
				n.DataAtom, n.Data = to, to.String()
			}
		case n.Type == html.TextNode && hasLetterOrDigit(n.Data) && !kept[n] && n.Parent.DataAtom != atom.Script &&
			n.Parent.DataAtom != atom.Style:
			if e.rng.Float64() < share {
				n.Data = e.otherText(n.Data)
			}
		}
	}
	for _, n := range []*html.Node{body, widest} {
		if n == nil {
			continue
		}
		blocks := childElements(n)
		e.rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		for _, b := range blocks {
			n.RemoveChild(b)
			n.AppendChild(b)
		}
	}
	inner := slices.Collect(body.ChildNodes())
	if len(inner) > 0 {
		around(e.wrapper(), inner...)
	}
}
