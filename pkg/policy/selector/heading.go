package selector

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// under is the test of :under. It is a pointer, because it is a key of maps.
type under struct{ text pattern }

func parseUnder(argument string, _ int) (test, error) {
	texts, err := parseTexts(argument)
	if err != nil {
		return nil, err
	}
	if len(texts) > 1 {
		return nil, errors.New(`:under takes one heading: write :under("Saturday"):under("Hours") for one below another`)
	}
	return &under{texts[0]}, nil
}

func (t *under) holds(p *Page, n *html.Node) bool { return t.heading(p, n) != nil }

func (t *under) parts() int { return 0 }

// heading returns the nearest heading with the text under which an element stands; nil if there is none.
func (t *under) heading(p *Page, n *html.Node) *heading {
	p.readHeadings()
	for h := p.above[n]; h != nil; h = h.up {
		if p.steps--; t.text.matches(h.text) {
			return h
		}
	}
	return nil
}

// heading is a heading of a page with those of higher levels under which it stands.
type heading struct {
	text  string
	level int
	up    *heading
}

// readHeadings finds the heading under which each element stands.
func (p *Page) readHeadings() {
	if p.above == nil {
		p.above = map[*html.Node]*heading{}
		p.headings(p.root, nil)
	}
}

// headings reads the elements in n, the first of which stand under h. It returns the heading under which the elements
// behind n stand: a heading counts up to the end of the element that it is in, and beyond the end of one that holds it
// alone.
func (p *Page) headings(n *html.Node, h *heading) *heading {
	now := h
	for c := n.FirstChild; c != nil && p.steps >= 0; c = c.NextSibling {
		if c.Type != html.ElementNode || isHidden(c) {
			continue
		}
		p.steps--
		p.above[c] = now
		l := level(c)
		if l == 0 {
			now = p.headings(c, now)
			continue
		}
		for d := range c.Descendants() {
			p.above[d] = now
		}
		text := p.Text(c)
		for now != nil && now.level >= l {
			now = now.up
		}
		if text != "" {
			now = &heading{text, l, now}
		}
	}
	if now == h || p.isWrapper(n) {
		return now
	}
	return h
}

// isWrapper reports whether an element holds nothing but headings and what stands in their lines, such as a link.
func (p *Page) isWrapper(n *html.Node) bool {
	if n.DataAtom == atom.Hgroup || n.DataAtom == atom.Header {
		return true
	}
	for c := n.FirstChild; c != nil && p.steps >= 0; c = c.NextSibling {
		p.steps--
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return false
		case c.Type != html.ElementNode || level(c) > 0 || !isBlock(c) || p.firstLine(c) == "":
		case !p.isWrapper(c):
			return false
		}
	}
	return n.DataAtom != atom.P
}
