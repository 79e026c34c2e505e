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
func Ways(root, n *html.Node) []Way { return newPicker(root, n).ways(maxKept) }

// ways returns at most a number of selectors, and one by the place of the element.
func (p *picker) ways(most int) (out []Way) {
	for _, w := range p.candidates() {
		if p.tried++; p.tried > maxTried || len(out) == most {
			break
		}
		if p.finds(w.Selector) && !slices.ContainsFunc(out, func(o Way) bool { return o.Selector == w.Selector }) {
			for _, with := range p.known[w.Selector] {
				if p.finds(with.position) && p.finds(with.whole) {
					w.Selector = with.whole
					break
				}
			}
			out = append(out, w)
		}
	}
	for _, byLine := range []bool{true, false} {
		for _, w := range p.positions(byLine) {
			if p.finds(w.Selector) {
				return append(out, w)
			}
		}
	}
	return out
}

// Choose returns the one of the [Ways] to an element that finds one element, of the same name, in the most of the other
// captures of its page; of several, the first. One by place is chosen only if there is no other. It is not ok if no
// selector finds the element.
func Choose(root, n *html.Node, captures iter.Seq[*html.Node]) (best Way, ok bool) {
	t := newTally(root, n)
	if len(t.ways) == 0 {
		return best, false
	}
	if len(t.ways) > 1 {
		for root := range captures {
			t.count(root)
		}
	}
	return t.ways[t.best()], true
}

// tally counts what selectors find in other captures.
type tally struct {
	ways  []Way
	name  string  // of the element
	hits  []int   // in how many captures a selector finds one element of the same name
	times [][]int // how many elements it finds in each capture; -1 if that is no page
}

func newTally(root, n *html.Node) *tally {
	t := &tally{ways: Ways(root, n), name: nameOf(selector.On(root), n)}
	if len(t.ways) > 1 && t.ways[len(t.ways)-1].By == ByPosition {
		t.ways = t.ways[:len(t.ways)-1]
	}
	t.hits, t.times = make([]int, len(t.ways)), make([][]int, len(t.ways))
	return t
}

// count adds a capture, which is nil if it is no page.
func (t *tally) count(root *html.Node) {
	var page *selector.Page
	if root != nil {
		page = selector.On(root)
	}
	for i, w := range t.ways {
		found := findIn(page, w.Selector)
		t.times[i] = append(t.times[i], timesOf(page, found))
		if len(found) == 1 && nameOf(page, found[0]) == t.name {
			t.hits[i]++
		}
	}
}

// best returns the number of the best selector.
func (t *tally) best() int { return slices.Index(t.hits, slices.Max(t.hits)) }

func findIn(page *selector.Page, text string) []*html.Node {
	if page == nil {
		return nil
	}
	page.Again()
	found, _ := all(page, text)
	return found
}

func timesOf(page *selector.Page, found []*html.Node) int {
	if page == nil {
		return -1
	}
	return len(found)
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
	known   map[string][]withPosition // by the selector that has a name in the markup
	renewed int                       // how often the work for a page was used up
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
