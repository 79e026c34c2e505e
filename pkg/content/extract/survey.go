package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// maxLinkText bounds the text that is kept of a link, in bytes.
const maxLinkText = 200

// surveyed is what one walk over the whole tree finds out.
type surveyed struct {
	text      dom.Folder // all visible text
	links     []Link
	robots    []string // from meta elements that stand in the body
	heading   string   // the first visible h1, wherever it stands
	body      *html.Node
	mains     []*html.Node // topmost main elements
	articles  []*html.Node // topmost article elements
	named     []*html.Node // elements whose id names the content
	marks     marks
	posts     []post
	bodies    []*html.Node
	drops     map[*html.Node]dropped
	measures  map[*html.Node]int // bytes of text that nothing names as chrome, of the candidates above
	around    int                // bytes of text that only names call chrome
	truncated bool

	base   *url.URL
	limits Limits
	known  map[string]bool // addresses of links
}

// dropped is a reason to leave an element out, and how much text would go with it.
type dropped struct {
	why  drop
	text int
}

// place is what the survey knows about where it is.
type place struct {
	inMain, inArticle bool
	inLink, inCode    bool
	inPost, inAround  bool
	inBody            bool
}

func (at place) inContent() bool { return at.inMain || at.inArticle }

// survey walks the tree once and collects what later steps need.
func survey(root *html.Node, base *url.URL, limits Limits) *surveyed {
	s := &surveyed{
		drops: map[*html.Node]dropped{}, measures: map[*html.Node]int{}, known: map[string]bool{},
		base: base, limits: limits,
	}
	top := dom.Child(root, atom.Html)
	if top == nil { // Unreachable: the parser always makes one.
		return s
	}
	s.body = dom.Child(top, atom.Body)
	if s.body == nil {
		s.body = top // a frameset
	}
	s.marks.readHead(root)
	s.marks.readBody(s.body)
	s.visit(s.body, place{})
	return s
}

// visit surveys n and what is below it and returns how much text there is, chrome aside.
func (s *surveyed) visit(n *html.Node, at place) linkMeasure {
	switch n.Type {
	case html.TextNode:
		return s.visitText(n, at)
	case html.ElementNode:
	default:
		return linkMeasure{}
	}
	if dom.Unseen(n) {
		if n.DataAtom == atom.Script {
			s.marks.readScript(n)
		}
		return linkMeasure{}
	}
	why := reason(n, at)
	at.inAround = at.inAround || why >= named
	start := s.enter(n, &at)
	var m linkMeasure
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		m.add(s.visit(c, at))
	}
	s.leave(n, start, &m)
	return s.decide(n, why, m)
}

func (s *surveyed) visitText(n *html.Node, at place) linkMeasure {
	before := s.text.Size()
	s.text.Write(n.Data)
	m := linkMeasure{text: s.text.Size() - before}
	if at.inLink {
		m.linked = m.text
	} else if m.text >= leastProse {
		m.prose = m.text
	}
	return m
}

// enter notes candidates and borders before the children are seen. It returns where the text of
// n begins.
func (s *surveyed) enter(n *html.Node, at *place) int {
	if dom.IsBlock(n.DataAtom) {
		s.text.Line()
	}
	switch n.DataAtom {
	case atom.A:
		at.inLink = true
	case atom.Pre, atom.Code:
		at.inCode = true
	case atom.Meta:
		s.robots = appendRobots(s.robots, n)
	case atom.Td, atom.Th:
		s.text.Border()
	}
	s.enterCandidate(n, at)
	return s.text.Size()
}

// enterCandidate notes n if it may be the root of the content and is the topmost of its kind.
func (s *surveyed) enterCandidate(n *html.Node, at *place) {
	list := s.candidates(n)
	if n == s.body {
		s.measures[n] = 0
	}
	if !at.inPost && len(n.Attr) > 0 && isPost(n) {
		at.inPost = true
		s.posts = append(s.posts, post{n, at.inAround})
		s.measures[n] = 0
	}
	if !at.inBody && len(n.Attr) > 0 && isBody(n) {
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

// candidates is the list that n belongs to as a possible root of the content, or nil.
func (s *surveyed) candidates(n *html.Node) *[]*html.Node {
	switch {
	case n.DataAtom == atom.Main || dom.Attr(n, "role") == "main":
		return &s.mains
	case n.DataAtom == atom.Article:
		return &s.articles
	case n.DataAtom == atom.Div || n.DataAtom == atom.Td || n.DataAtom == atom.Section:
		switch strings.ToLower(dom.Attr(n, "id")) {
		case "content", "main", "main-content", "maincontent", "main_content", "bodycontent", "mw-content-text", "article":
			return &s.named
		}
	}
	return nil
}

// leave notes what is known once the children are seen.
func (s *surveyed) leave(n *html.Node, start int, m *linkMeasure) {
	switch n.DataAtom {
	case atom.Pre:
		m.code = true
	case atom.A, atom.Area:
		m.links++
		if s.leadsAbroad(dom.Attr(n, "href")) {
			m.abroad++
		}
		s.addLink(n, start)
	case atom.H1:
		if s.heading == "" {
			s.heading = dom.Clip(strings.TrimSpace(s.text.From(start)), maxTitle)
		}
	}
	if dom.IsBlock(n.DataAtom) {
		s.text.Line()
	} else if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
		s.text.Border()
	}
}

// leadsAbroad reports whether a link names another host.
func (s *surveyed) leadsAbroad(href string) bool {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(href), "//")
	if scheme != "" && !strings.EqualFold(scheme, "https:") && !strings.EqualFold(scheme, "http:") {
		return false
	}
	host, _, _ := strings.Cut(rest, "/")
	return host != "" && !strings.EqualFold(host, s.base.Host)
}

// decide records why n is not content, if so, and gives the measure that counts for its parents.
func (s *surveyed) decide(n *html.Node, why drop, m linkMeasure) linkMeasure {
	switch {
	case why != 0:
	case isAnnounced(n, m): // and so no bundle of links makes one of what is around it
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
	if n == s.body {
		s.around = m.named
	}
	switch why {
	case chrome:
		return linkMeasure{}
	case named: // else the links of an advertisement would decide about what is around it
		return linkMeasure{named: m.text + m.named}
	}
	return m
}

// addLink keeps a link to another address once.
func (s *surveyed) addLink(n *html.Node, start int) {
	href := strings.TrimSpace(dom.Attr(n, "href"))
	if href == "" || href[0] == '#' {
		return
	}
	u := dom.Resolve(s.base, href)
	if u == nil {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	address := u.String()
	if s.known[address] {
		return
	}
	if len(s.links) >= s.limits.MaxLinks {
		s.truncated = true
		return
	}
	s.known[address] = true
	text := dom.Fold(s.text.From(start))
	s.links = append(s.links, Link{URL: address, Rel: strings.ToLower(dom.Fold(dom.Attr(n, "rel"))),
		Text: dom.Clip(text, maxLinkText)})
}
