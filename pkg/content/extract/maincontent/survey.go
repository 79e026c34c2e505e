package maincontent

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Survey is the result of one walk over a whole page.
type Survey struct {
	Text      dom.Folder     // all visible text
	Links     []extract.Link // in page order, one per address
	Metas     []*html.Node   // meta elements in the body
	Heading   string         // the first visible h1, anywhere on the page
	headingAt *html.Node     // that h1
	Body      *html.Node
	Noscript  int  // bytes of the visible text that are for readers without scripts
	Truncated bool // the page has more links than the limit

	mains     []*html.Node // topmost main elements
	articles  []*html.Node // topmost article elements
	ids       []*html.Node // elements with an id that sites give to the content
	pageType  pageType
	posts     []post
	bodies    []*html.Node // elements with a class or id that sites give to the text of an article
	drops     map[*html.Node]dropped
	furniture map[*html.Node]bool // see [isFurniture]
	lists     []linkList          // lists of links that are furniture if they are outside of the content
	classes   map[string]kinds    // what the class attributes so far are usual for
	names     map[string]kinds    // and each of the names in them
	lines     []line              // the visible text outside of furniture
	offers    []offer             // lists of other pages that may be furniture
	leftovers []*html.Node        // controls with a few words, furniture on pages with an element for their content
	apart     bool                // the next text begins a line

	elements    int                // number of elements so far
	lastHeading *html.Node         // the last heading so far, other than an h1
	measures    map[*html.Node]int // for each candidate above, the bytes of text that is not chrome
	namedSize   int                // bytes of text that only a class or id marks as chrome

	base   *url.URL
	limits extract.Limits
	known  map[string]bool // addresses of the links so far
}

// dropped is the reason to leave an element out, and the size of the text that would be lost.
type dropped struct {
	why  drop
	text int
}

// ancestors are the kinds of elements around an element.
type ancestors struct {
	inMain, inArticle bool
	inLink, inCode    bool
	inPost, inBody    bool
	inNamed           bool // a class or id marks an element around it as chrome
	toPage            bool // it is in a link to another page, not to a file, a telephone number or a mail address
	abroad            bool // it is in a link to another host
	toHere            bool // it is in a link to another part of this page
	inHeading         bool // it is in a heading or a term
	inAside           bool // an element around it is an aside
	inSection         bool // an element around it is a section below the page's h1
	inFurniture       bool // an element around it is furniture
	headed            bool // the page's h1 is before it
}

func (at ancestors) inContent() bool { return at.inMain || at.inArticle }

// SurveyPage walks the tree of a page once. Addresses are resolved against base.
func SurveyPage(root *html.Node, base *url.URL, limits extract.Limits) *Survey {
	s := &Survey{
		drops: map[*html.Node]dropped{}, furniture: map[*html.Node]bool{}, measures: map[*html.Node]int{},
		known: map[string]bool{}, classes: map[string]kinds{}, names: map[string]kinds{},
		base: base, limits: limits,
	}
	top := dom.Child(root, atom.Html)
	if top == nil { // Unreachable: the parser always makes an html element.
		return s
	}
	s.Body = dom.Child(top, atom.Body)
	if s.Body == nil {
		s.Body = top // a frameset
	}
	s.pageType.readHead(root)
	s.pageType.readBody(s.Body)
	s.visit(s.Body, ancestors{})
	return s
}

// visit surveys n and its descendants. It returns the measure of their text, without the text of chrome.
func (s *Survey) visit(n *html.Node, at ancestors) linkMeasure {
	switch n.Type {
	case html.TextNode:
		return s.visitText(n, at)
	case html.ElementNode:
	default:
		return linkMeasure{}
	}
	if dom.Unseen(n) {
		if n.DataAtom == atom.Script {
			s.pageType.readScript(n)
		}
		if n.DataAtom == atom.Select {
			return linkMeasure{controls: controls{all: 1}}
		}
		return linkMeasure{}
	}
	at.headed = s.headingAt != nil
	names := s.kindsOf(n)
	why, around := reason(n, at, names), at
	if isFurniture(n, around, names) {
		s.furniture[n], at.inFurniture = true, true
	}
	at.inNamed = at.inNamed || why >= named
	start, from := s.begin(n, &at, names), len(s.lines)
	m := s.visitChildren(n, at)
	m.names = names
	s.end(n, start, &m, at)
	s.setPlain(n, start, &m, why == named)
	isNamed := why == named
	if s.isAway(n, start, &m, around) {
		s.furniture[n] = true
		m.controls.all += m.links // what is pressed in it counts for the box around it
		if m.seen.pages <= mostOfBox && s.Text.Size()-start <= longestConsent && !s.holdsHeading(n) {
			why = max(why, chrome)
		}
	}
	s.measureFurniture(n, start, &m, around, isNamed)
	s.collectOffers(n, from, start, &m, around, isNamed)
	if why == 0 && s.isNotice(n, start, &m) {
		why = named
	}
	m.nav = m.nav || s.furniture[n] && why == chrome && n.DataAtom != atom.Header && n.DataAtom != atom.Button
	return s.decide(n, why, m)
}

// visitChildren surveys the children of n, and notes those that are a list of other pages together.
func (s *Survey) visitChildren(n *html.Node, at ancestors) (m linkMeasure) {
	rows := at.inContent() && !at.inLink && !at.inFurniture && isBox(n) && n.DataAtom != atom.P
	var r run
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		from := len(s.lines)
		m.add(s.visit(c, at))
		if rows {
			s.extend(&r, c, from, at)
		}
	}
	s.endRun(&r, len(s.lines), at)
	return m
}

func (s *Survey) visitText(n *html.Node, at ancestors) linkMeasure {
	before, fresh := s.Text.Size(), s.Text.EndsLine()
	s.Text.Write(n.Data)
	m := linkMeasure{text: s.Text.Size() - before}
	s.addLine(n.Data, m.text, fresh, at)
	choice(n.Data, &m.controls)
	m.seen.text = m.text
	if at.inLink {
		m.linked = m.text
		if at.toPage {
			m.seen.paged = m.text
		}
	} else if m.text >= leastProse {
		m.prose = m.text
	}
	return m
}

// begin records candidates and line breaks before the children of n are visited. It returns the position at which the
// text of n begins.
func (s *Survey) begin(n *html.Node, at *ancestors, names kinds) int {
	s.elements++
	if dom.IsBlock(n.DataAtom) || dom.Touches(n) {
		s.Text.Line()
	}
	at.inCode = at.inCode || n.DataAtom == atom.Code || dom.IsCode(n.DataAtom)
	at.inHeading = at.inHeading || dom.IsHeading(n.DataAtom) || n.DataAtom == atom.Dt
	switch n.DataAtom {
	case atom.A:
		if dom.IsLink(n) {
			href := dom.Attr(n, "href")
			at.inLink, at.toPage, s.apart = true, leadsToPage(href), true
			at.abroad = s.leadsAbroad(href)
			at.toHere = strings.HasPrefix(href, "#")
		}
	case atom.Section:
		at.inSection = at.inSection || at.headed
	case atom.Aside:
		at.inAside = true
	case atom.Meta:
		s.Metas = append(s.Metas, n)
	case atom.Td, atom.Th:
		s.Text.Border()
		s.apart = true
	}
	s.beginCandidate(n, at, names)
	return s.Text.Size()
}

// beginCandidate records n if it may be the root of the content and no ancestor is a candidate of the same kind.
func (s *Survey) beginCandidate(n *html.Node, at *ancestors, names kinds) {
	list := s.candidates(n)
	if n == s.Body {
		s.measures[n] = 0
	}
	if !at.inPost && len(n.Attr) > 0 && isPost(n, names) {
		at.inPost = true
		s.posts = append(s.posts, post{n, at.inNamed})
		s.measures[n] = 0
	}
	if !at.inBody && len(n.Attr) > 0 && isBody(n, names) {
		at.inBody = true
		s.bodies = append(s.bodies, n)
		s.measures[n] = 0
	}
	if list == nil || list == &s.mains && at.inMain || list != &s.mains && at.inArticle {
		return
	}
	*list = append(*list, n)
	s.measures[n] = 0
	at.inMain = at.inMain || list == &s.mains
	at.inArticle = at.inArticle || list == &s.articles
}

// candidates returns the list to which n belongs as a possible root of the content, or nil.
func (s *Survey) candidates(n *html.Node) *[]*html.Node {
	switch {
	case n.DataAtom == atom.Main || dom.Attr(n, "role") == "main":
		return &s.mains
	case n.DataAtom == atom.Article:
		return &s.articles
	case n.DataAtom == atom.Div || n.DataAtom == atom.Td || n.DataAtom == atom.Section:
		switch strings.ToLower(dom.Attr(n, "id")) {
		case "content", "main", "main-content", "maincontent", "main_content", "bodycontent", "mw-content-text", "article":
			return &s.ids
		}
	}
	return nil
}

// end records the properties of n that are known only after its children were visited.
func (s *Survey) end(n *html.Node, start int, m *linkMeasure, at ancestors) {
	m.code = m.code || dom.IsCode(n.DataAtom)
	s.seeControl(n, start, &m.controls)
	switch n.DataAtom {
	case atom.A, atom.Area:
		if !dom.HasAttr(n, "href") {
			break
		}
		m.links++
		if n.DataAtom == atom.Area {
			href := dom.Attr(n, "href")
			at.toPage, at.abroad = leadsToPage(href), s.leadsAbroad(href)
		}
		if at.toPage {
			m.seen.pages++
		}
		if at.abroad {
			m.abroad++
		}
		s.addLink(n, start)
	case atom.H1:
		if s.Heading == "" {
			if s.Heading = extract.Title(strings.TrimSpace(s.Text.From(start))); s.Heading != "" {
				s.headingAt = n
			}
		}
	}
	if dom.IsBlock(n.DataAtom) {
		s.Text.Line()
	} else if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
		s.Text.Border()
	}
}

// leadsAbroad reports whether a link leads to another host.
func (s *Survey) leadsAbroad(href string) bool {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(href), "//")
	if scheme != "" && !strings.EqualFold(scheme, "https:") && !strings.EqualFold(scheme, "http:") {
		return false
	}
	host, _, _ := strings.Cut(rest, "/")
	return host != "" && !strings.EqualFold(host, s.base.Host)
}

// decide records the reason why n is not content, if there is one. It returns the measure to add to that of the
// parent.
func (s *Survey) decide(n *html.Node, why drop, m linkMeasure) linkMeasure {
	switch {
	case why != 0:
	case isAnnounced(n, m): // such a list must not make its parents look like navigation
		m.linked, m.links, m.abroad = 0, 0, 0
	default:
		why = linkiness(n, m)
	}
	if why != 0 {
		s.drops[n] = dropped{why, m.text + m.named}
	}
	if _, isCandidate := s.measures[n]; isCandidate {
		s.measures[n] = m.text
	}
	if n == s.Body {
		s.namedSize = m.named
	}
	if s.furniture[n] && !m.list { // a list of links makes that around it look like one
		m.seen = seen{}
	}
	switch why {
	case chrome:
		if dom.HasAttr(n, dom.NoscriptAttr) {
			s.Noscript += m.text
		}
		return linkMeasure{controls: m.controls, nav: m.nav, seen: m.seen}
	case named: // the links of an advertisement are not added to those of its parents
		return linkMeasure{named: m.text + m.named, controls: m.controls, nav: m.nav, seen: m.seen}
	}
	return m
}

// addLink adds a link to another address, unless the address was added before.
func (s *Survey) addLink(n *html.Node, start int) {
	href := strings.TrimSpace(dom.Attr(n, "href"))
	if href == "" || href[0] == '#' {
		return
	}
	u := source.Resolve(s.base, href)
	if u == nil {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	address := u.String()
	if s.known[address] {
		return
	}
	if len(s.Links) >= s.limits.MaxLinks {
		s.Truncated = true
		return
	}
	s.known[address] = true
	s.Links = append(s.Links, extract.Link{URL: address, Rel: strings.ToLower(dom.Fold(dom.Attr(n, "rel"))),
		Text: dom.Clip(dom.Fold(s.Text.From(start)), extract.MaxLinkText)})
}
