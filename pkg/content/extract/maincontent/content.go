package maincontent

import (
	"cmp"

	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Content is the main content of a page.
type Content struct {
	blocks.Text
	Roots  []*html.Node // the elements that hold the content
	Beside blocks.Text  // the visible text outside the main content; see [extract.Beside]
	cut    cut
	around around
}

// Skips reports whether an element below the roots is not part of the content.
func (c Content) Skips(n *html.Node) bool { return c.cut.skips(n) }

// attempt is one way to find the content. It consists of the elements to search, and the reasons to drop an element.
type attempt struct {
	roots  []*html.Node
	honors drop // the weakest reason for which an element is dropped
}

// enough is the size in bytes at which the content is large enough, so that no further attempt is made.
const enough = 250

// mainContent returns the content of a page. It makes attempts from strict to lax. If a result is short, and less
// than a third of the result of the next attempt, the attempt dropped too much, and the next result replaces it. The
// last attempt drops nothing, so a page with visible text always has content.
func (s *Survey) mainContent() Content {
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

// large is the size in bytes at which the visible text of a page is large. The content of a large page must be at
// least a quarter of its visible text.
const large = 8000

// atLeastAQuarter returns the content that was found, unless it is too small a part of a large page. In that case
// class names were misleading. The content is then everything except the elements whose type or role marks them as
// chrome.
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

// contentRoots returns the elements that hold the content: main, else the only article, else an element with an id
// that sites give to the content, else the body. Several articles are a list of entries, so the whole body is the
// root.
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

// measure returns the size in bytes of the text below nodes, without chrome.
func (s *Survey) measure(nodes ...*html.Node) int {
	sum := 0
	for _, n := range nodes {
		sum += s.measures[n]
	}
	return sum
}

// offered returns the size of the text that the attempt would find if it dropped nothing but chrome.
func (a attempt) offered(s *Survey) int { return s.measure(a.roots...) }

// Size returns the size in bytes of the page's text without chrome. Elements are chrome if a class, an id, the
// element type or a role marks them.
func (s *Survey) Size() int { return s.measure(s.Body) }

// Everything returns all visible content. It is meant for pages without chrome, such as a Markdown document.
func (s *Survey) Everything() Content { return attempt{[]*html.Node{s.Body}, noReason}.read(s) }

// Elements returns all visible content of some elements.
func (s *Survey) Elements(elements []*html.Node) Content {
	c := attempt{elements, noReason}.cut(s)
	return Content{Text: blocks.Of(elements, s.limits.MaxBlocks, c.skips), Roots: elements, cut: c}
}

// cut returns the cut that leaves out the elements that the attempt drops.
func (a attempt) cut(s *Survey) cut {
	return cut{drops: s.drops, honors: a.honors, size: s.Size(), namedSize: s.namedSize, kindsOf: s.kindsOf}
}

// read returns the content that the attempt finds.
func (a attempt) read(s *Survey) Content {
	c := a.cut(s)
	return Content{Text: blocks.Within(a.roots, s.limits.MaxBlocks, c.skips), Roots: a.roots, cut: c}
}

// cut decides which elements an attempt leaves out of its roots.
type cut struct {
	drops     map[*html.Node]dropped
	honors    drop // the weakest reason for which an element is left out
	size      int  // see [Survey.Size]
	namedSize int  // bytes of text that only a class or id marks as chrome
	kindsOf   func(*html.Node) kinds
}

// skips reports whether the attempt leaves n out.
func (c cut) skips(n *html.Node) bool {
	if dom.Unseen(n) || dom.IsHeadingSign(n) {
		return true
	}
	if c.honors == beside && (n.DataAtom == atom.Figcaption || c.kindsOf(n)&ofBeside != 0) {
		return true
	}
	d, found := c.drops[n]
	if !found || d.why < c.honors {
		return false
	}
	// A class that marks most of the page as chrome is probably wrong: some sites call a wrapper "sidebar-layout".
	return d.why != named || d.text < 2*c.size || 2*d.text < c.size+c.namedSize
}

// article returns the content of a page that is an article: the element that holds nearly all of the prose. On a page
// that does not declare itself an article, the prose must be most of the text. If the page is not an article, article
// returns no content.
func article(s *Survey, roots []*html.Node) Content {
	if len(roots) != 1 || s.pageType.list {
		return Content{}
	}
	a := attempt{roots, dense}
	declared := s.pageType.isArticle()
	if declared {
		a.honors = beside
		if body := s.namedBody(roots); body != nil {
			a.roots = []*html.Node{body}
		}
	}
	root := a.cut(s).narrowed(a.roots[0])
	if !declared && root == roots[0] {
		return Content{}
	}
	a.roots = []*html.Node{root}
	best := a.read(s)
	if !declared && (best.Size < sizeOfArticle || best.Size*2 < s.measure(roots...)) {
		return Content{}
	}
	best.Heading = cmp.Or(best.Heading, s.Heading)
	return best
}

// sizeOfArticle is the smallest size, in bytes, of the prose of an article on a page that does not declare itself an
// article.
const sizeOfArticle = 1000

// besideNames are the classes of elements that are inside an article but not part of its text: the author and date,
// links to other articles, and the captions of pictures, which are kept with the pictures.
var besideNames = dom.WordSet(`
	caption wp-caption-text image-caption photo-caption img-caption media-caption caption-text credit photo-credit
	image-credit gallery slideshow inline-gallery video-player embed
	byline dateline author authors author-bio author-box bio author-name author-info author-details contributor
	contributors post-author post-meta entry-meta article-meta meta timestamp time-stamp published posted-on post-date
	entry-date article-date publish-date pubdate updated reading-time read-time
	article-header entry-header post-header kicker standfirst
	tags tag-list post-tags topics trending-topics cta most-popular inline-related newsletter-signup comments-link print-link
`)

// bodyNames are the classes and ids that sites give to the element with the text of an article.
var bodyNames = dom.WordSet(`
	entry-content articlebody article-body article--body article-content article--content article-text articletext
	post-body post-content post--content story-body storybody story-content story-text storytext news-text news-content
	td-post-content single-content e-content blog-content blog-post-content body-copy bodycopy rich-text-article-body
	richtextarticlebody article-main m-detail--body c-entry-content field-name-body
`)

// isBody reports whether an element has a class or id that sites give to the text of an article.
func isBody(n *html.Node, names kinds) bool {
	if dom.Attr(n, "itemprop") == "articleBody" {
		return true
	}
	return names&ofBody != 0 || dom.HasName(bodyNames, dom.Attr(n, "id"))
}

// namedBody returns the element that has the class or id of the text of an article. It returns nil if the page has no
// such element or more than one, or if the element holds only a small part of the text of roots.
func (s *Survey) namedBody(roots []*html.Node) *html.Node {
	var best *html.Node
	sum := 0
	for _, n := range s.bodies {
		size := s.measure(n)
		sum += size
		if best == nil || size > s.measure(best) {
			best = n
		}
	}
	size := s.measure(best)
	if best == nil || size < enough || size*10 < sum*7 || size*5 < s.measure(roots...)*2 {
		return nil
	}
	return best
}
