package pick

import (
	"cmp"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// Bounds of the lists of a page: entries that make a list, such entries if each is the item of a list and has a link,
// lists that are looked at, and lists that are returned.
const (
	leastEntries = 3
	leastLinked  = 2
	maxSeenLists = 60
	maxLists     = 6
)

// List is a list, a table or a set of cards in the content of a page.
type List struct {
	Offer
	Name    string       // its caption or the heading above it; "" if it has none
	Entries []*html.Node // its entries, or the rows of the table without those of headers
}

// Lists returns the largest lists in the content of a page. A list in an entry of another one is a part of that. Of
// sections, of which only some hold a list, the lists are returned.
func (p *Page) Lists() (out []List) {
	all := p.listings()
	for _, l := range all {
		inner, outer := 0, false
		for _, o := range all {
			if o != l {
				inner += l.with(o)
				outer = outer || o.with(l) > 0 && o.isUniform(all)
			}
		}
		if outer || inner > 0 && !l.isUniform(all) {
			continue
		}
		if named, ok := p.list(l); ok && len(out) < maxLists {
			out = append(out, named)
		}
	}
	return out
}

// listing is what may be a list.
type listing struct {
	around  *html.Node
	entries []*html.Node
	letters int
}

// with returns how many entries hold another listing: 1 or 0.
func (l *listing) with(o *listing) int {
	if slices.ContainsFunc(l.entries, func(e *html.Node) bool { return contains(e, o.around) }) {
		return 1
	}
	return 0
}

// isUniform reports whether all entries hold a listing, or none does.
func (l *listing) isUniform(all []*listing) bool {
	holding := 0
	for _, e := range l.entries {
		if slices.ContainsFunc(all, func(o *listing) bool { return o != l && contains(e, o.around) }) {
			holding++
		}
	}
	return holding == 0 || holding == len(l.entries)
}

// listings returns what may be a list in the content of the page, the largest first.
func (p *Page) listings() (out []*listing) {
	seen := map[*html.Node]bool{}
	for i := range p.Lines {
		steps, line := 0, &p.Lines[i]
		for up := line.Node; p.IsContent(line) && up != nil && up.Type == html.ElementNode; up = up.Parent {
			if steps++; seen[up] || steps > maxAbove || len(out) == maxSeenLists {
				break
			}
			seen[up] = true
			if l := p.listing(up); l != nil {
				for _, e := range l.entries {
					seen[e] = true
				}
				out = append(out, l)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *listing) int { return cmp.Compare(b.letters, a.letters) })
	return out
}

// listing returns the list of which an element is an entry; nil if there is none.
func (p *Page) listing(entry *html.Node) *listing {
	l := &listing{around: entry.Parent}
	switch {
	case selector.IsRow(entry):
		l.around = tableOf(entry)
		if l.around == nil || !isTable(l.around) {
			return nil
		}
		for n := range l.around.Descendants() {
			if selector.IsRow(n) && !isHeadRow(n) && p.shown[n] > 0 && len(l.entries) < maxEntries {
				l.entries = append(l.entries, n)
			}
		}
	case selector.IsEntry(entry) && isKind(entry):
		all := p.picker(entry).siblings(entry, maxEntries)
		l.entries = slices.DeleteFunc(all, func(n *html.Node) bool { return p.shown[n] == 0 })
	}
	if n := len(l.entries); n < leastLinked || n < leastEntries && !areLinked(l.entries) {
		return nil
	}
	for _, e := range l.entries {
		l.letters += p.shown[e]
	}
	return l
}

// areLinked reports whether entries are items of a list by their tag, each with a link.
func areLinked(entries []*html.Node) bool {
	for _, e := range entries {
		linked := false
		for n := range e.Descendants() {
			linked = linked || dom.IsLink(n)
		}
		if e.DataAtom != atom.Li || !linked {
			return false
		}
	}
	return true
}

// isKind reports whether an entry is one by its tag, its role or its class. Others may be the parts of a layout.
func isKind(n *html.Node) bool {
	return n.DataAtom == atom.Li || n.DataAtom == atom.Article || dom.Attr(n, "role") != "" || dom.Attr(n, "class") != ""
}

func isHeadRow(n *html.Node) bool {
	return selector.IsRow(n) && dom.Child(n, atom.Th) != nil && dom.Child(n, atom.Td) == nil
}

// isTable reports whether a table has data: it is not there to place others.
func isTable(table *html.Node) bool {
	if role := dom.Attr(table, "role"); role == "presentation" || role == "none" {
		return false
	}
	for n := range table.Descendants() {
		if n.DataAtom == atom.Table {
			return false
		}
	}
	return true
}

// list makes the selector of a list; ok is false if no selector finds exactly its entries.
func (p *Page) list(l *listing) (out List, ok bool) {
	out.Entries = l.entries
	picker := p.picker(l.entries[0])
	page := picker.page
	out.Name = cmp.Or(page.Head(l.around), page.Label(l.around))
	if above := page.Headings(l.entries[0]); out.Name == "" && len(above) > 0 {
		out.Name = above[0]
	}
	if selector.IsRow(l.entries[0]) {
		way, found := p.Way(l.around)
		out.Offer = Offer{Way: way, Scope: ScopeAll, Found: []*html.Node{l.around}}
		return out, found
	}
	out.Offer, ok = picker.like(l.entries[0])
	return out, ok
}

// picker makes a picker that knows what others of the page have found out.
func (p *Page) picker(n *html.Node) *picker {
	if p.known == nil {
		p.known = newPicker(p.root, n)
		p.known.made = suffixesOf(p.root)
	}
	q := newPicker(p.root, n)
	q.page, q.made = p.known.page, p.known.made
	q.page.Again()
	return q
}

// Way returns the first of the [Ways] to an element; one by its place only if there is no other.
func (p *Page) Way(n *html.Node) (way Way, ok bool) {
	ways := p.picker(n).ways(1)
	if len(ways) == 0 {
		return way, false
	}
	return ways[0], true
}

// By returns by what a selector finds an element; "" once too many selectors were tried on the page.
func (p *Page) By(n *html.Node) By {
	const most = 1000
	if p.tries > most {
		return ""
	}
	q := p.picker(n)
	ways := q.ways(1)
	if p.tries += q.tried + 1; len(ways) == 0 {
		return ""
	}
	return ways[0].By
}

// Of returns what an element is called: the name of the row or entry that it is or is in, or else what labels it; "" if
// that is all it shows.
func (p *Page) Of(n *html.Node) string {
	page := p.picker(n).page
	for up := n; up != nil && up.Type == html.ElementNode; up = up.Parent {
		if names := page.Names(up); len(names) > 0 && (selector.IsRow(up) || selector.IsEntry(up)) {
			return names[0]
		}
	}
	return page.Label(n)
}

// IsContent reports whether a line is in the content of the page: in its main element if it has one, and not in what
// is around the content.
func (p *Page) IsContent(l *Line) bool {
	return l.Around == "" && (p.main == nil || contains(p.main, l.Node))
}

// mainOf returns the main element of a page that shows something; nil if there is none or several.
func (p *Page) mainOf() (main *html.Node) {
	for n := range p.root.Descendants() {
		if p.shown[n] > 0 && (n.DataAtom == atom.Main || dom.Attr(n, "role") == "main") {
			if main != nil && !contains(main, n) {
				return nil
			}
			main = cmp.Or(main, n)
		}
	}
	return main
}

// Has reports whether an element is in an entry of the list.
func (l *List) Has(n *html.Node) bool {
	return slices.ContainsFunc(l.Entries, func(e *html.Node) bool { return contains(e, n) })
}
