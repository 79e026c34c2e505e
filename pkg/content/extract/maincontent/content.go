package maincontent

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Content is what a page is about.
type Content struct {
	blocks.Text
	Roots []*html.Node // the elements that hold it
	cut   cut
}

// Skips reports whether an element below the roots is not part of the content.
func (c Content) Skips(n *html.Node) bool { return c.cut.skips(n) }

// attempt is one way to look for the content: where, and which reasons to drop count.
type attempt struct {
	roots  []*html.Node
	honors drop // the weakest reason that counts
}

// enough is the size of content, in bytes of text, from which no other attempt is needed.
const enough = 250

// MainContent is the content of a page. The strictest attempt comes first. A result that is short, and less than a
// third of what the next attempt finds, was cut too far, and the next one counts. The last attempt drops nothing, so a
// page with visible text has content.
func (s *Survey) MainContent() Content {
	if posts := s.thread(); posts != nil {
		if best := (attempt{posts, dense}).read(s); best.Size >= enough {
			best.Heading = s.Heading
			return best
		}
	}
	roots, body := contentRoots(s), []*html.Node{s.Body}
	if best := article(s, roots); best.Size >= enough {
		return best
	}
	attempts := []attempt{{roots, dense}, {roots, named}, {body, named}, {body, chrome}, {body, noReason}}
	best := attempts[0].read(s)
	for i, a := range attempts[1:] {
		if best.Size >= enough && best.Size*5 >= attempts[i].offered(s) {
			break
		}
		next := a.read(s)
		if best.Size > 0 && best.Size*3 >= next.Size {
			break
		}
		best = next
	}
	return s.atLeastAQuarter(best)
}

// large is the visible text of a page, in bytes, from which the content must be a quarter of it.
const large = 8000

// atLeastAQuarter is the content that was found. When that is too little of a large page, names misled, and it is what
// is not chrome by its elements.
func (s *Survey) atLeastAQuarter(found Content) Content {
	visible := s.Text.Size()
	if visible < large || found.Size*4 >= visible {
		return found
	}
	if next := (attempt{[]*html.Node{s.Body}, chrome}).read(s); next.Size*4 >= visible {
		return next
	}
	return found
}

// contentRoots picks the elements that hold the content: main, else the only article, else what
// an id names, else the body. Several articles are a list of entries, which the body holds whole.
func contentRoots(s *Survey) []*html.Node {
	whole := s.measure(s.Body)
	if len(s.mains) > 0 && s.measure(s.mains...)*3 >= whole && whole > 0 {
		return s.mains
	}
	if len(s.articles) == 1 && s.measure(s.articles...)*4 >= whole {
		return s.articles
	}
	if len(s.ids) == 1 && s.measure(s.ids...)*3 >= whole {
		return s.ids
	}
	return []*html.Node{s.Body}
}

// measure is the text below nodes, chrome aside.
func (s *Survey) measure(nodes ...*html.Node) int {
	sum := 0
	for _, n := range nodes {
		sum += s.measures[n]
	}
	return sum
}

// offered is the text that the attempt could have found, had it dropped chrome only.
func (a attempt) offered(s *Survey) int { return s.measure(a.roots...) }

// Size is the text of the page that nothing names as chrome, in bytes.
func (s *Survey) Size() int { return s.measure(s.Body) }

// Everything is all that is visible of a page without chrome, such as a Markdown document.
func (s *Survey) Everything() Content { return attempt{[]*html.Node{s.Body}, noReason}.read(s) }

// Elements is all that is visible of some elements.
func (s *Survey) Elements(elements []*html.Node) Content {
	c := attempt{elements, noReason}.cut(s)
	return Content{Text: blocks.Of(elements, s.limits.MaxBlocks, c.skips), Roots: elements, cut: c}
}

// cut is what the attempt leaves out.
func (a attempt) cut(s *Survey) cut {
	return cut{drops: s.drops, honors: a.honors, size: s.Size(), namedSize: s.namedSize}
}

// read makes the blocks of an attempt.
func (a attempt) read(s *Survey) Content {
	c := a.cut(s)
	return Content{Text: blocks.Within(a.roots, s.limits.MaxBlocks, c.skips), Roots: a.roots, cut: c}
}

// cut says what an attempt leaves out of its roots.
type cut struct {
	drops     map[*html.Node]dropped
	honors    drop // the weakest reason that counts
	size      int  // bytes of text of the page that nothing names as chrome
	namedSize int  // bytes of text that only names call chrome
}

// skips reports whether n is left out.
func (c cut) skips(n *html.Node) bool {
	if dom.Unseen(n) || dom.IsHeadingSign(n) {
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
	return d.why != named || d.text < 2*c.size || 2*d.text < c.size+c.namedSize
}
