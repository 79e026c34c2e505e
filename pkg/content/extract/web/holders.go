package web

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
)

// maxHolder is the number of bytes of text from which an element is not taken for what shows one entry.
const maxHolder = 4000

// holders replaces the links of each entry by the elements that show it: the largest ones around a link that have no
// link of another entry, and what stands behind them, up to the next entry. The map has the addresses of the links.
func holders(all []anEntry, of map[*html.Node]string) {
	inside := map[*html.Node]string{} // the address of the only entry in an element; "" if there are several
	for n, address := range of {
		for up := n; up != nil; up = up.Parent {
			if one, known := inside[up]; known && one != address {
				inside[up] = ""
			} else if !known {
				inside[up] = address
			}
		}
	}
	h := holderFinder{inside: inside, several: len(all) > 1, large: map[*html.Node]bool{}}
	for i := range all {
		var out []*html.Node
		seen := map[*html.Node]bool{}
		for _, link := range all[i].holders {
			if n := h.of(link); !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
		all[i].holders = out
	}
	behind(all, inside)
}

// holderFinder finds the elements that show entries.
type holderFinder struct {
	inside  map[*html.Node]string
	several bool                // there are several entries
	large   map[*html.Node]bool // whether an element has too much text; only of elements that were asked for
}

// of returns the element that shows the entry of a link. Of a list with one entry, only the elements of lists say
// where it ends.
func (h holderFinder) of(link *html.Node) *html.Node {
	n, block := link, (*html.Node)(nil)
	end := func() *html.Node {
		if !h.several && block != nil {
			return block
		}
		return n
	}
	for up := n.Parent; up != nil && h.inside[up] != "" && up.Type == html.ElementNode; up = up.Parent {
		switch up.DataAtom {
		case atom.Body, atom.Main, atom.Html, atom.Ul, atom.Ol, atom.Menu, atom.Table, atom.Tbody:
			return end()
		}
		large, known := h.large[up]
		if !known {
			large = len(visible(up)) > maxHolder
			h.large[up] = large
		}
		if large {
			return end()
		}
		switch n = up; n.DataAtom {
		case atom.Li, atom.Tr, atom.Article:
			return n
		}
		if block == nil && dom.IsBlock(n.DataAtom) {
			block = n
		}
	}
	return end()
}

// behind adds, to the element that shows an entry, what stands behind it up to the next entry: as many elements as
// behind each entry of the same parent at least. So the last entry does not take what follows the list.
func behind(all []anEntry, inside map[*html.Node]string) {
	const most = 5
	least := map[*html.Node]int{}
	for _, e := range all {
		for _, n := range e.holders {
			if next, count := followers(n, inside); next {
				if was, known := least[n.Parent]; !known || count < was {
					least[n.Parent] = min(count, most)
				}
			}
		}
	}
	for i := range all {
		for _, n := range all[i].holders {
			if group := groupOf(n, inside); group != nil {
				for _, one := range group {
					if !slices.Contains(all[i].holders, one) {
						all[i].holders = append(all[i].holders, one)
					}
				}
				continue
			}
			left := least[n.Parent]
			for s := n.NextSibling; s != nil && left > 0; s = s.NextSibling {
				if blank(s) {
					continue
				}
				if _, entry := inside[s]; entry {
					break
				}
				all[i].holders = append(all[i].holders, s)
				left--
			}
		}
	}
}

// groupOf returns the other terms and descriptions that stand with one in a definition list, from a term to the next: a
// date may stand before the title. It returns nil if they show several entries or are many, and for other lists.
func groupOf(n *html.Node, inside map[*html.Node]string) (out []*html.Node) {
	if n.Parent == nil || n.Parent.DataAtom != atom.Dl {
		return nil
	}
	const most = 10
	walk := func(step func(*html.Node) *html.Node, isEnd func(last, next *html.Node) bool) bool {
		last := n
		for s := step(n); s != nil; s = step(s) {
			if blank(s) {
				continue
			}
			if isEnd(last, s) {
				return true
			}
			if address, entry := inside[s]; entry && address != inside[n] || len(out) == most {
				return false
			}
			out, last = append(out, s), s
		}
		return true
	}
	begins := func(last, next *html.Node) bool { return last.DataAtom == atom.Dd && next.DataAtom == atom.Dt }
	if !walk(func(s *html.Node) *html.Node { return s.NextSibling }, begins) ||
		!walk(func(s *html.Node) *html.Node { return s.PrevSibling }, func(last, next *html.Node) bool {
			return begins(next, last)
		}) {
		return nil
	}
	return out
}

// followers counts what stands between an element and the next entry, if there is one.
func followers(n *html.Node, inside map[*html.Node]string) (next bool, count int) {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if _, entry := inside[s]; entry {
			return true, count
		}
		if !blank(s) {
			count++
		}
	}
	return false, count
}

func blank(n *html.Node) bool {
	return n.Type == html.CommentNode || n.Type == html.TextNode && strings.TrimSpace(n.Data) == ""
}

// rest returns the lines of the watched part without the entries at some addresses. It reads the page with signs
// around the text of these entries, as [Marked] does.
func (r *listReader) rest(without map[string]bool) (lines []string, ok bool) {
	defer func() { // recovers for the same reason as [structured]
		if recover() != nil {
			lines, ok = nil, false
		}
	}()
	all, roots, err := r.read()
	if err != nil || r.root == nil {
		return nil, false
	}
	for d := range r.root.Descendants() {
		if d.DataAtom == atom.Ol { // the numbers of a list are its order
			d.Data, d.DataAtom = "ul", atom.Ul
		}
	}
	doc := assemble(r.page, r.root, jsonld.Of(r.root).Objects, func(s *maincontent.Survey) maincontent.Content {
		signed := map[*html.Node]bool{}
		for _, e := range all {
			for _, n := range e.holders {
				if without[e.URL] && !signed[n] {
					signed[n] = true
					signNode(n)
					for d := range n.Descendants() {
						signNode(d)
					}
				}
			}
		}
		if r.sel.Narrow() {
			return s.Elements(roots)
		}
		return s.Zones()
	})
	text, spans, ok := unsigned(doc.Text)
	if !ok {
		return nil, false
	}
	for i, line := range strings.Split(text, "\n") {
		at, left := 0, ""
		for _, s := range spans[i] {
			left += line[at:s.From]
			at = s.To
		}
		isWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
		if left += line[at:]; at == 0 || strings.ContainsFunc(left, isWord) {
			lines = append(lines, left)
		}
	}
	return lines, true
}
