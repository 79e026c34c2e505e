package selector

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Names returns the names that a page gives to an element, as it shows them, the best first:
//   - The name of a row is its key cell: its first th, or else its first td that has text. The name of another
//     cell of the row is that of the row.
//   - The name of a dd is its dt.
//   - The name of a heading, a link, a button or another label is its text. A link of several lines has the names of
//     another element, too.
//   - The name of another element is its caption or the heading at its beginning; of an entry, such as an li, an
//     article or one of several siblings of a kind, its first heading with a letter, or else the link or bold text
//     with which it begins; what labels it: its label element, aria-label, or the text beside it; the line that is
//     all its text, or of an entry the first one; that line up to a colon; and of an entry of one line, the element
//     with which it begins.
//
// A name has at most [MaxName] bytes.
func (p *Page) Names(n *html.Node) []string {
	if have, known := p.names[n]; known {
		return have
	}
	var out []string
	add := func(text string) {
		if text = strings.TrimRight(text, ": ：\u00a0"); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	switch {
	case IsRow(n):
		if key := p.keyCell(n); key != nil {
			add(p.Text(key))
		}
	case IsCell(n):
		if row := rowOf(n); row != nil {
			if key := p.keyCell(row); key != nil {
				add(p.Text(key))
			}
		}
	case n.DataAtom == atom.Dd:
		if dt := termOf(n); dt != nil {
			add(p.Text(dt))
		}
	case isLabel(n):
		if n.DataAtom == atom.A && len(p.Lines(n, 2)) > 1 { // a card
			p.namesOfOther(n, add)
		}
		add(p.Text(n))
	default:
		p.namesOfOther(n, add)
	}
	if p.names == nil {
		p.names = map[*html.Node][]string{}
	}
	p.names[n] = out
	return out
}

func (p *Page) namesOfOther(n *html.Node, add func(string)) {
	head, list := p.opening(n)
	if head != nil {
		add(p.Text(head))
	}
	if title, alone := p.title(n); title != nil && (!list || alone) && IsEntry(n) {
		if text := p.Text(title); level(title) > 0 || strings.HasPrefix(p.firstLine(n), text) {
			add(text)
		}
	}
	add(p.declared(n))
	add(p.beside(n, 0))
	if next := elementAfter(n); list || next != nil && isPair(n, next) {
		return // what it says names others
	}
	lines := p.Lines(n, 2)
	isLabel := n.DataAtom != atom.P && len(lines) == 1 && len(lines[0]) < 40 && strings.HasSuffix(lines[0], ":")
	if len(lines) == 1 && !isLabel || len(lines) > 1 && IsEntry(n) {
		add(upToColon(lines[0]))
		if len(lines) == 1 && IsEntry(n) {
			add(p.leading(n, lines[0]))
		}
		add(lines[0])
	}
}

// IsRow reports whether an element is a row of a table.
func IsRow(n *html.Node) bool { return n.DataAtom == atom.Tr || attr(n, "role") == "row" }

// IsCell reports whether an element is a cell of a row.
func IsCell(n *html.Node) bool {
	switch attr(n, "role") {
	case "cell", "gridcell", "rowheader", "columnheader":
		return true
	}
	return n.DataAtom == atom.Td || n.DataAtom == atom.Th
}

func rowOf(cell *html.Node) *html.Node {
	if up := elementAround(cell); up != nil && IsRow(up) {
		return up
	}
	return nil
}

// keyCell returns the cell that names a row; nil if there is none.
func (p *Page) keyCell(row *html.Node) (key *html.Node) {
	for c := firstElement(row); c != nil && p.steps >= 0; c = elementAfter(c) {
		if !IsCell(c) || isHidden(c) || p.firstLine(c) == "" {
			continue
		}
		if c.DataAtom == atom.Th || attr(c, "role") == "rowheader" {
			return c
		}
		if key == nil {
			key = c
		}
	}
	return key
}

// termOf returns the dt that a dd belongs to, also if they are in elements of their own; nil if there is none.
func termOf(dd *html.Node) *html.Node {
	const most = 20 // descriptions of one term
	at := dd
	for range most {
		if at = elementBefore(at); at == nil {
			return nil
		}
		if at.DataAtom == atom.Dt {
			return at
		}
	}
	return nil
}

// isLabel reports whether an element names others, or is pressed for what it says.
func isLabel(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.Button, atom.Dt, atom.Label, atom.Caption, atom.Legend, atom.Summary, atom.Figcaption, atom.Option:
		return true
	}
	return level(n) > 0
}

// level returns the level of a heading; 0 if an element is not a heading.
func level(n *html.Node) int {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return int(n.Data[1] - '0')
	}
	if attr(n, "role") != "heading" {
		return 0
	}
	if l := attr(n, "aria-level"); len(l) == 1 && l[0] >= '1' && l[0] <= '9' {
		return int(l[0] - '0')
	}
	return 2
}

// IsEntry reports whether an element is an entry of a list: an li, an article, or one of several siblings with the
// same tag and class.
func IsEntry(n *html.Node) bool {
	switch attr(n, "role") {
	case "listitem", "article", "option":
		return true
	}
	switch n.DataAtom {
	case atom.Li, atom.Article:
		return true
	case atom.Div, atom.Section, atom.A, atom.Figure, atom.Dl, atom.Details, 0:
	default:
		return false
	}
	const near = 3
	before, after := n, n
	for range near {
		if before != nil {
			before = elementBefore(before)
		}
		if after != nil {
			after = elementAfter(after)
		}
		if Alike(n, before) || Alike(n, after) {
			return true
		}
	}
	return false
}

// Alike reports whether two elements are of one kind: they have the same tag, and a class in common or neither a
// class.
func Alike(a, b *html.Node) bool {
	if a == nil || b == nil || a.Data != b.Data || attr(a, "role") != attr(b, "role") {
		return false
	}
	other := " " + strings.Join(strings.Fields(attr(b, "class")), " ") + " "
	classes := strings.Fields(attr(a, "class"))
	for _, c := range classes {
		if strings.Contains(other, " "+c+" ") {
			return true
		}
	}
	return len(classes) == 0 && other == "  "
}

// opening returns the caption of an element, or the heading with which it begins; nil if there is none. The result
// list is true if it begins with an entry or a row instead: the name of that is not its own.
func (p *Page) opening(n *html.Node) (head *html.Node, list bool) {
	switch n.DataAtom {
	case atom.Table, atom.Fieldset, atom.Details, atom.Figure:
		for c := firstElement(n); c != nil && p.steps >= 0; c = elementAfter(c) {
			p.steps--
			switch c.DataAtom {
			case atom.Caption, atom.Legend, atom.Summary, atom.Figcaption:
				return c, false
			}
		}
	}
	for c := n.FirstChild; c != nil && p.steps >= 0; c = c.NextSibling {
		p.steps--
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) == "":
		case c.Type == html.TextNode:
			return nil, false
		case c.Type != html.ElementNode || isHidden(c):
		case level(c) > 0 || c.DataAtom == atom.Legend || c.DataAtom == atom.Summary:
			return c, false
		case p.isListed(c):
			if p.firstLine(c) != "" {
				return nil, true
			}
		default:
			if head, list = p.opening(c); head != nil || list || p.firstLine(c) != "" {
				return head, list
			}
		}
	}
	return nil, false
}

// isListed reports whether an element is an entry or a row beside others: one of a list, or a large one.
func (p *Page) isListed(n *html.Node) bool {
	const list = 3
	if IsRow(n) || !IsEntry(n) {
		return IsRow(n)
	}
	like := 0
	for c := firstElement(n.Parent); c != nil && like < list && p.steps >= 0; c = elementAfter(c) {
		if p.steps--; Alike(n, c) && p.firstLine(c) != "" {
			like++
		}
	}
	return like >= list || like > 1 && (n.DataAtom == atom.Li || n.DataAtom == atom.Article || len(p.Lines(n, 2)) > 1)
}

// title returns the first heading in an entry, or else its first link or bold text; nil if there is none. It is alone
// if it is a heading, and no other one in the entry is of its level or a higher one.
func (p *Page) title(n *html.Node) (title *html.Node, alone bool) {
	const most = 500 // nodes
	var heading, other *html.Node
	seen := 0
	for d := range n.Descendants() {
		if seen++; seen > most || p.steps < 0 {
			return cmp.Or(heading, other), false
		}
		p.steps--
		switch {
		case d.Type != html.ElementNode:
		case level(d) > 0 && !strings.ContainsFunc(p.firstLine(d), unicode.IsLetter): // a number, such as a day
		case level(d) > 0 && heading == nil:
			heading = d
		case level(d) > 0 && level(d) <= level(heading):
			return heading, false
		case heading != nil || other != nil:
		case d.DataAtom == atom.A, d.DataAtom == atom.Strong, d.DataAtom == atom.B, d.DataAtom == atom.Dt,
			d.DataAtom == atom.Summary:
			if p.firstLine(d) != "" {
				other = d
			}
		}
	}
	return cmp.Or(heading, other), heading != nil
}

// declared returns the text of the attributes and elements that label an element by its id.
func (p *Page) declared(n *html.Node) string {
	if label := strings.Join(strings.Fields(attr(n, "aria-label")), " "); label != "" {
		return clip(label)
	}
	by, id := strings.Fields(attr(n, "aria-labelledby")), attr(n, "id")
	if len(by) == 0 && id == "" {
		return ""
	}
	p.readIDs()
	if len(by) > 0 && p.byID[by[0]] != nil && p.byID[by[0]] != n {
		return p.Text(p.byID[by[0]])
	}
	if label := p.labels[id]; id != "" && label != nil {
		return p.Text(label)
	}
	return ""
}

// readIDs finds the elements with an id, and the labels of others.
func (p *Page) readIDs() {
	if p.byID != nil {
		return
	}
	p.byID, p.labels = map[string]*html.Node{}, map[string]*html.Node{}
	for d := range p.root.Descendants() {
		if d.Type != html.ElementNode {
			continue
		}
		p.steps--
		if id := attr(d, "id"); id != "" && p.byID[id] == nil {
			p.byID[id] = d
		}
		if of := attr(d, "for"); d.DataAtom == atom.Label && of != "" && p.labels[of] == nil {
			p.labels[of] = d
		}
	}
}

// beside returns the text that labels an element from before it: in the same line up to a colon, or the element
// before.
func (p *Page) beside(n *html.Node, up int) string {
	const highest = 2 // elements that hold nothing but n
	text := ""
	c := n.PrevSibling
	for ; c != nil && p.steps >= 0; c = c.PrevSibling {
		p.steps--
		if c.Type == html.TextNode {
			text = c.Data + text
		} else if c.Type == html.ElementNode && !isHidden(c) {
			break
		}
		if len(text) > 2*MaxName {
			return ""
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case c != nil && level(c) > 0 && IsEntry(n) && Alike(n, elementAfter(n)):
		return "" // it is above all of them
	case strings.TrimRight(text, ": ：") == "" && c != nil:
		if text != "" || namesNext(c) || isPair(c, n) || strings.HasSuffix(p.firstLine(c), ":") {
			return p.labelText(c)
		}
	case text != "" && fold(text) != strings.ToLower(text):
		text = strings.TrimRight(text, ": ：")
		return clip(strings.TrimSpace(text[strings.LastIndexAny(text, ",;|•·.")+1:]))
	case text == "" && c == nil && up < highest:
		if around := elementAround(n); around != nil && !IsCell(around) && !IsEntry(around) && elementAfter(n) == nil {
			return p.beside(around, up+1)
		}
	}
	return ""
}

// labelText returns the text of an element that labels the next one, if it is short and has letters.
func (p *Page) labelText(n *html.Node) string {
	const longest = 80
	if text := p.Text(n); (len(text) <= longest || level(n) > 0) && strings.ContainsFunc(text, unicode.IsLetter) {
		return text
	}
	return ""
}

// namesNext reports whether an element usually labels the one behind it.
func namesNext(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Dt, atom.Th, atom.Label, atom.Strong, atom.B, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	class := strings.ToLower(attr(n, "class"))
	return slices.ContainsFunc([]string{"label", "title", "name", "key", "term"},
		func(word string) bool { return strings.Contains(class, word) })
}

// isPair reports whether two elements are all that stands in an element, a label and its value.
func isPair(a, b *html.Node) bool {
	return elementBefore(a) == nil && elementAfter(b) == nil && !IsEntry(a) && !IsEntry(b) &&
		(!Alike(a, b) || a.DataAtom == atom.Span)
}

// leading returns the text with letters of the first element in an element, which shows one line, if more follows it:
// a label of that.
func (p *Page) leading(n *html.Node, line string) string {
	for c := n.FirstChild; c != nil && p.steps >= 0; c = c.NextSibling {
		p.steps--
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return ""
		}
		if text := p.firstLine(c); c.Type == html.ElementNode && text != "" {
			if text == line {
				return p.leading(c, line)
			}
			return p.labelText(c)
		}
	}
	return ""
}

// upToColon returns the text before the first colon, if it has a letter and a blank or nothing is behind the colon.
func upToColon(line string) string {
	at := strings.IndexAny(line, ":：")
	if at < 0 || !strings.ContainsFunc(line[:at], unicode.IsLetter) {
		return ""
	}
	behind := strings.TrimPrefix(strings.TrimPrefix(line[at:], ":"), "：")
	if behind != "" && behind[0] != ' ' && line[at] == ':' {
		return ""
	}
	return line[:at]
}

// Lines returns the first lines that an element shows, at most the given number.
func (p *Page) Lines(n *html.Node, most int) (out []string) {
	p.lines(n, func(line string) bool {
		out = append(out, line)
		return len(out) < most
	})
	return out
}

// Header returns the text of the last header of a cell's column; "" if it has none, or is one.
func (p *Page) Header(cell *html.Node) string {
	g := p.gridOf(cell)
	column, known := g.at[cell]
	if !known || g.heads[cell] || column >= len(g.headers) || len(g.headers[column]) == 0 {
		return ""
	}
	head := g.headers[column][len(g.headers[column])-1]
	if head.DataAtom == atom.Td && head.Parent.Parent.DataAtom != atom.Thead && attr(head, "role") == "" {
		return "" // the first row may have values
	}
	return p.Text(head)
}

// Headings returns the texts of the headings under which an element stands, the nearest first.
func (p *Page) Headings(n *html.Node) (out []string) {
	p.readHeadings()
	for h := p.above[n]; h != nil; h = h.up {
		out = append(out, h.text)
	}
	return out
}

// Head returns the text of the caption of an element, or of the heading with which it begins; "" if it has none.
func (p *Page) Head(n *html.Node) string {
	if head, _ := p.opening(n); head != nil {
		return p.Text(head)
	}
	return ""
}

// Label returns the text that labels an element: of its dt, its label, its aria-label, or beside it; "" if there is
// none.
func (p *Page) Label(n *html.Node) string {
	if n.DataAtom == atom.Dd {
		if dt := termOf(n); dt != nil {
			return p.Text(dt)
		}
		return ""
	}
	if label := p.declared(n); label != "" || isLabel(n) {
		return label
	}
	return p.beside(n, 0)
}
