package maincontent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Zones returns the main content of a page together with the text beside it. All visible text is in one of the two,
// except furniture.
func (s *Survey) Zones() Content {
	s.judgeOffers()
	c := s.mainContent()
	s.keepLists(c)
	s.judgeColumns(c)
	c.around = s.aroundOf(c)
	c.Beside = s.beside(c)
	return c
}

// around is where the text beside the content is: in the body, except in skipped elements, and in place of each root
// of the content in the elements below it that are not content.
type around struct {
	body  *html.Node // nil if no text beside the content is read
	skips func(*html.Node) bool
	holes map[*html.Node][]*html.Node
}

func (s *Survey) aroundOf(c Content) around {
	holes := map[*html.Node][]*html.Node{}
	for _, root := range c.Roots {
		holes[root] = blocks.Skipped(root, c.Skips)
	}
	if header := s.headerOfHeading(c); header != nil {
		holes[header] = []*html.Node{s.headingAt}
	}
	skips := func(n *html.Node) bool { return dom.Unseen(n) || dom.IsHeadingSign(n) || s.furniture[n] }
	return around{s.Body, skips, holes}
}

// Walk calls the function visit for the elements that are read: first those of the content, then those beside it, each
// in page order. If visit returns false, the elements below are left out.
func (c Content) Walk(visit func(*html.Node) bool) {
	for _, root := range c.Roots {
		walk(root, c.Skips, nil, visit)
	}
	if c.around.body != nil {
		walk(c.around.body, c.around.skips, c.around.holes, visit)
	}
}

// walk visits the elements below n. In place of a hole, it visits the elements that holes lists for it.
func walk(n *html.Node, skips func(*html.Node) bool, holes map[*html.Node][]*html.Node, visit func(*html.Node) bool) {
	one := func(c *html.Node) {
		if c.Type == html.ElementNode && !skips(c) && visit(c) {
			walk(c, skips, holes, visit)
		}
	}
	if inside, hole := holes[n]; hole {
		for _, c := range inside {
			one(c)
		}
		return
	}
	for c := range n.ChildNodes() {
		one(c)
	}
}

// beside returns the visible text that is neither in the main content nor furniture.
func (s *Survey) beside(c Content) blocks.Text {
	text := blocks.Around(c.around.body, max(0, s.limits.MaxBlocks-len(c.Blocks)), c.around.skips, c.around.holes)
	text.Blocks = slices.DeleteFunc(text.Blocks, func(b extract.Block) bool { return isSign(b.Text) })
	text.Blocks = withoutContents(text.Blocks, c.Blocks)
	for i := range text.Blocks {
		text.Blocks[i].Zone = extract.Beside
	}
	return text
}

// isSign reports whether a text is a sign that separates or links other texts, such as "|" or "#", that closes a box,
// or a face to press.
func isSign(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsPunct(r) && !strings.ContainsRune("| ×✕✖\n", r) && !noise.IsSmiley(r)
	})
}

// headerOfHeading returns the header of the site if it holds the heading of the page: the content has no h1, and the
// one in the header is no link, as the name of a site is. The result is nil otherwise.
func (s *Survey) headerOfHeading(c Content) *html.Node {
	if s.headingAt == nil || holdsLink(s.headingAt) ||
		slices.ContainsFunc(c.Blocks, func(b extract.Block) bool { return b.Kind == extract.Heading && b.Level == 1 }) {
		return nil
	}
	var header *html.Node
	for n := s.headingAt.Parent; n != nil; n = n.Parent {
		if s.furniture[n] && (header != nil || n.DataAtom != atom.Header) || slices.Contains(c.Roots, n) {
			return nil
		}
		if s.furniture[n] {
			header = n
		}
	}
	return header
}

// holdsLink reports whether n holds a link or is in one.
func holdsLink(n *html.Node) bool {
	isLink := func(n *html.Node) bool { return n.DataAtom == atom.A }
	return n.Parent != nil && isLink(n.Parent) || dom.Holds(n, isLink)
}

// isFurniture reports whether an element belongs to the site and not to the page. The evidence is what HTML and ARIA
// say about the element. Class names are evidence only for helpers that nobody reads as text, and an id never is.
func isFurniture(n *html.Node, at ancestors, names kinds) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.H1:
		return false
	case atom.Nav:
		return true
	case atom.Button:
		if at.inCode || !dom.IsCaption(n) && !isDisabled(n) && isTool(n, at) {
			return true
		}
	case atom.Label:
		if at.inCode {
			return true
		}
	case atom.Header: // one below the heading of the page is not that of the site
		if !at.inContent() && !at.headed {
			return true
		}
	case atom.Footer: // main is no sectioning content, so a footer in it is that of the page
		if !at.inArticle && !at.inSection && !isInQuote(n) {
			return true
		}
	}
	role := strings.ToLower(strings.TrimSpace(dom.Attr(n, "role")))
	switch {
	case role == "complementary":
	case at.inContent() && isDialog(role) && dom.Attr(n, "aria-modal") != "true" && !dom.HasAttr(n, "aria-hidden"):
		// the page shows it from the beginning, so it is a notice
	case isChromeRole(role, at.inContent()):
		return true
	}
	return len(n.Attr) > 0 && isTooltip(n, role) || names&ofFurniture != 0 || names&ofCounter != 0 && !at.inContent()
}

// isTooltip reports whether an element is the description of another one, which appears only while a pointer is there.
// A class alone is no evidence: pages also use it for the element that is described.
func isTooltip(n *html.Node, role string) bool {
	return role == "tooltip" || n.Data == "tool-tip" || dom.Attr(n, "aria-hidden") == "true" &&
		strings.Contains(strings.ToLower(dom.Attr(n, "class")), "tooltip")
}

func isDialog(role string) bool { return role == "dialog" || role == "alertdialog" }

// isTool reports whether a button is part of the site or of what stands beside it, rather than a text such as "Sold
// out": it stands above the page's h1, opens a menu, is in a heading, or copies something.
func isTool(n *html.Node, at ancestors) bool {
	if !at.inContent() && !at.headed || n.Parent != nil && dom.IsHeading(n.Parent.DataAtom) {
		return true
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; {
		case a.Key == "aria-haspopup", strings.HasPrefix(a.Key, "data-clipboard"),
			a.Key == "class" && (strings.Contains(a.Val, "copy") || strings.Contains(a.Val, "clipboard")):
			return true
		}
	}
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(dom.Clip(dom.RawText(n), 20))), "copy")
}

func isDisabled(n *html.Node) bool {
	return dom.HasAttr(n, "disabled") || dom.Attr(n, "aria-disabled") == "true"
}

// linkList is a list of links to other pages, outside of elements that the page marks as its content.
type linkList struct {
	node *html.Node
	head *html.Node // the last heading before the end of the list, other than an h1
}

// measureFurniture notes whether the text of an element shows that it is furniture: a list of links to other pages, a
// request for consent, or a control with a number that counts. It is called when the children of n were visited.
func (s *Survey) measureFurniture(n *html.Node, start int, m *linkMeasure, at ancestors, named bool) {
	if dom.IsHeading(n.DataAtom) && n.DataAtom != atom.H1 && !at.inFurniture {
		s.lastHeading = n
	}
	switch {
	case n.DataAtom == atom.Header && s.furniture[n] && !at.inFurniture && s.introduces(n, *m):
		delete(s.furniture, n)
	case s.furniture[n]:
	case s.isLinkList(n, *m, at, named):
		s.furniture[n], m.list = true, true
	case s.isCounted(n, start):
		s.furniture[n] = true
	}
}

// introduces reports whether a header is that of the page and not that of the site: it holds the heading, without a
// link, and no navigation.
func (s *Survey) introduces(n *html.Node, m linkMeasure) bool {
	const most = 2 // links
	return s.headingAt != nil && m.seen.pages <= most && !m.nav && isBelow(s.headingAt, n) && !holdsLink(s.headingAt)
}

// isBelow reports whether n is below an element, or the element itself.
func isBelow(n, element *html.Node) bool {
	for n != nil && n != element {
		n = n.Parent
	}
	return n != nil
}

// isLinkList reports whether an element outside the content is a list of links to other pages. The class of an element
// is weak evidence, and only lowers the share of links that makes a list. So does an aside, even inside the content.
func (s *Survey) isLinkList(n *html.Node, m linkMeasure, at ancestors, named bool) bool {
	aside := isAside(n)
	if at.inContent() && !at.inAside && !aside || n.DataAtom == atom.Body || m.code ||
		!dom.IsBlock(n.DataAtom) && n.DataAtom != atom.Td {
		return false
	}
	if m.seen.pages > 0 && m.seen.plain == 0 {
		menu := m.names&ofMenu != 0 // whose links may have descriptions
		if (named || aside || menu) && m.seen.paged*2 >= m.seen.text || menu && m.seen.paged*4 >= m.seen.text {
			return true
		}
	}
	marked := len(s.mains)+len(s.articles) > 0
	text := m.seen.text
	if marked { // a menu has headings; below a heading with a number may be something to know
		text -= m.seen.heads
	}
	if m.seen.pages < 3 || m.seen.paged*10 < text*9 {
		return false
	}
	if !marked && s.lastHeading != nil && !named && !at.inNamed {
		s.lists = append(s.lists, linkList{n, s.lastHeading})
	}
	return true
}

// menuWords are words in the classes of menus.
var menuWords = dom.WordSet(`menu nav navbar navigation megamenu offcanvas drawer footer`)

func isAside(n *html.Node) bool {
	return n.DataAtom == atom.Aside || dom.Attr(n, "role") == "complementary"
}

// setPlain notes the text of a block without links. A short text beside one or two links is part of a reference to
// these pages, as a date or a description is.
func (s *Survey) setPlain(n *html.Node, start int, m *linkMeasure, named bool) {
	const longest = 60 // bytes of a description
	switch {
	case dom.IsHeading(n.DataAtom) && m.seen.pages == 0 && !strings.ContainsFunc(s.Text.From(start), unicode.IsDigit):
		m.seen.heads = m.seen.text
	case m.seen.pages == 0 && dom.IsBlock(n.DataAtom) && !dom.IsHeading(n.DataAtom):
		m.seen.plain = m.seen.text
	case m.seen.pages > 0 && m.seen.pages <= 2 && !isAside(n) && !named &&
		(m.seen.plain <= m.seen.paged || m.seen.plain <= longest && !mayBeFact(s.Text.From(start))):
		m.seen.plain = 0
	}
}

// mayBeFact reports whether a text beside a link may be more than a description of that link: it holds a number, a
// currency, a mail address, or a sign of a label or call.
func mayBeFact(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.Is(unicode.Sc, r) || r == '@' || r == '!' || r == ':'
	})
}

// leadsToPage reports whether a link leads to another page or to another part of this one, rather than to a file, a
// telephone number or a mail address.
func leadsToPage(href string) bool {
	href = strings.ToLower(strings.TrimSpace(href))
	if scheme, _, found := strings.Cut(href, ":"); found {
		switch scheme {
		case "tel", "mailto", "sms", "callto", "fax", "geo", "xmpp", "sip", "whatsapp":
			return false
		}
	}
	href, _, _ = strings.Cut(href, "#")
	href, _, _ = strings.Cut(href, "?")
	return !files[href[strings.LastIndexAny(href, "./")+1:]]
}

// files are the ends of the names of files that people read or keep.
var files = dom.WordSet(`pdf doc docx odt rtf txt xls xlsx ods csv tsv ppt pptx odp epub mobi zip gz tgz xz bz2 7z tar rar
	exe msi dmg deb rpm apk jar whl ics vcf kml gpx xml json mp3 mp4 ogg wav dwg stl`)

// isCounted reports whether a label or a button ends with a number that counts by itself, such as "Red (12)", the hits
// of a filter, or "Like 12".
func (s *Survey) isCounted(n *html.Node, start int) bool {
	if n.DataAtom != atom.Label && n.DataAtom != atom.Button || dom.IsCaption(n) || isDisabled(n) {
		return false
	}
	text := s.Text.From(start)
	text, inBrackets := strings.CutSuffix(strings.TrimRight(text, " \n"), ")")
	name := strings.TrimRight(text, "0123456789.,")
	if len(name) == len(text) || strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.Is(unicode.Sc, r)
	}) {
		return false
	}
	return n.DataAtom == atom.Button || inBrackets && strings.HasSuffix(name, "(")
}

// keepLists removes lists of links from the furniture if they are part of the content: below a heading that is in the
// smallest element with the main content and the heading of the page, or that stands beside paragraphs. It matters for
// pages without elements for their content; elsewhere no list in these is furniture.
func (s *Survey) keepLists(c Content) {
	if len(s.lists) == 0 {
		return
	}
	holder := s.holder(c)
	for _, l := range s.lists {
		if holder != nil && isBelow(l.head, holder) && isBelow(l.node, holder) ||
			isBelow(l.node, l.head.Parent) && s.holdsProse(l.head.Parent) {
			delete(s.furniture, l.node)
		}
	}
}

// holder returns the smallest element with the main content and the heading of the page, or nil if that is the body.
func (s *Survey) holder(c Content) *html.Node {
	if len(c.Roots) != 1 {
		return nil
	}
	holder := c.Roots[0]
	if holder == s.Body {
		holder = c.cut.narrowed(s.Body)
	}
	if s.headingAt != nil {
		if both := smallestAround(holder, s.headingAt); both != s.Body {
			holder = both
		}
	}
	if holder == s.Body {
		return nil
	}
	return holder
}

// holdsProse reports whether the children of an element are paragraphs, or one is the heading of the page.
func (s *Survey) holdsProse(n *html.Node) bool {
	const most = 200 // children
	c := n.FirstChild
	for i := 0; c != nil && i < most; i, c = i+1, c.NextSibling {
		if c == s.headingAt {
			return true
		}
		if c.DataAtom == atom.P && c.FirstChild != nil && c.FirstChild.Type == html.TextNode &&
			textLength(c.FirstChild.Data) >= leastProse {
			return true
		}
	}
	return false
}

// smallestAround returns the smallest element that holds both a and b.
func smallestAround(a, b *html.Node) *html.Node {
	for a != nil && !isBelow(b, a) {
		a = a.Parent
	}
	return a
}

// withoutContents removes tables of contents from the text beside the content: lists of which each item is a heading of
// the content, each with the short text before it that names it. Nothing is lost, because the headings are text.
func withoutContents(beside, content []extract.Block) []extract.Block {
	headings := map[string]bool{}
	for _, b := range content {
		if b.Kind == extract.Heading {
			headings[headingKey(b.Text)] = true
		}
	}
	kept := beside[:0]
	for _, b := range beside {
		if b.Kind != extract.List || !allHeadings(b.Text, headings) {
			kept = append(kept, b)
			continue
		}
		if n := len(kept); n > 0 && isCaption(kept[n-1]) {
			kept = kept[:n-1]
		}
	}
	return kept
}

// allHeadings reports whether a list has items, and all of them are headings.
func allHeadings(list string, headings map[string]bool) bool {
	const least = 3 // items
	n := 0
	for item := range strings.SplitSeq(list, "\n") {
		if !headings[headingKey(item)] {
			return false
		}
		n++
	}
	return n >= least
}

// headingKey returns a heading without its number or bullet.
func headingKey(text string) string {
	return strings.ToLower(strings.TrimLeft(dom.Fold(text), "0123456789.)-•* "))
}

// isCaption reports whether a text may name a table of contents: a few words without a number.
func isCaption(b extract.Block) bool {
	const longest = 40 // bytes
	return (b.Kind == extract.Heading || b.Kind == extract.Paragraph) && len(b.Text) <= longest &&
		!strings.ContainsAny(b.Text, "0123456789")
}
