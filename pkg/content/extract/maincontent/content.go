package maincontent

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Content is the main content of a page.
type Content struct {
	blocks.Text
	Roots []*html.Node // the elements that hold the content
	cut   cut
}

// Skips reports whether an element below the roots is not part of the content.
func (c Content) Skips(n *html.Node) bool { return c.cut.skips(n) }

// attempt is one way to find the content: the elements to search, and the reasons that count for a drop.
type attempt struct {
	roots  []*html.Node
	honors drop // the weakest reason that counts
}

// enough is the size of content, in bytes of text, at which no further attempt is needed.
const enough = 250

// MainContent returns the content of a page. It makes attempts from strict to lax. A result that is short, and less
// than a third of the next attempt's result, was cut too far, so the next result replaces it. The last attempt drops
// nothing, so a page with visible text always has content.
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

// large is the size of a page's visible text, in bytes, from which the content must be at least a quarter of that
// text.
const large = 8000

// atLeastAQuarter returns found unless it is too small a part of a large page. In that case class names were
// misleading, and the content is everything that is not chrome by its element or role.
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

// contentRoots returns the elements that hold the content: main, else the only article, else an element whose id
// names the content, else the body. Several articles are a list of entries, so the whole body is the root.
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

// measure returns the size of the text below nodes without chrome, in bytes.
func (s *Survey) measure(nodes ...*html.Node) int {
	sum := 0
	for _, n := range nodes {
		sum += s.measures[n]
	}
	return sum
}

// offered returns the size of the text that the attempt would find if it dropped only chrome.
func (a attempt) offered(s *Survey) int { return s.measure(a.roots...) }

// Size returns the size, in bytes, of the page's text without everything that its name, element or role marks as
// chrome.
func (s *Survey) Size() int { return s.measure(s.Body) }

// Everything returns all visible content of a page without chrome, such as a Markdown document.
func (s *Survey) Everything() Content { return attempt{[]*html.Node{s.Body}, noReason}.read(s) }

// Elements returns all visible content of some elements.
func (s *Survey) Elements(elements []*html.Node) Content {
	c := attempt{elements, noReason}.cut(s)
	return Content{Text: blocks.Of(elements, s.limits.MaxBlocks, c.skips), Roots: elements, cut: c}
}

// cut returns the cut of an attempt.
func (a attempt) cut(s *Survey) cut {
	return cut{drops: s.drops, honors: a.honors, size: s.Size(), namedSize: s.namedSize}
}

// read makes the blocks of an attempt.
func (a attempt) read(s *Survey) Content {
	c := a.cut(s)
	return Content{Text: blocks.Within(a.roots, s.limits.MaxBlocks, c.skips), Roots: a.roots, cut: c}
}

// cut decides which elements an attempt leaves out of its roots.
type cut struct {
	drops     map[*html.Node]dropped
	honors    drop // the weakest reason that counts
	size      int  // see [Survey.Size]
	namedSize int  // bytes of text that only a class or id makes chrome
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
	// A class is weak evidence against most of the page: some sites call a wrapper "sidebar-layout".
	return d.why != named || d.text < 2*c.size || 2*d.text < c.size+c.namedSize
}
