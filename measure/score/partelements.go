package main

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// element is an element that somebody may watch, with what moves together with it.
type element struct {
	what  string     // row, cell, entry, card, part of a card, dd, value beside a label, paragraph of a heading, prose
	form  string     // how it can be told from others: formOwn, formNamesake or formProse
	node  *html.Node // the element itself
	among *unit      // the unit that it is, or is in
	group []*unit    // all units of its list, table or section, in their order, with one parent
	scope string     // units of one scope are namesakes if their keys are equal
	page  *pageTexts
}

const (
	formOwn      = "own key"
	formNamesake = "namesake"
	formProse    = "prose"
)

// unit is what moves as one: a row, an entry, a card, a label with its value, a heading with what follows it.
type unit struct {
	nodes []*html.Node // neighbours
	key   string       // what names it; "" for prose
	named *html.Node   // the element that has the key; nil if the whole text is the key
}

// pageTexts is what is known of the texts of a page.
type pageTexts struct {
	keys  map[string]int // units with a key, by scope and key
	words []string
}

var (
	skippedTags = map[atom.Atom]bool{atom.Nav: true, atom.Footer: true, atom.Aside: true,
		atom.Form: true, atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true,
		atom.Dialog: true, atom.Select: true, atom.Iframe: true, atom.Button: true, atom.Head: true, atom.Math: true}
	furnitureName = regexp.MustCompile(`(?i)nav|menu|footer|sidebar|breadcrumb|cookie|consent|modal|popup|share|social|` +
		`toolbar|pagination|dropdown|hidden|sr-only|screen-reader`)
	labelName  = regexp.MustCompile(`(?i)label|name|key|term|caption|title`)
	labelText  = regexp.MustCompile(`^\s*([^:：\s][^:：]{1,30}?)\s*[:：]\s*(\S.{0,60}?)\s*$`)
	headingTag = map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}
)

// elements returns the elements of a page that somebody may watch, outside of its furniture.
func elements(root *html.Node) []*element {
	f := &elementFinder{texts: &pageTexts{keys: map[string]int{}}, prose: map[string]int{}, headings: map[string]int{}}
	f.texts.words = pageWords(root)
	for n := range root.Descendants() {
		if headingTag[n.DataAtom] > 0 {
			f.headings[fold(shown(n))]++
		}
		if n.DataAtom == atom.P {
			f.prose[fold(shown(n))]++
		}
	}
	f.walk(root)
	return f.named()
}

type elementFinder struct {
	texts           *pageTexts
	all             []*element
	prose, headings map[string]int
}

func (f *elementFinder) walk(n *html.Node) {
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || isFurniture(c) {
			continue
		}
		switch c.DataAtom {
		case atom.Table:
			f.tables(c)
		case atom.Ul, atom.Ol:
			f.lists(c)
		case atom.Dl:
			f.definitions(c)
		}
		f.cards(c)
		f.labels(c)
		f.sections(c)
		f.paragraphs(c)
		f.walk(c)
	}
}

func isFurniture(n *html.Node) bool {
	if skippedTags[n.DataAtom] || n.DataAtom == atom.Header && !within(n, nil, isEntry) {
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "role":
			if a.Val == "navigation" || a.Val == "presentation" || a.Val == "dialog" || a.Val == "tablist" {
				return true
			}
		case "style":
			if s := strings.ReplaceAll(a.Val, " ", ""); strings.Contains(s, "display:none") {
				return true
			}
		case "class", "id":
			if n.DataAtom != atom.Body && n.DataAtom != atom.Html && furnitureName.MatchString(a.Val) {
				return true
			}
		}
	}
	return false
}

func isEntry(n *html.Node) bool { return n.DataAtom == atom.Article || n.DataAtom == atom.Li }

// named drops elements that nothing tells from another one, and says of each what does.
func (f *elementFinder) named() (out []*element) {
	seen := map[*unit]bool{}
	whole := map[string]int{}
	for _, e := range f.all {
		for _, u := range e.group {
			if !seen[u] {
				seen[u] = true
				whole[e.scope+"\n"+u.text()]++
				if u.key != "" {
					f.texts.keys[e.scope+"\n"+u.key]++
				}
			}
		}
	}
	for _, e := range f.all {
		e.page = f.texts
		switch key := e.among.key; {
		case whole[e.scope+"\n"+e.among.text()] > 1:
			continue
		case key == "":
			e.form = formProse
		case f.texts.keys[e.scope+"\n"+key] > 1 || e.scope == "heading" && f.headings[key] > 1:
			e.form = formNamesake
		default:
			e.form = formOwn
		}
		out = append(out, e)
	}
	return out
}

func (u *unit) text() string {
	var all []string
	for _, n := range u.nodes {
		all = append(all, shown(n))
	}
	return fold(strings.Join(all, " "))
}

// add adds an element, if its text is neither too short nor too long to be watched.
func (f *elementFinder) add(what, scope string, node *html.Node, among *unit, group []*unit) {
	const longest = 1000
	if text := shown(node); len(text) > 0 && len(text) <= longest {
		f.all = append(f.all, &element{what: what, scope: scope, node: node, among: among, group: group})
	}
}

func (f *elementFinder) tables(table *html.Node) {
	for _, body := range append(childElements(table), table) {
		if body != table && body.DataAtom != atom.Tbody {
			continue
		}
		var group []*unit
		hasHeads := holdsA(table, atom.Th) || holdsA(table, atom.Thead)
		for i, row := range childElements(body) {
			if i == 0 && !hasHeads { // which may be the heads
				continue
			}
			cells := childElements(row)
			if row.DataAtom != atom.Tr || len(cells) < 2 || !slices.ContainsFunc(cells, isA(atom.Td)) ||
				holdsA(row, atom.Table) || len(shown(row)) > 400 {
				continue
			}
			group = append(group, &unit{nodes: []*html.Node{row}})
		}
		column := keyColumn(group)
		if len(group) < 3 || column < 0 {
			continue
		}
		for _, u := range group {
			cells := childElements(u.nodes[0])
			if column >= len(cells) {
				continue
			}
			u.named = cells[column]
			u.key = fold(shown(u.named))
			if u.key == "" {
				continue
			}
			f.add("row", "row", u.nodes[0], u, group)
			for i, c := range cells {
				if i != column && c.DataAtom == atom.Td && len(shown(c)) <= 120 && hasLetterOrDigit(shown(c)) {
					f.add("cell", "row", c, u, group)
				}
			}
		}
	}
}

// keyColumn returns the column of the names of rows: that of their th, or the first one with words that differ; -1 if
// there is none.
func keyColumn(group []*unit) int {
	for column := range 3 {
		th, words, different := 0, 0, map[string]bool{}
		for _, u := range group {
			if cells := childElements(u.nodes[0]); column < len(cells) {
				text := fold(shown(cells[column]))
				th += count(cells[column].DataAtom == atom.Th)
				words += count(letters(text) >= 2 && len(text) <= 120)
				different[text] = true
			}
		}
		if (th == len(group) || 5*words >= 4*len(group)) && len(different) > 1 {
			return column
		}
	}
	return -1
}

func (f *elementFinder) lists(list *html.Node) {
	var group []*unit
	for _, c := range childElements(list) {
		if text := shown(c); c.DataAtom == atom.Li && len(text) >= 3 && len(text) <= 500 && letters(text) >= 2 {
			group = append(group, &unit{nodes: []*html.Node{c}})
		}
	}
	if len(group) < 3 {
		return
	}
	nameUnits(group, false)
	for _, u := range group {
		f.add("entry", "entry", u.nodes[0], u, group)
	}
}

// nameUnits finds what names each entry or card: its heading, link or strong text, with which an entry must begin; if
// all have the same, or some have none, the first text of cards if it differs, or else the whole text. It returns false
// if that is all.
func nameUnits(group []*unit, cards bool) bool {
	headings := []atom.Atom{atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
	for _, tags := range [][]atom.Atom{headings, {atom.A}, {atom.Strong, atom.B}, nil} {
		names, different := make([]*html.Node, len(group)), map[string]bool{}
		missing := false
		for i, u := range group {
			names[i] = firstNamed(u.nodes[0], tags)
			if missing = names[i] == nil || !cards && !strings.HasPrefix(u.text(), fold(shown(names[i]))); missing {
				break
			}
			different[fold(shown(names[i]))] = true
		}
		if missing || len(different) < 2 || tags == nil && !cards {
			continue
		}
		for i, u := range group {
			u.named, u.key = names[i], fold(shown(names[i]))
		}
		return true
	}
	for _, u := range group {
		u.named, u.key = nil, u.text()
	}
	return false
}

// firstNamed returns the first element with a tag and words, below n; without tags, the first leaf with words.
func firstNamed(n *html.Node, tags []atom.Atom) *html.Node {
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && (slices.Contains(tags, c.DataAtom) || tags == nil && isLeaf(c)) &&
			!within(c, n, isFurniture) && letters(shown(c)) >= 2 {
			return c
		}
	}
	return nil
}

func (f *elementFinder) cards(parent *html.Node) {
	by := map[string][]*unit{}
	var order []string
	for _, c := range childElements(parent) {
		switch c.DataAtom {
		case atom.Div, atom.Article, atom.Section, atom.A, 0:
		default:
			continue
		}
		if text := shown(c); isFurniture(c) || len(text) < 10 || len(text) > 800 || leaves(c) < 2 {
			continue
		}
		class, _, _ := strings.Cut(strings.TrimSpace(attribute(c, "class")), " ")
		like := c.Data + "." + strings.TrimRight(class, "0123456789")
		if by[like] == nil {
			order = append(order, like)
		}
		by[like] = append(by[like], &unit{nodes: []*html.Node{c}})
	}
	for _, like := range order {
		group := by[like]
		if len(group) < 3 || !nameUnits(group, true) {
			continue
		}
		for _, u := range group {
			f.add("card", "card", u.nodes[0], u, group)
			if part := partOfCard(u, group); part != nil {
				f.add("part of a card", "card", part, u, group)
			}
		}
	}
}

// partOfCard returns the first short text of a card that does not name it, and that not all cards have.
func partOfCard(u *unit, group []*unit) *html.Node {
	const longest = 60
	for n := range u.nodes[0].Descendants() {
		if n.Type != html.ElementNode || n.DataAtom == atom.A || !isLeaf(n) || holds(u.named, n) || holds(n, u.named) ||
			within(n, u.nodes[0], isFurniture) {
			continue
		}
		text := shown(n)
		if hasLetterOrDigit(text) && len(text) <= longest && !strings.HasSuffix(text, ":") &&
			!slices.ContainsFunc(group, func(o *unit) bool { return o != u && strings.Contains(o.text(), fold(text)) }) {
			return n
		}
	}
	return nil
}

func (f *elementFinder) definitions(list *html.Node) {
	var group []*unit
	parents := []*html.Node{list}
	wrapped := false
	for _, c := range childElements(list) {
		if c.DataAtom == atom.Div {
			parents, wrapped = append(parents, c), true
		}
	}
	values := map[*unit]*html.Node{}
	for _, p := range parents {
		var u *unit
		for _, c := range childElements(p) {
			switch {
			case c.DataAtom == atom.Dt && letters(shown(c)) >= 2:
				u = &unit{nodes: []*html.Node{c}, named: c, key: fold(shown(c))}
				group = append(group, u)
			case c.DataAtom == atom.Dd && u != nil:
				if u.nodes = append(u.nodes, c); values[u] == nil {
					values[u] = c
				}
			}
		}
		if wrapped && u != nil && p != list {
			u.nodes = []*html.Node{p}
		}
	}
	if len(group) < 2 || wrapped && len(group) != len(parents)-1 {
		return
	}
	for _, u := range group {
		if v := values[u]; v != nil && hasLetterOrDigit(shown(v)) && len(shown(v)) <= 300 {
			f.add("dd", "dd", v, u, group)
		}
	}
}

// labels finds the values beside labels among the children of an element.
func (f *elementFinder) labels(parent *html.Node) {
	var group []*unit
	values := map[*unit]*html.Node{}
	for _, c := range childElements(parent) {
		switch c.DataAtom {
		case atom.P, atom.Div, atom.Li, atom.Span:
		default:
			continue
		}
		if isFurniture(c) {
			continue
		}
		if value, label, key := labelled(c); value != nil && (len(group) == 0 || group[0].nodes[0].Data == c.Data) {
			u := &unit{nodes: []*html.Node{c}, named: label, key: fold(key)}
			group, values[u] = append(group, u), value
		}
	}
	for _, u := range group {
		f.add("value beside a label", "label", values[u], u, group)
	}
}

// labelled returns the element that shows a value beside a label. The label is nil if it is in the same text as the
// value.
func labelled(n *html.Node) (value, label *html.Node, key string) {
	const longest, longestLabel = 120, 32
	if len(shown(n)) > longest {
		return nil, nil, ""
	}
	parts := filledChildren(n)
	if len(parts) == 1 && parts[0].Type == html.TextNode {
		m := labelText.FindStringSubmatch(parts[0].Data)
		if m != nil && letters(m[1]) >= 2 && !strings.HasPrefix(m[2], "//") {
			return n, nil, m[1]
		}
		return nil, nil, ""
	}
	if len(parts) != 2 || parts[0].Type != html.ElementNode || !isLeaf(parts[0]) {
		return nil, nil, ""
	}
	label = parts[0]
	key = strings.TrimRight(shown(label), " :：")
	rest := shown(parts[1])
	colon := key != shown(label) || strings.HasPrefix(rest, ":")
	marked := label.DataAtom == atom.B || label.DataAtom == atom.Strong || label.DataAtom == atom.Label ||
		labelName.MatchString(attribute(label, "class"))
	if !colon && (!marked || parts[1].Type == html.TextNode) || letters(key) < 2 || len(key) > longestLabel ||
		!hasLetterOrDigit(rest) || headingTag[label.DataAtom] > 0 || label.DataAtom == atom.A {
		return nil, nil, ""
	}
	if parts[1].Type == html.ElementNode && isLeaf(parts[1]) {
		return parts[1], label, key
	}
	return n, label, key
}

// sections finds the paragraphs that follow a heading at once, among the children of an element.
func (f *elementFinder) sections(parent *html.Node) {
	var group []*unit
	var u *unit
	level := 0
	values := map[*unit]*html.Node{}
	for _, c := range childElements(parent) {
		switch at := headingTag[c.DataAtom]; {
		case at > 1 && (level == 0 || at == level):
			level = at
			u = &unit{nodes: []*html.Node{c}, named: c, key: fold(shown(c))}
			group = append(group, u)
		case at > 0 && at < level:
			u = nil
		case u != nil:
			if u.nodes = append(u.nodes, c); len(u.nodes) == 2 && c.DataAtom == atom.P {
				values[u] = c
			}
		}
	}
	for _, u := range group {
		if p := values[u]; p != nil && len(shown(p)) >= 20 && letters(u.key) >= 2 && f.prose[fold(shown(p))] == 1 {
			f.add("paragraph of a heading", "heading", p, u, group)
		}
	}
}

func (f *elementFinder) paragraphs(parent *html.Node) {
	const least = 80
	var group []*unit
	afterHeading := false
	var candidates []*unit
	for _, c := range childElements(parent) {
		if c.DataAtom == atom.P && len(shown(c)) >= least {
			u := &unit{nodes: []*html.Node{c}}
			group = append(group, u)
			if !afterHeading && f.prose[fold(shown(c))] == 1 {
				candidates = append(candidates, u)
			}
		}
		afterHeading = headingTag[c.DataAtom] > 0
	}
	if len(group) < 3 {
		return
	}
	for _, u := range candidates {
		f.add("prose", "prose", u.nodes[0], u, group)
	}
}
