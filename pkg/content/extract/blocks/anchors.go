package blocks

import (
	"cmp"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Bounds on the ids of headings and terms, and on the search for these ids.
const (
	maxAnchor  = 200   // in bytes; longer ids are ignored
	maxAnchors = 5_000 // anchors of a page
	maxWithin  = 200   // nodes to examine in a heading, or before it
	maxAbove   = 5     // levels of elements around a heading to examine
	maxBefore  = 20    // nodes before the heading to examine in each of these elements
	maxLead    = 80    // bytes of text before the heading: rustdoc puts a method's versions there
)

// anchors is the set of the ids that are already in use as anchors on a page. Anchors belong to the page, not to its
// text, so no hash covers them. A browser jumps to the first element with an id. A second element with the same id
// therefore has no anchor.
type anchors map[string]bool

// of returns the id by which a browser jumps to a heading, or "" if there is none.
func (a *anchors) of(h *html.Node) string {
	return a.once(cmp.Or(anchorID(h), idWithin(h), permalinkBehind(h), idAround(h)))
}

// ofTerm returns the id of a term of a definition list, or "" if the term has none or is nil.
func (a *anchors) ofTerm(dt *html.Node) string {
	if dt == nil {
		return ""
	}
	return a.once(cmp.Or(anchorID(dt), idWithin(dt)))
}

// once returns id the first time that it occurs. It returns "" later, and when the page has too many anchors.
func (a *anchors) once(id string) string {
	if id == "" || (*a)[id] || len(*a) >= maxAnchors {
		return ""
	}
	if *a == nil {
		*a = anchors{}
	}
	(*a)[id] = true
	return id
}

// anchorID returns the id of an element, or the name of a link. It returns "" for an id that cannot be used in an
// address.
func anchorID(n *html.Node) string {
	id := dom.Attr(n, "id")
	if id == "" && n.DataAtom == atom.A {
		id = dom.Attr(n, "name")
	}
	return fit(id)
}

// fit returns id, or "" if the id is too long or cannot be used in an address: browsers search for the text after
// ":~:".
func fit(id string) string {
	unfit := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	if len(id) > maxAnchor || !utf8.ValidString(id) || strings.Contains(id, ":~:") || strings.ContainsFunc(id, unfit) {
		return ""
	}
	return id
}

// idWithin returns the id of a link or span in a heading, preferably of one that contains text. If there is none, it
// returns the id to which the heading's permalink leads.
func idWithin(h *html.Node) string {
	var empty, target string
	nodes := 0
	for n := range h.Descendants() {
		if nodes++; nodes > maxWithin {
			break
		}
		if n.DataAtom != atom.A && n.DataAtom != atom.Span || noteRef(n) != "" {
			continue
		}
		id := anchorID(n)
		if id != "" && saysMore(n, 0) && !isPermalink(n) {
			return id
		}
		empty = cmp.Or(empty, id)
		if isPermalink(n) || leadsAround(n, h) {
			target = cmp.Or(target, targetOf(n))
		}
	}
	return cmp.Or(empty, target)
}

// leadsAround reports whether a link in a heading leads to an element around the heading. In rustdoc, the names of
// methods are such links.
func leadsAround(link, h *html.Node) bool {
	id, found := strings.CutPrefix(dom.Attr(link, "href"), "#")
	for range maxAbove {
		if h = h.Parent; !found || id == "" || h == nil {
			return false
		}
		if dom.Attr(h, "id") == id {
			return true
		}
	}
	return false
}

// permalinkBehind examines the link that GitHub puts after a heading. It returns the link's own id, or else the id to
// which the link leads.
func permalinkBehind(h *html.Node) string {
	n := h.NextSibling
	for n != nil && isBlank(n) {
		n = n.NextSibling
	}
	if n == nil || !isPermalink(n) || saysMore(n, len("¶")) {
		return ""
	}
	return cmp.Or(anchorID(n), targetOf(n))
}

// permalinkNames are the classes that common programs give to a heading's link to itself.
var permalinkNames = dom.WordSet(`
	headerlink anchorjs-link anchor-link hash-link header-anchor heading-anchor heading-link header-link anchor
	doc-anchor permalink direct-link
`)

// isPermalink reports whether n is a heading's link to itself.
func isPermalink(n *html.Node) bool {
	return n.DataAtom == atom.A && strings.HasPrefix(dom.Attr(n, "href"), "#") && !isBackRef(n) &&
		(dom.IsHeadingSign(n) || dom.HasName(permalinkNames, dom.Attr(n, "class")))
}

// targetOf returns the id to which a link within the page leads.
func targetOf(link *html.Node) string {
	id, err := url.PathUnescape(strings.TrimPrefix(dom.Attr(link, "href"), "#"))
	if err != nil {
		return ""
	}
	return fit(id)
}

// idAround returns the id of an empty link or span directly before a heading. If there is none, it returns the id of
// an element that begins with the heading.
func idAround(h *html.Node) string {
	for range maxAbove {
		id, first := idBefore(h)
		if id != "" || !first {
			return id
		}
		if h = h.Parent; h == nil || !beginsWithHeading(h.DataAtom) {
			return ""
		}
		if dom.Attr(h, "id") != "" || h.DataAtom == atom.A && anchorID(h) != "" {
			return ownID(h)
		}
	}
	return ""
}

// idBefore returns the id of the empty link or span before n, if there is one. It also reports whether at most a few
// words of the same line come before n.
func idBefore(n *html.Node) (id string, first bool) {
	lead := 0
	for range maxBefore {
		if n = n.PrevSibling; n == nil {
			return "", true
		}
		if id := emptyID(n); id != "" {
			return id, false
		}
		size := textWithin(n, maxLead+1)
		if lead += size; lead > maxLead || n.Type == html.ElementNode && dom.IsBlock(n.DataAtom) && size > 0 {
			return "", false
		}
	}
	return "", false
}

// emptyID returns the id of a link or span without text. The node n may be that element, or a paragraph that ends in
// it.
func emptyID(n *html.Node) (id string) {
	if n.DataAtom == atom.P && n.LastChild != nil {
		n = n.LastChild
	}
	if n.DataAtom != atom.A && n.DataAtom != atom.Span || saysMore(n, 0) {
		return ""
	}
	return anchorID(n)
}

// beginsWithHeading reports whether an element of type a may give its id to the heading at its beginning.
func beginsWithHeading(a atom.Atom) bool {
	switch a {
	case atom.Section, atom.Div, atom.Article, atom.Header, atom.Hgroup, atom.A, atom.Span, atom.Ul, atom.Ol, atom.Li,
		atom.Dl, atom.Dt, atom.Dd, atom.Details, atom.Summary:
		return true
	}
	return false
}

// ownID returns the id of an element around a heading. It ignores the ids of layout elements. It also ignores the ids
// of parts that the server streams late, because scripts remove those ids.
func ownID(n *html.Node) string {
	id := anchorID(n)
	if dom.HasName(layoutIDs, id) || strings.HasPrefix(id, "S:") {
		return ""
	}
	return id
}

// layoutIDs are ids of the elements that hold a page's content, in lower case with "-" for "_".
var layoutIDs = dom.WordSet(`
	content main main-content maincontent page-content bodycontent mw-content-text article container wrapper page body
	document primary app root --next --nuxt ---gatsby gatsby-focus-wrapper docs-content
`)

func isBlank(n *html.Node) bool {
	return n.Type == html.CommentNode || n.Type == html.TextNode && strings.TrimSpace(n.Data) == ""
}

// saysMore reports whether the visible text below n, without whitespace, is longer than the given number of bytes.
func saysMore(n *html.Node, most int) bool { return textWithin(n, most+1) > most }

// textWithin returns the length of the visible text of n in bytes, without whitespace and invisible characters, but
// at most the given maximum. It also returns the maximum for an element with very many nodes, so that a page of empty
// elements costs little.
func textWithin(n *html.Node, most int) int {
	nodes := 0
	var size func(n *html.Node, most int) int
	size = func(n *html.Node, most int) (sum int) {
		if nodes++; nodes > maxWithin {
			return most
		}
		if n.Type == html.TextNode {
			return lengthOf(n.Data, most)
		}
		if n.Type == html.ElementNode && dom.Unseen(n) {
			return 0
		}
		for c := n.FirstChild; c != nil && sum < most; c = c.NextSibling {
			sum += size(c, most-sum)
		}
		return sum
	}
	return size(n, most)
}

// lengthOf returns the length of a text as [textWithin] measures it.
func lengthOf(text string, most int) (size int) {
	for _, r := range text {
		if !unicode.IsSpace(r) && !dom.IsInvisible(r) {
			size += utf8.RuneLen(r)
		}
		if size >= most {
			return most
		}
	}
	return size
}
