package maincontent

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Zones returns the main content of a page together with the text beside it. Everything visible is in one of the two,
// except furniture.
func (s *Survey) Zones() Content {
	c := s.MainContent()
	c.Beside = s.beside(c)
	return c
}

// beside returns the visible text that is neither in the main content nor furniture.
func (s *Survey) beside(c Content) blocks.Text {
	holes := map[*html.Node][]*html.Node{}
	for _, root := range c.Roots {
		holes[root] = blocks.Skipped(root, c.Skips)
	}
	skips := func(n *html.Node) bool { return dom.Unseen(n) || dom.IsHeadingSign(n) || s.furniture[n] }
	text := blocks.Around(s.Body, max(0, s.limits.MaxBlocks-len(c.Blocks)), skips, holes)
	for i := range text.Blocks {
		text.Blocks[i].Zone = extract.Beside
	}
	return text
}

// isFurniture reports whether an element belongs to the site and not to the page. The evidence is what HTML and ARIA
// say about the element. Class names are evidence only for helpers that nobody reads as text, and an id never is.
func isFurniture(n *html.Node, at ancestors) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.H1:
		return false
	case atom.Nav, atom.Dialog:
		return true
	case atom.Button, atom.Label:
		// A control is not text of the page, unless it is the caption of a text or cannot be used: a button with "Sold
		// out" says something.
		if at.inCode || !dom.IsCaption(n) && !isDisabled(n) {
			return true
		}
	case atom.Header:
		if !at.inContent() {
			return true
		}
	case atom.Footer: // main is no sectioning content, so a footer in it is that of the page
		if !at.inArticle && !isInQuote(n) {
			return true
		}
	}
	role := strings.ToLower(strings.TrimSpace(dom.Attr(n, "role")))
	if role != "complementary" && isChromeRole(role, at.inContent()) {
		return true
	}
	return len(n.Attr) > 0 && namesFurniture(dom.Attr(n, "class"), at.inContent())
}

func isDisabled(n *html.Node) bool {
	return dom.HasAttr(n, "disabled") || dom.Attr(n, "aria-disabled") == "true"
}

// measuredAsFurniture reports whether the text of an element outside the content shows that it is furniture: a list of
// links to other pages, or a request for consent. The class of an element is weak evidence, and only lowers the share
// of links that makes a list. So does an aside, even inside the content.
func (s *Survey) measuredAsFurniture(n *html.Node, start int, m linkMeasure, at ancestors, named bool) bool {
	aside := n.DataAtom == atom.Aside || dom.Attr(n, "role") == "complementary"
	if at.inContent() && !aside || n.DataAtom == atom.Body || !dom.IsBlock(n.DataAtom) && n.DataAtom != atom.Td {
		return false
	}
	switch {
	case m.code:
		return false
	case m.links >= 3 && m.linked*10 >= m.text*9, (named || aside) && m.links > 0 && m.linked*2 >= m.text:
		return true
	}
	return m.controls > 0 && m.text <= longestConsent && s.Text.Size()-start <= longestWithChrome &&
		strings.Contains(strings.ToLower(s.Text.From(start)), "cookie")
}

const (
	// longestConsent is the greatest length of a request for consent, in bytes.
	longestConsent = 1500
	// longestWithChrome is the greatest length with the chrome in it. It bounds the work on elements inside each other.
	longestWithChrome = 10 * longestConsent
)
