package pick

import (
	"iter"
	"slices"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/selector"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

const (
	// maxTried limits the number of selectors that are tried on a page, and maxKept the number of those that are returned.
	maxTried, maxKept = 120, 6
	// maxAbove limits the number of elements around an element by whose names a selector may find it.
	maxAbove = 12
	// maxSteps limits the number of parts of a selector. It is less than the limit of package watch.
	maxSteps = 15
)

// Way is a selector that finds one element alone in its page, or one around or in it that shows the same.
type Way struct {
	Selector string
	Words    string // by what it finds it, such as: the row “Great Hall”
	By       By
}

// By is what a selector finds an element by.
type By string

// What selectors find elements by, those first that change the least.
const (
	ByID       By = "id"
	ByHeading  By = "heading" // the heading above it
	ByKey      By = "key"     // the key cell of its row, the title of its entry, or the first words of a paragraph
	ByLabel    By = "label"   // the label beside it
	ByClass    By = "class"   // its names in the markup
	ByPosition By = "place"   // its place among its siblings, such as: the third row
)

// Ways returns CSS selectors that find the element n alone in its page, those first that are the least likely to fail
// or to find another one when the page changes: what the page says of the element comes before the names of its markup
// if it is an entry of a list or a table, and its place comes last. It returns none if the element is too deep in the
// page for any.
func Ways(root, n *html.Node) (out []Way) {
	p := newPicker(root, n)
	for _, w := range p.candidates() {
		if p.tried++; p.tried > maxTried || len(out) == maxKept {
			break
		}
		if p.finds(w.Selector) && !slices.ContainsFunc(out, func(o Way) bool { return o.Selector == w.Selector }) {
			out = append(out, w)
		}
	}
	for _, w := range p.positions() {
		if p.finds(w.Selector) {
			return append(out, w)
		}
	}
	return out
}

// Choose returns the one of the [Ways] to an element that finds one element, of the same name, in the most of the other
// captures of its page; of several, the first. One by place is chosen only if there is no other. It is not ok if no
// selector finds the element.
func Choose(root, n *html.Node, captures iter.Seq[*html.Node]) (best Way, ok bool) {
	ways := Ways(root, n)
	if len(ways) == 0 {
		return best, false
	}
	if len(ways) > 1 && ways[len(ways)-1].By == ByPosition {
		ways = ways[:len(ways)-1]
	}
	if len(ways) == 1 {
		return ways[0], true
	}
	hits, most := make([]int, len(ways)), 0
	name := nameOf(selector.On(root), n)
	for root := range captures {
		page := selector.On(root)
		for i, w := range ways {
			if found, _ := all(page, w.Selector); len(found) == 1 && nameOf(page, found[0]) == name {
				hits[i]++
				most = max(most, hits[i])
			}
		}
	}
	return ways[slices.Index(hits, most)], true
}

// nameOf returns the name of the row or entry that an element is or is in, or else of the element.
func nameOf(page *selector.Page, n *html.Node) string {
	for up := n; up != nil && up.Type == html.ElementNode; up = up.Parent {
		if selector.IsRow(up) || selector.IsEntry(up) {
			if names := page.Names(up); len(names) > 0 && len(keys(names[0])) > 0 {
				return keys(names[0])[0]
			}
		}
	}
	return page.Label(n)
}

// Find returns the elements of a page that a selector finds.
func Find(root *html.Node, text string) ([]*html.Node, error) { return all(selector.On(root), text) }

// picker makes selectors for an element.
type picker struct {
	root, n *html.Node
	page    *selector.Page
	above   []*html.Node // n and the elements around it, at most maxAbove
	tried   int
	letters map[*html.Node]int
	made    *suffixes
	renewed int // how often the work for a page was used up
}

func newPicker(root, n *html.Node) *picker {
	p := &picker{root: root, page: selector.On(root), n: n}
	for up := n; up != nil && up.Type == html.ElementNode && len(p.above) < maxAbove; up = up.Parent {
		p.above = append(p.above, up)
	}
	return p
}

// finds reports whether a selector finds the element alone.
func (p *picker) finds(text string) bool {
	found := p.all(text)
	return len(found) == 1 && p.isSame(found[0])
}

// isSame reports whether an element is the chosen one, or is around or in it and shows the same.
func (p *picker) isSame(a *html.Node) bool {
	if a == p.n {
		return true
	}
	if p.letters == nil {
		p.letters = map[*html.Node]int{}
	}
	return (contains(a, p.n) || contains(p.n, a)) && p.shown(a) == p.shown(p.n)
}

// contains reports whether an element is in another one.
func contains(around, n *html.Node) bool {
	for n != nil && n != around {
		n = n.Parent
	}
	return n != nil
}

// shown returns the number of letters that an element shows.
func (p *picker) shown(n *html.Node) int {
	if count, known := p.letters[n]; known {
		return count
	}
	page := Page{shown: map[*html.Node]int{}, blocks: map[*html.Node]bool{}}
	p.letters[n], _ = page.measure(n)
	return p.letters[n]
}

// all returns what a selector finds. On a page that needs much work for each selector, few are tried.
func (p *picker) all(text string) []*html.Node {
	const most = 10 // pages' work
	found, err := all(p.page, text)
	if fault.Is(err, fault.TooLarge) && p.renewed < most {
		p.renewed++
		p.page.Again()
		found, _ = all(p.page, text)
	}
	return found
}

func all(page *selector.Page, text string) ([]*html.Node, error) {
	rules, err := watch.Compile(watch.Spec{Include: []string{text}})
	if err != nil {
		return nil, err
	}
	return rules.Included(page)
}
