package pick

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// What of a page is watched when an element is pressed.
const (
	scopeOne    = "this"   // the element
	scopeRow    = "row"    // the row or the entry in which it stands
	ScopeAll    = "alike"  // all entries of its list, or the whole table
	scopeColumn = "column" // all cells below its header
)

// maxEntries limits the number of entries of a list that are compared.
const maxEntries = 1000

// Offer is a way to watch what was pressed.
type Offer struct {
	Way
	Scope string // [scopeOne], [scopeRow], [ScopeAll] or [scopeColumn]
	Links string // the selector of the links of the entries, if each has one: then new entries can be told
	Found []*html.Node
	// Values are what a path finds in JSON.
	Values []*jsonpath.Node
	Times  []int // number of elements or values that it finds in each of the captures; -1 if that is not a page
}

// Offers returns the ways to watch an element: it alone, which is chosen as [Choose] does, the row or the entry in
// which it stands, all like it, and the column of a cell. It returns none if no selector finds the element alone.
// Captures are read once; one that is nil is no page.
func Offers(root, n *html.Node, captures iter.Seq[*html.Node]) (out []Offer) {
	one := newTally(root, n)
	if len(one.ways) == 0 {
		return nil
	}
	p := newPicker(root, n)
	others, row := p.others()
	around := &tally{}
	if row != nil {
		around = newTally(root, row)
		if way, ok := p.byPressed(row); ok {
			around.ways, around.hits, around.times = []Way{way}, make([]int, 1), make([][]int, 1)
		}
	}
	for root := range captures {
		one.count(root)
		around.count(root)
		var page *selector.Page
		if root != nil {
			page = selector.On(root)
		}
		for i := range others {
			o := &others[i]
			o.Times = append(o.Times, timesOf(page, findIn(page, o.Selector)))
		}
	}
	out = append(out, one.offer(p, scopeOne))
	if len(around.ways) > 0 {
		if o := around.offer(p, scopeRow); o.Selector != out[0].Selector {
			out = append(out, o)
		}
	}
	return append(out, others...)
}

// offer returns the way that finds its element in most captures.
func (t *tally) offer(p *picker, scope string) Offer {
	best := t.best()
	way := t.ways[best]
	return Offer{Way: way, Scope: scope, Found: p.all(way.Selector), Times: t.times[best]}
}

// others returns the offers for more than the element, and the row or the entry in which it stands; nil if it is that
// itself, or stands in none.
func (p *picker) others() (out []Offer, row *html.Node) {
	for _, up := range p.above {
		switch {
		case selector.IsRow(up):
			if table := tableOf(up); table != nil {
				if ways := Ways(p.root, table); len(ways) > 0 {
					all := Way{ways[0].Selector, "all rows of the table", ways[0].By}
					out = append(out, Offer{Way: all, Scope: ScopeAll, Found: []*html.Node{table}})
				}
				if column, ok := p.column(table); ok {
					out = append(out, column)
				}
			}
			return out, p.around(up)
		case selector.IsEntry(up):
			if all, ok := p.like(up); ok {
				return append(out, all), p.around(up)
			}
		}
	}
	return out, nil
}

// byPressed returns the way to the row or the entry around the pressed element by the text that was pressed, or by that
// of its cell. A name of it that is a word stays, unless the texts of the column are names, too: what is unique in a
// column of states is one of them, such as "Sold out", and goes.
func (p *picker) byPressed(row *html.Node) (way Way, ok bool) {
	const short = 2 * maxName
	key := p.firstName(row)
	isNamed := isWordy(key) && !number.MatchString(key)
	for n := p.n; n != row; n = n.Parent {
		text := p.page.Text(n)
		switch {
		case len(text) > short || text == key || isNamed && !(selector.IsCell(n) && p.isOfNames(n, row)):
			continue
		case letters(text) < 3 || number.MatchString(text) || strings.Contains(text, "*") || !isSecond(text):
			continue
		}
		test := namedTest("*", text)
		way = Way{row.Data + test.test, "the " + noun(row) + " " + test.words, ByKey}
		if isName(row.Data) && slices.Equal(p.all(way.Selector), []*html.Node{row}) {
			return way, true
		}
	}
	return way, false
}

// isOfNames reports whether all cells of the column of a cell have texts of their own, in a table of several rows.
func (p *picker) isOfNames(cell, row *html.Node) bool {
	const least = 5
	column, seen := columnOf([]*html.Node{cell}), map[string]bool{}
	for _, other := range p.siblings(row, maxEntries) {
		for c := range other.ChildNodes() {
			if !selector.IsCell(c) || columnOf([]*html.Node{c}) != column {
				continue
			}
			text := p.page.Text(c)
			if seen[text] {
				return false
			}
			seen[text] = true
		}
	}
	return len(seen) >= least
}

// around returns an element around the pressed one; nil if it is the pressed one.
func (p *picker) around(up *html.Node) *html.Node {
	if up == p.n {
		return nil
	}
	return up
}

func tableOf(row *html.Node) *html.Node {
	for up := row.Parent; up != nil; up = up.Parent {
		if up.DataAtom == atom.Table || dom.Attr(up, "role") == "table" || dom.Attr(up, "role") == "grid" {
			return up
		}
	}
	return nil
}

// column returns the offer of the column of a cell.
func (p *picker) column(table *html.Node) (out Offer, ok bool) {
	header := ""
	if selector.IsCell(p.n) {
		header = p.page.Header(p.n)
	}
	if header == "" {
		return out, false
	}
	cell := p.n.Data + ":column(" + selector.Quote(header) + ")"
	texts := []string{cell}
	for _, w := range Ways(p.root, table) {
		texts = append(texts, w.Selector+" "+cell)
	}
	for _, text := range texts {
		found := p.all(text)
		isIn := !slices.ContainsFunc(found, func(n *html.Node) bool { return !contains(table, n) })
		if slices.Contains(found, p.n) && isIn {
			return Offer{Way{text, "the column “" + header + "”", ByHeading}, scopeColumn, "", found, nil, nil}, true
		}
	}
	return out, false
}

// like returns the offer of an entry and all entries like it.
func (p *picker) like(entry *html.Node) (out Offer, ok bool) {
	const least = 2
	all := p.siblings(entry, maxEntries)
	if len(all) < least || !isName(entry.Data) {
		return out, false
	}
	var bases []string
	own, _ := p.namesIn(entry)
	for _, name := range own {
		if !isAttribute(name) {
			bases = append(bases, entry.Data+name)
		}
	}
	bases = append(bases, entry.Data)
	var texts []string
	for _, base := range bases {
		for _, c := range p.containers(entry) {
			texts = append(texts, c.test+" > "+base, c.test+" "+base)
		}
		texts = append(texts, base)
	}
	for _, w := range Ways(p.root, entry.Parent) {
		texts = append(texts, w.Selector+" > "+entry.Data)
	}
	for _, text := range texts[:min(len(texts), maxTried)] {
		if found := p.all(text); slices.Equal(found, all) {
			out = Offer{Way{text, "all entries like this one", ByClass}, ScopeAll, "", found, nil, nil}
			out.Links = p.links(out)
			return out, true
		}
	}
	return out, false
}

// links returns the selector of the links of entries, of which each has one; "" if they have none. If they have
// several, it is that of the links in their headings.
func (p *picker) links(entries Offer) string {
	for _, in := range []string{" a[href]", " :is(h1, h2, h3, h4, h5, h6) a[href]",
		" a[href]:has(h1, h2, h3, h4, h5, h6)"} {
		links := p.all(entries.Selector + in)
		if len(links) != len(entries.Found) {
			continue
		}
		each := true
		for i, entry := range entries.Found {
			each = each && contains(entry, links[i])
		}
		if each {
			return entries.Selector + in
		}
	}
	return ""
}

// Outcomes of an edit of the page.
const (
	Kept    = "kept"    // the selector finds the same as before, and a new entry if it is for all
	lost    = "lost"    // it finds nothing
	Another = "another" // it finds something else, or more, or less
)

// Edits says what a selector would find if the page changed; an outcome is empty if the page has nothing to edit so.
type Edits struct {
	Inserted  string // an entry or a row is inserted above
	Reordered string // the entries or rows are in another order
	Restyled  string // the classes have other endings that a program gives them
}

// Try edits copies of a page and says what the selector of an offer finds then.
func Try(root, n *html.Node, o Offer) Edits {
	e := editor{root: root, n: n, offer: o}
	return Edits{e.try((*edit).insert), e.try((*edit).reorder), e.try((*edit).restyle)}
}

type editor struct {
	root, n *html.Node
	offer   Offer
}

// edit is a copy of a page that is edited.
type edit struct {
	root    *html.Node
	copies  map[*html.Node]*html.Node
	entries []*html.Node // the entries or rows among which the element is
	at      *html.Node
	added   *html.Node
}

func (e editor) try(apply func(*edit) bool) string {
	c := &edit{copies: map[*html.Node]*html.Node{}}
	c.root = c.copy(e.root)
	p := newPicker(c.root, c.copies[e.n])
	for _, up := range p.above {
		if selector.IsRow(up) || selector.IsEntry(up) {
			c.at, c.entries = up, slices.DeleteFunc(p.siblings(up, maxEntries), isHeadRow)
			break
		}
	}
	if !apply(c) {
		return ""
	}
	found, _ := all(selector.On(c.root), e.offer.Selector)
	wanted := map[*html.Node]bool{}
	for _, n := range e.offer.Found {
		wanted[c.copies[n]] = true
	}
	return outcome(found, wanted, func(n *html.Node) bool {
		return e.offer.Scope != scopeOne && c.added != nil && contains(c.added, n)
	})
}

// outcome says what a choice finds after an edit: all that is wanted and what may be new, nothing, or another thing.
func outcome[N comparable](found []N, wanted map[N]bool, isNew func(N) bool) string {
	for _, n := range found {
		if !isNew(n) && !wanted[n] {
			return Another
		}
		delete(wanted, n)
	}
	switch {
	case len(wanted) == 0:
		return Kept
	case len(found) == 0:
		return lost
	}
	return Another
}

func (c *edit) copy(n *html.Node) *html.Node {
	m := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: slices.Clone(n.Attr)}
	c.copies[n] = m
	for d := n.FirstChild; d != nil; d = d.NextSibling {
		m.AppendChild(c.copy(d))
	}
	return m
}

// insert puts a copy of the entry of the element, with other texts, above it.
func (c *edit) insert() bool {
	if c.at == nil {
		return false
	}
	keep := c.copies
	c.copies = map[*html.Node]*html.Node{}
	c.added = c.copy(c.at)
	c.copies = keep
	for n := range c.added.Descendants() {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			n.Data = "New " + strings.Map(otherLetter, n.Data)
		}
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "id" })
	}
	c.at.Parent.InsertBefore(c.added, c.at)
	return true
}

func otherLetter(r rune) rune {
	switch {
	case r >= 'a' && r < 'z', r >= 'A' && r < 'Z', r >= '0' && r < '9':
		return r + 1
	}
	return r
}

// reorder gives the entries the opposite order.
func (c *edit) reorder() bool {
	if len(c.entries) < 2 {
		return false
	}
	for i := 1; i < len(c.entries); i++ {
		n := c.entries[i]
		n.Parent.RemoveChild(n)
		c.entries[0].Parent.InsertBefore(n, c.entries[i-1])
	}
	return true
}

// restyle gives classes other endings.
func (c *edit) restyle() (has bool) {
	made := suffixesOf(c.root)
	for n := range c.root.Descendants() {
		for i, a := range n.Attr {
			if a.Key != "class" {
				continue
			}
			classes := strings.Fields(a.Val)
			for j, class := range classes {
				switch stem := made.stem(class); {
				case strings.HasPrefix(stem, "-"):
					classes[j], has = "css-9z8y7x"+stem, true
				case stem != "":
					classes[j], has = stem+"9zY8x", true
				case isMade(class):
					classes[j], has = class+"9z", true
				}
			}
			n.Attr[i].Val = strings.Join(classes, " ")
		}
	}
	return has
}
