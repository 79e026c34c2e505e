package extract

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// content is the main content as blocks.
type content struct {
	roots     []*html.Node
	cut       cut
	blocks    []Block
	heading   string // the first h1 of the content
	size      int    // bytes of text
	truncated bool
}

// attempt is one way to look for the content: where, and which reasons to drop count.
type attempt struct {
	roots  []*html.Node
	honors drop // the weakest reason that counts
}

// enough is the size, in bytes of text, from which an attempt is taken without another attempt.
const enough = 250

// mainContent tries the strictest reading first and takes the first that is not outweighed by the
// next: text that is both short and less than a third of what a laxer reading finds was cut too
// far. The last attempt drops nothing, so whatever is visible is found.
func mainContent(s *surveyed, limits Limits) content {
	if posts := s.thread(); posts != nil {
		if best := (attempt{posts, dense}).read(s, limits); best.size >= enough {
			best.heading = s.heading
			return best
		}
	}
	roots, body := contentRoots(s), []*html.Node{s.body}
	if best := article(s, roots, limits); best.size >= enough {
		return best
	}
	attempts := []attempt{{roots, dense}, {roots, named}, {body, named}, {body, chrome}, {body, chrome + 1}}
	best := attempts[0].read(s, limits)
	for i, a := range attempts[1:] {
		if best.size >= enough && best.size*5 >= attempts[i].offered(s) {
			break
		}
		next := a.read(s, limits)
		if best.size > 0 && best.size*3 >= next.size {
			break
		}
		best = next
	}
	return s.atLeastAQuarter(best, limits)
}

// large is the visible text, in bytes, of which the content must be a quarter.
const large = 8000

// atLeastAQuarter is the content that was found, or, when that is too little of a large page, what is not chrome by its
// elements: names misled.
func (s *surveyed) atLeastAQuarter(found content, limits Limits) content {
	visible := s.text.Size()
	if visible < large || found.size*4 >= visible {
		return found
	}
	if next := (attempt{[]*html.Node{s.body}, chrome}).read(s, limits); next.size*4 >= visible {
		return next
	}
	return found
}

// contentRoots picks the elements that hold the content: main, else the only article, else what
// an id names, else the body. Several articles are a list of entries, which the body holds whole.
func contentRoots(s *surveyed) []*html.Node {
	whole := s.measure(s.body)
	if len(s.mains) > 0 && s.measure(s.mains...)*3 >= whole && whole > 0 {
		return s.mains
	}
	if len(s.articles) == 1 && s.measure(s.articles...)*4 >= whole {
		return s.articles
	}
	if len(s.named) == 1 && s.measure(s.named...)*3 >= whole {
		return s.named
	}
	return []*html.Node{s.body}
}

// measure is the text below nodes, chrome aside.
func (s *surveyed) measure(nodes ...*html.Node) int {
	sum := 0
	for _, n := range nodes {
		sum += s.measures[n]
	}
	return sum
}

// offered is the text that the attempt could have found, had it dropped chrome only.
func (a attempt) offered(s *surveyed) int { return s.measure(a.roots...) }

// cut is what the attempt leaves out.
func (a attempt) cut(s *surveyed) cut {
	return cut{drops: s.drops, honors: a.honors, rest: s.measure(s.body), around: s.around}
}

// read makes the blocks of an attempt.
func (a attempt) read(s *surveyed, limits Limits) content {
	b := builder{cut: a.cut(s), limits: limits}
	for _, root := range a.roots {
		b.children(root)
		b.flush()
	}
	return content{a.roots, b.cut, b.blocks, b.heading, b.size, b.truncated}
}

// cut says what an attempt leaves out of its roots.
type cut struct {
	drops  map[*html.Node]dropped
	honors drop // the weakest reason that counts
	rest   int  // bytes of text of the page that nothing names as chrome
	around int  // bytes of text that only names call chrome
}

// skips reports whether n is left out.
func (c cut) skips(n *html.Node) bool {
	if dom.Unseen(n) || isMark(n) {
		return true
	}
	if c.honors == beside && isBeside(n) {
		return true
	}
	d, found := c.drops[n]
	if !found || d.why < c.honors {
		return false
	}
	// A class says little against most of the page: some wrapper is called "sidebar-layout".
	return d.why != named || d.text < 2*c.rest || 2*d.text < c.rest+c.around
}
