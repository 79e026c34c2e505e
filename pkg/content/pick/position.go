package pick

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// positions returns selectors that find the element by its place below the closest element with a name, and below
// each further one. A place with a name finds nothing if something else is there.
func (p *picker) positions(byLine bool) (out []Way) {
	chain, words := "", ""
	n := p.n
	for steps := 0; n != nil && n.Type == html.ElementNode && n.Parent != nil && steps < maxSteps; steps++ {
		same, _ := position(n)
		if same > 1 && words == "" {
			words = "the " + ordinal(n) + " " + noun(n)
		}
		chain = step(n) + p.guard(n, byLine && !strings.Contains(chain, ":named(")) + chain
		n = n.Parent
		if n.Type != html.ElementNode {
			return append(out, Way{chain, cmp.Or(words, "the only one"), ByPosition})
		}
		around, id := p.namesIn(n)
		if id != "" {
			around = []string{id}
		}
		if head := p.page.Head(n); head != "" && isName(n.Data) && len(keys(head)) > 0 {
			around = append([]string{n.Data + namedTest(keys(head)[0]).test}, around...)
		}
		if n.DataAtom == atom.Body || n.DataAtom == atom.Main {
			around = append(around, n.Data)
		}
		for _, a := range around[:min(len(around), 2)] {
			out = append(out, Way{a + " > " + chain, cmp.Or(words, "the only one"), ByPosition})
		}
		chain = " > " + chain
	}
	return out
}

// guard returns a test of the name of a row, an entry or the element itself, or of the first words of a paragraph,
// if it has one; or else of a line that tells one of several elements apart; "" if there is none.
func (p *picker) guard(n *html.Node, byLine bool) string {
	if same, _ := position(n); n.DataAtom == atom.P && (same > 1 || !selector.IsCell(n.Parent)) {
		if t, ok := p.firstWords(n); ok {
			return t.test
		}
	}
	own := p.page.Text(p.n)
	isLarge := n == p.n && len(p.page.Lines(n, 2)) > 1
	for _, name := range p.page.Names(n) {
		if !isLarge && !selector.IsRow(n) && !selector.IsEntry(n) {
			break
		}
		if k := keys(name); len(k) > 0 && (n == p.n || name == own || !strings.Contains(name, own)) {
			return namedTest(k[0]).test
		}
	}
	const list = 3
	if same, _ := position(n); !byLine || same < list || selector.IsCell(n) {
		return ""
	}
	for _, second := range p.seconds(n) {
		if n == p.n || !strings.Contains(own, strings.TrimRight(second, "* ")) {
			return namedTest("*", second).test
		}
	}
	return ""
}

// step is the part of a selector that finds an element by its position among its siblings.
func step(n *html.Node) string {
	same, at := position(n)
	switch {
	case !isName(n.Data):
		nth := 0
		for c := n; c != nil; c = c.PrevSibling {
			if c.Type == html.ElementNode {
				nth++
			}
		}
		return fmt.Sprintf("*:nth-child(%d)", nth)
	case same == 1:
		return n.Data
	}
	return fmt.Sprintf("%s:nth-of-type(%d)", n.Data, at)
}

// noun is a word for an element.
func noun(n *html.Node) string {
	switch {
	case selector.IsRow(n):
		return "row"
	case n.DataAtom == atom.Table:
		return "table"
	case selector.IsCell(n):
		return "cell"
	case n.DataAtom == atom.P:
		return "paragraph"
	case selector.IsEntry(n):
		return "entry"
	}
	return "part"
}

// ordinal says which of the elements with its tag an element is.
func ordinal(n *html.Node) string {
	_, at := position(n)
	return ordinalOf(at)
}

func ordinalOf(n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n <= len(words) {
		return words[n-1]
	}
	return fmt.Sprintf("%d.", n)
}

// position returns how many siblings have the tag of an element, and which of them it is.
func position(n *html.Node) (same, at int) {
	for c := range n.Parent.ChildNodes() {
		if c.Type == html.ElementNode && c.Data == n.Data {
			if same++; c == n {
				at = same
			}
		}
	}
	return same, at
}
