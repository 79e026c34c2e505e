package maincontent

import (
	"cmp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

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

// isBeside reports whether an element in an article is not part of its text.
func isBeside(n *html.Node) bool {
	return n.DataAtom == atom.Figcaption || dom.HasName(besideNames, dom.Attr(n, "class"))
}

// bodyNames are the classes and ids that sites give to the element with the text of an article.
var bodyNames = dom.WordSet(`
	entry-content articlebody article-body article--body article-content article--content article-text articletext
	post-body post-content post--content story-body storybody story-content story-text storytext news-text news-content
	td-post-content single-content e-content blog-content blog-post-content body-copy bodycopy rich-text-article-body
	richtextarticlebody article-main m-detail--body c-entry-content field-name-body
`)

// isBody reports whether an element has a class or id that sites give to the text of an article.
func isBody(n *html.Node) bool {
	if dom.Attr(n, "itemprop") == "articleBody" {
		return true
	}
	return dom.HasName(bodyNames, dom.Attr(n, "class")) || dom.HasName(bodyNames, dom.Attr(n, "id"))
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
