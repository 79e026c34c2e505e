package selector

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	// maxSteps limits the work for one page: the number of elements that are examined beyond the walk of each selector.
	maxSteps = 20_000_000
	// matchSteps is the number of steps that a comparison of an element with a part of a selector counts.
	matchSteps = 4
)

// ErrLarge means that selectors were not applied because the page is too large for them.
var ErrLarge = fault.New(fault.TooLarge,
	"the page is too large for a selector that counts siblings, such as :nth-child, or looks into elements, such as :has")

// Page is a page in which selectors are matched, with what is known of it. It is not safe for concurrent use.
type Page struct {
	root      *html.Node
	steps     int
	siblings  map[*html.Node]int // number of nodes in an element
	names     map[*html.Node][]string
	byID      map[string]*html.Node
	labels    map[string]*html.Node // the labels of elements, by the ids of these
	grids     map[*html.Node]*grid
	above     map[*html.Node]*heading // the heading under which an element stands
	ambiguous error                   // why what a name stands for is not known
}

// On returns a page, which must not change while selectors are matched in it.
func On(root *html.Node) *Page { return &Page{root: root, steps: maxSteps} }

// Again allows as much work as for a new page.
func (p *Page) Again() { p.steps = maxSteps }

// Find returns the topmost elements that match one of the selectors, in the order of the page. Errors: [ErrLarge],
// and [ErrAmbiguous] if several elements have a name that is for one.
func (p *Page) Find(selectors []Selector) (out []*html.Node, err error) {
	if len(selectors) == 0 {
		return nil, nil
	}
	found := map[*html.Node]bool{}
	for i := range selectors {
		all, err := p.find(&selectors[i])
		if err != nil {
			return nil, err
		}
		for _, n := range all {
			found[n] = true
		}
	}
	return topmost(p.root, found, nil), nil
}

func (p *Page) find(sel *Selector) ([]*html.Node, error) {
	p.ambiguous = nil
	w := walk{sel: sel, page: p}
	w.among(p.root.FirstChild, 0, 0, 0, 0)
	if w.dropHidden() {
		w.found, w.ones = nil, nil
		w.among(p.root.FirstChild, 0, 0, 0, 0)
		w.dropHidden()
	}
	if p.steps < 0 {
		return nil, ErrLarge
	}
	return w.found, p.ambiguous
}

func topmost(n *html.Node, found map[*html.Node]bool, out []*html.Node) []*html.Node {
	if found[n] {
		return append(out, n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out = topmost(c, found, out)
	}
	return out
}

// walk matches one selector. The matches at an element are a set of bits. Bit i means that the first i+1 parts of the
// selector match, the last of them at the element itself.
type walk struct {
	sel   *Selector
	page  *Page
	found []*html.Node
	from  *html.Node // the element for which the first part stands; the walk ends with the first match. Nil for none
	ones  ones
	out   map[*html.Node]bool // hidden copies of other elements, which do not match
}

// among searches for matches at and below the children of an element, beginning with c. It needs the bits of the
// element alone (parent), those of it and of all its ancestors (above), those of the sibling before c, and those of
// all siblings before c (earlier).
func (w *walk) among(c *html.Node, above, parent, before, earlier uint32) {
	for ; c != nil && w.page.steps >= 0; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		here := w.at(c, above, parent, before, earlier)
		if here>>(len(w.sel.chain)-1) != 0 {
			w.found = append(w.found, c) // the matching element includes everything below it
		} else {
			w.among(c.FirstChild, above|here, here, 0, 0)
		}
		if w.from != nil && len(w.found) > 0 {
			return
		}
		before, earlier = here, earlier|here
	}
}

// at returns the bits of an element.
func (w *walk) at(n *html.Node, above, parent, before, earlier uint32) (here uint32) {
	first := 0
	if w.from != nil {
		first = 1
	}
	for i := first; i < len(w.sel.chain); i++ {
		part := &w.sel.chain[i]
		needs := ^uint32(0)
		switch part.combinator {
		case ' ':
			needs = above
		case '>':
			needs = parent
		case '+':
			needs = before
		case '~':
			needs = earlier
		}
		if i > 0 && needs>>(i-1)&1 == 0 {
			continue
		}
		if w.from != nil {
			w.page.steps -= matchSteps
		}
		if w.out[n] || !w.page.is(n, part) {
			continue
		}
		if here |= 1 << i; w.from == nil {
			w.note(i, n, above>>i&1 != 0)
		}
	}
	return here
}

// is reports whether an element matches a part of a selector.
func (p *Page) is(n *html.Node, part *compound) bool {
	if part.siblings {
		if p.steps -= p.count(n.Parent); p.steps < 0 {
			return false
		}
	}
	if !part.sel.Match(n) {
		return false
	}
	for _, t := range part.tests {
		if !t.holds(p, n) || p.steps < 0 {
			return false
		}
	}
	return true
}

// count returns the number of nodes in an element.
func (p *Page) count(n *html.Node) int {
	children, known := p.siblings[n]
	if known || n == nil {
		return children
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		children++
	}
	if p.siblings == nil {
		p.siblings = map[*html.Node]int{}
	}
	p.siblings[n] = children
	return children
}

// matches reports whether an element matches a chain: its last part at the element, the others before and around it.
func (p *Page) matches(chain []compound, n *html.Node) bool {
	last := len(chain) - 1
	if p.steps -= matchSteps; p.steps < 0 || !p.is(n, &chain[last]) {
		return false
	}
	if last == 0 {
		return true
	}
	how := chain[last].combinator
	next := elementBefore
	if how == ' ' || how == '>' {
		next = elementAround
	}
	for n = next(n); n != nil && p.steps >= 0; n = next(n) {
		if p.matches(chain[:last], n) {
			return true
		}
		if how == '>' || how == '+' {
			return false
		}
	}
	return false
}

func elementAround(n *html.Node) *html.Node {
	if n = n.Parent; n == nil || n.Type != html.ElementNode {
		return nil
	}
	return n
}

func elementBefore(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
	}
	return n
}
