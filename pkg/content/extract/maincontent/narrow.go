package maincontent

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// leastProse is the smallest length, in bytes, of a line that is prose even if it is not marked up as a paragraph.
const leastProse = 80

// leastLead is the smallest size of the prose of an introduction, in bytes. It is about three sentences.
const leastLead = 300

// prose measures the running text below each element of a tree: the text of paragraphs, and of lines as long as a
// paragraph. Links and dropped elements are not included.
type prose struct {
	cut
	below  map[*html.Node]int
	headed map[*html.Node]bool // elements that hold the heading of the page
}

// measure measures n and its descendants. It returns the sum of the prose below n, and the length of the text that
// belongs to the line around n.
func (p *prose) measure(n *html.Node, inLink bool) (sum, line int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if !inLink {
				line += textLength(c.Data)
			}
		case html.ElementNode:
			if p.skips(c) {
				continue
			}
			s, l := p.measure(c, inLink || dom.IsLink(c))
			if c.DataAtom == atom.H1 || p.headed[c] {
				p.headed[n] = true
			}
			sum += s
			line += l
		}
	}
	if dom.IsBlock(n.DataAtom) || n.DataAtom == atom.Td {
		if n.DataAtom == atom.P || line >= leastProse {
			sum += line
		}
		line = 0
	}
	if sum > 0 {
		p.below[n] = sum
	}
	return sum, line
}

// textLength returns the length of a text without leading and trailing whitespace.
func textLength(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] > ' ' {
			n++
		}
	}
	return n
}

// narrowed returns the innermost element below root that still holds nearly all of the prose.
func (c cut) narrowed(root *html.Node) *html.Node {
	p := prose{cut: c, below: map[*html.Node]int{}, headed: map[*html.Node]bool{}}
	whole, _ := p.measure(root, false)
	if whole < enough {
		return root
	}
	for {
		next := p.heaviest(root)
		if next == nil || p.below[next]*100 < whole*85 || c.drops[next].why >= named || p.leads(root, next) {
			return root
		}
		root = next
	}
}

// leads reports whether n begins with an introduction. An introduction is a child of n that holds the heading of the
// page and enough prose. It comes before the child that holds most of the prose, which is the second argument.
func (p *prose) leads(n, most *html.Node) bool {
	for c := n.FirstChild; c != nil && c != most; c = c.NextSibling {
		if p.headed[c] && p.below[c] >= leastLead {
			return true
		}
	}
	return false
}

// heaviest returns the child of n with the most prose, if that child can hold more than one paragraph.
func (p *prose) heaviest(n *html.Node) (best *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && p.below[c] > 0 && (best == nil || p.below[c] > p.below[best]) {
			best = c
		}
	}
	if best == nil || isWhole(best.DataAtom) {
		return nil
	}
	return best
}

// isWhole reports whether elements of type a must not be divided. The type is part of their meaning, so the content
// is never only the inside of such an element.
func isWhole(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Ul, atom.Ol, atom.Menu, atom.Blockquote, atom.Table, atom.Dl, atom.Dt, atom.Dd, atom.Details:
		return true
	}
	return dom.IsCode(a)
}
