package maincontent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/fact"
)

// line is a piece of visible text: one link, or the text between two links or line breaks. Furniture has none.
type line struct {
	at      int // where it begins in the visible text
	size    int
	link    bool // it is a link to another page
	begins  bool // and the first line of that link
	abroad  bool // and the page is on another host
	here    bool // and it leads to another part of this page
	fact    bool // it holds a digit, a currency or a mail address, or is long
	price   bool // it holds a currency or a share
	label   bool // it is as short as the name of a column of links
	heading bool // it is in a heading or a term
	content bool // it is in a main or article element, and no class marks an element around it as chrome
}

// addLine records a text that was written to s.Text. If fresh is false, it continues the line before.
func (s *Survey) addLine(text string, size int, fresh bool, at ancestors) {
	if size == 0 || at.inFurniture {
		return
	}
	if n := len(s.lines); n == 0 || fresh || s.apart || s.lines[n-1].link != at.toPage {
		s.lines = append(s.lines, line{
			at: s.Text.Size() - size, link: at.toPage, begins: s.apart, abroad: at.toPage && at.abroad, here: at.toHere,
			heading: at.inHeading, content: at.inContent() && !at.inNamed,
		})
	}
	s.apart = false
	l := &s.lines[len(s.lines)-1]
	l.size += size
	const short = 200 // bytes; nothing is asked about the facts of a longer line
	if l.size > short {
		l.label, l.fact = false, true
		return
	}
	for _, r := range text {
		price := r == '$' || r == '%' || r >= utf8.RuneSelf && unicode.Is(unicode.Sc, r)
		l.price = l.price || price
		l.fact = l.fact || price || r == '@' || unicode.IsDigit(r)
	}
	l.label = !l.fact && l.size <= longestLabel && (l.size == size && words(text) <= 3)
}

// longestLabel is the greatest length, in bytes, of the name of a column of links.
const longestLabel = 30

func words(text string) (n int) {
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// isMenu reports whether lines are columns of links, each below its name: at least two columns with two links each on
// the average. The names need no markup: many footers consist of div elements alone.
func isMenu(lines []line) bool {
	links, labels := 0, 0
	for i, l := range lines {
		switch {
		case l.link:
			links++
		case l.label && i+1 < len(lines) && lines[i+1].link:
			labels++
		case l.size > 1 || l.fact: // one byte is a sign between two links
			return false
		}
	}
	return labels >= 2 && links >= 2*labels
}

// isColumn reports whether lines are one such column.
func isColumn(lines []line) bool {
	if len(lines) < 3 || !lines[0].label || lines[0].link {
		return false
	}
	for _, l := range lines[1:] {
		if !l.link {
			return false
		}
	}
	return true
}

// offer is a list of other pages that may be furniture, which is decided when the whole page was read.
type offer struct {
	nodes    []*html.Node
	from, to int  // its lines
	named    bool // a class says that it is beside the content
	column   bool // it is a column or a menu outside of the content
}

// longestList is the greatest number of lines of a list of other pages. It bounds the work on nested elements.
const longestList = 400

// collectOffers notes whether n, whose lines begin at index from, is a list of other pages.
func (s *Survey) collectOffers(n *html.Node, from, start int, m *linkMeasure, at ancestors, named bool) {
	lines := s.lines[from:]
	if s.furniture[n] || at.inFurniture || m.code || m.seen.pages == 0 || len(lines) > longestList ||
		n == s.Body || !isBox(n) {
		return
	}
	if !at.inContent() {
		if (isMenu(lines) || isColumn(lines)) && !s.labelsSay(lines, start) {
			s.offers = append(s.offers, offer{nodes: []*html.Node{n}, from: from, to: len(s.lines), column: true})
		}
		return
	}
	related := m.names&ofRelated != 0
	if named && m.names&ofComment == 0 && isNamedList(lines, m.seen) || m.seen.pages >= 3 && isOffer(lines, related) {
		s.offers = append(s.offers, offer{nodes: []*html.Node{n}, from: from, to: len(s.lines), named: named || related})
	}
}

// labelsSay reports whether one of the names of columns has a fact, such as "Closed on Monday". The lines are those of
// the element whose text begins at start.
func (s *Survey) labelsSay(lines []line, start int) bool {
	text := s.Text.From(start)
	return slices.ContainsFunc(lines, func(l line) bool {
		return !l.link && fact.Has(strings.TrimSpace(text[l.at-start:][:l.size]))
	})
}

// isBox reports whether n may be the box around a list: a block that is no heading, a cell, or an element that a script
// defines.
func isBox(n *html.Node) bool {
	return dom.IsBlock(n.DataAtom) && !dom.IsHeading(n.DataAtom) || n.DataAtom == atom.Td ||
		n.DataAtom == 0 && strings.Contains(n.Data, "-")
}

// isOffer reports whether lines are links to other pages of the site and little else. What has a date, a price or
// another number beside the link is information. So is a list in which half of the links have one, such as the
// minutes of a council. If a class says that the pages are related, they may have descriptions and dates.
func isOffer(lines []line, related bool) bool {
	text, linked, links, facts, abroad := 0, 0, 0, 0, 0
	known := false // the present link has a fact
	for _, l := range lines {
		text += l.size
		switch {
		case l.here, l.price && !l.link, l.fact && !l.link && !related:
			return false
		case l.link:
			linked += l.size
			if l.begins {
				links++
				known = false
				if l.abroad {
					abroad++
				}
			}
			if l.fact && !known {
				facts++
				known = true
			}
		case l.label && l.heading:
			text -= l.size
		}
	}
	if related {
		return links > 0 && linked*3 >= text
	}
	return links >= 3 && linked*10 >= text*9 && facts*2 < links && abroad*2 < links
}

// isNamedList reports whether an element that a class marks as chrome is a list of other pages: at least two links with
// half of the text, no block of other text, and no price.
func isNamedList(lines []line, m seen) bool {
	return m.pages > 1 && m.plain == 0 && m.paged*2 >= m.text &&
		!slices.ContainsFunc(lines, func(l line) bool { return l.price })
}

// relatedWords are words in the classes and headings of lists of other pages.
var relatedWords = dom.WordSet(`related relatedposts relatedarticles recommended recommendations recommendation
	verwandt verwandte ähnliche aehnliche empfohlen empfehlungen similaires recommandations recommandes relacionados
	relacionadas relacionado recomendados recomendadas correlati consigliati gerelateerd aanbevolen relaterade relaterte
	powiazane polecane`)

// run is a row of elements in a box that are one link each, such as paragraphs or cards.
type run struct {
	nodes []*html.Node
	from  int
}

// extend adds the next child of n to the run, or ends the run. The lines of the child begin at index from.
func (s *Survey) extend(r *run, child *html.Node, from int, at ancestors) {
	isText := func(l line) bool { return !l.link }
	if child.Type == html.CommentNode || child.Type == html.TextNode && strings.TrimSpace(child.Data) == "" {
		return
	}
	lines := s.lines[from:]
	if child.Type == html.ElementNode && (isBox(child) || dom.IsLink(child)) && !s.furniture[child] &&
		0 < len(lines) && len(lines) <= longestList && !slices.ContainsFunc(lines, isText) {
		if len(r.nodes) == 0 {
			r.from = from
		}
		r.nodes = append(r.nodes, child)
		return
	}
	s.endRun(r, from, at)
}

// endRun records the run as a list if it is one.
func (s *Survey) endRun(r *run, to int, at ancestors) {
	if len(r.nodes) > 1 && isOffer(s.lines[r.from:to], false) {
		s.offers = append(s.offers, offer{nodes: r.nodes, from: r.from, to: to})
	}
	*r = run{}
}

// judgeOffers makes furniture of the lists of other pages inside the content that a class or their place shows to be
// beside it: behind nearly all of the text of an article. An index consists of links and has little other text, so its
// lists stay.
func (s *Survey) judgeOffers() {
	if len(s.offers) == 0 {
		return
	}
	const least = 400 // bytes of the prose of an article, about four sentences
	before := make([]int, len(s.lines)+1)
	linked, prose := 0, 0
	for i, l := range s.lines {
		before[i+1] = before[i]
		switch {
		case !l.content:
		case l.link:
			linked += l.size
		default:
			before[i+1] += l.size
			if l.size >= leastProse {
				prose += l.size
			}
		}
	}
	all := before[len(s.lines)]
	for _, o := range s.offers {
		switch {
		case o.column:
		case o.named && all-(before[o.to]-before[o.from]) >= enough,
			!s.pageType.list && prose >= least && linked <= all && (all-before[o.to])*10 <= all:
			s.drop(o)
		}
	}
}

func (s *Survey) drop(o offer) {
	for _, n := range o.nodes {
		s.furniture[n] = true
		if s.drops[n].why < dense {
			s.drops[n] = dropped{dense, s.drops[n].text}
		}
	}
}

// judgeColumns makes furniture of the menus outside of the content, and of the columns of one that has other text
// beside them. On a page without elements for its content, they must be outside of the box with the main content.
func (s *Survey) judgeColumns(c Content) {
	marked := len(s.mains)+len(s.articles) > 0
	if marked {
		for _, n := range s.leftovers {
			s.furniture[n] = true
		}
	}
	var holder *html.Node
	for i, o := range s.offers {
		if !o.column {
			continue
		}
		n := o.nodes[0]
		if !marked {
			if holder == nil {
				if holder = s.holder(c); holder == nil {
					return
				}
			}
			if isBelow(n, holder) {
				continue
			}
		}
		if isMenu(s.lines[o.from:o.to]) || s.isBesideColumn(i) {
			s.furniture[n] = true
		}
	}
}

// isBesideColumn reports whether another column stands in the same box as column i.
func (s *Survey) isBesideColumn(i int) bool {
	const near = 12 // offers to examine on each side
	n := s.offers[i].nodes[0]
	for j := max(0, i-near); j < min(len(s.offers), i+near); j++ {
		if o := s.offers[j]; j != i && o.column && !isBelow(o.nodes[0], n) && !isBelow(n, o.nodes[0]) &&
			(o.nodes[0].Parent == n.Parent || o.nodes[0].Parent.Parent == n.Parent.Parent) {
			return true
		}
	}
	return false
}
