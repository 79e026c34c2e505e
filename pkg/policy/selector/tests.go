package selector

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// test is a condition for an element that package cascadia does not examine.
type test interface {
	holds(p *Page, n *html.Node) bool
	parts() int // number of parts of the selectors in it
}

// matching is the test of :is and :where, and of :not.
type matching struct {
	any []Selector
	not bool
}

func parseAny(argument string, depth int) (test, error) {
	any, err := parse(argument, depth)
	return matching{any: any}, err
}

func parseNone(argument string, depth int) (test, error) {
	any, err := parse(argument, depth)
	return matching{any, true}, err
}

func (m matching) holds(p *Page, n *html.Node) bool {
	for i := range m.any {
		if p.matches(m.any[i].chain, n) {
			return !m.not
		}
	}
	return m.not
}

func (m matching) parts() int { return count(m.any) }

func count(all []Selector) (n int) {
	for i := range all {
		n += all[i].parts
	}
	return n
}

// having is the test of :has. Each of its selectors begins with a part that stands for the element.
type having []Selector

func parseHas(argument string, depth int) (test, error) {
	var out having
	for _, one := range split(argument, ',') {
		all := parts(one)
		if len(all) > 0 && all[0].text == "" {
			all = all[1:] // there is a combinator before the first part
		} else if len(all) > 0 {
			all[0].combinator = ' '
		}
		sel, err := parseChain(all, depth)
		if err != nil {
			return nil, err
		}
		sel.chain = append([]compound{{}}, sel.chain...)
		out = append(out, sel)
	}
	return out, nil
}

func (h having) holds(p *Page, n *html.Node) bool {
	for i := range h {
		w := walk{sel: &h[i], page: p, from: n}
		if next := h[i].chain[1].combinator; next == '+' || next == '~' {
			w.among(n.NextSibling, 0, 0, 1, 1)
		} else {
			w.among(n.FirstChild, 1, 1, 0, 0)
		}
		if len(w.found) > 0 {
			return true
		}
	}
	return false
}

func (h having) parts() int { return count(h) }

// languages is the test of :lang.
type languages []string

func parseLanguages(argument string, _ int) (test, error) {
	var out languages
	for _, one := range split(argument, ',') {
		one = strings.ToLower(strings.Trim(strings.TrimSpace(one), `"'`))
		if one == "" || strings.Trim(one, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return nil, fmt.Errorf("%.40q is not a language such as en", one)
		}
		out = append(out, one)
	}
	return out, nil
}

// holds looks for the nearest element around n that declares a language.
func (l languages) holds(p *Page, n *html.Node) bool {
	for ; n != nil && p.steps >= 0; n = n.Parent {
		p.steps--
		for _, a := range n.Attr {
			if a.Key != "lang" && a.Key != "xml:lang" {
				continue
			}
			has := strings.ToLower(strings.TrimSpace(a.Val))
			for _, want := range l {
				if has == want || strings.HasPrefix(has, want+"-") {
					return true
				}
			}
			return false
		}
	}
	return false
}

func (l languages) parts() int { return 0 }
