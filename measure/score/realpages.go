package main

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// realPage is a page of a set, with slots for facts: before its first known paragraph, in the middle, after the last
// one, and outside of what holds them.
type realPage struct {
	name, kind string
	text       string               // what is read of it, without a fact
	slots      map[string][2]string // what stands before each slot and after it
}

// slotComment stands for a slot while a page is rendered.
const slotComment = "slot of a fact"

// realPageOf finds the slots of a page. A page of whose known content it finds fewer than three paragraphs has none.
func realPageOf(p page) (*realPage, error) {
	s, err := stateFrom(p.html, "")
	if err != nil {
		return nil, err
	}
	r := &realPage{name: p.name, kind: cmp.Or(p.kind, "page"), slots: map[string][2]string{},
		text: dom.Fold(extract.Join(s.Document.Blocks))}
	for _, slot := range []string{"before", "in", "after", "out"} {
		root, err := html.Parse(bytes.NewReader(p.html))
		if err != nil {
			return nil, err
		}
		known := knownParagraphs(root, dom.Fold(p.text))
		const least = 3
		if len(known) < least {
			return nil, nil
		}
		at, last := known[len(known)/2], known[len(known)-1]
		switch slot {
		case "before":
			at = known[0].PrevSibling
		case "after":
			at = last
		case "out":
			at = outermost(last)
		}
		insert(at, known[0], &html.Node{Type: html.CommentNode, Data: slotComment})
		var b strings.Builder
		if err := html.Render(&b, root); err != nil {
			return nil, err
		}
		before, after, _ := strings.Cut(b.String(), "<!--"+slotComment+"-->")
		r.slots[slot] = [2]string{before, after}
	}
	return r, nil
}

// insert inserts a node after another one; if that is nil, before the first paragraph.
func insert(after, first, node *html.Node) {
	if after == nil {
		first.Parent.InsertBefore(node, first)
		return
	}
	after.Parent.InsertBefore(node, after.NextSibling)
}

// knownParagraphs returns the paragraphs whose text is in the known text.
func knownParagraphs(root *html.Node, text string) (all []*html.Node) {
	const least = 40 // bytes
	for n := range root.Descendants() {
		if n.DataAtom != atom.P {
			continue
		}
		var b strings.Builder
		for inner := range n.Descendants() {
			if inner.Type == html.TextNode {
				b.WriteString(inner.Data)
			}
		}
		if own := dom.Fold(b.String()); len(own) >= least && strings.Contains(text, own) {
			all = append(all, n)
		}
	}
	return all
}

// outermost returns the main element or article that holds a node, or else the part of the body that does.
func outermost(n *html.Node) *html.Node {
	out := n
	for ; n.Parent != nil && n.DataAtom != atom.Body; n = n.Parent {
		if n.Parent.DataAtom == atom.Body && out.DataAtom != atom.Main && out.DataAtom != atom.Article ||
			n.DataAtom == atom.Main || n.DataAtom == atom.Article {
			out = n
		}
	}
	return out
}

// page returns the page with a fact.
func (p *realPage) page(s spot, slot, _, text string) string {
	return p.slots[slot][0] + s.with(text) + p.slots[slot][1]
}

func (p *realPage) group() string { return p.kind }

func (p *realPage) existing(text string) int { return strings.Count(p.text, dom.Fold(text)) }

// realTrials returns some trials for each page of a set. Spots and facts are drawn.
func realTrials(pages []page) (all []trial, err error) {
	const each = 10 // trials of a page
	type place struct {
		spot spot
		slot string
	}
	var places []place
	for _, s := range spots {
		for _, slot := range strings.Fields(s.where) {
			if slot != "heading" { // which is beside the name of a site
				places = append(places, place{s, slot})
			}
		}
	}
	facts, rng := allFacts(), rand.New(rand.NewPCG(1, 0))
	for _, p := range pages {
		real, err := realPageOf(p)
		if err != nil {
			return nil, err
		}
		for i := 0; real != nil && i < each; i++ {
			at := places[rng.IntN(len(places))]
			all = append(all, trial{at.spot, at.slot, real, facts[rng.IntN(len(facts))]})
		}
	}
	return all, nil
}
