// Package data gives a text form to structured data: JSON, XML, feeds, calendars and address cards. In this form, an
// object with parts becomes a heading with the name of the object, an object in a list becomes a section, and each
// value becomes a line "name: value". Names and values keep the order of the document. So the data can be searched,
// and the difference between two versions can be read.
//
// Numbers keep all their digits, and no value is left out. The exceptions are values that change whenever a server
// makes the document, such as the time of making it; the readers of the formats name these values.
package data

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Bounds on a document.
const (
	maxNodes = 250_000 // values, beyond which the document is read as plain text
	maxDepth = 64      // levels of nesting, beyond which the document is read as plain text
)

// node is a value: a text, or a list of members. A member of an array has no name.
type node struct {
	name string
	text string        // of a value without members
	list bool          // the members are the items of an array
	kind jsonpath.Kind // of JSON
	kids []*node
	// raw is the source of an XML element with members.
	raw string
	// flat says that the members of an XML element are its attributes and its text.
	flat bool
}

// leaf returns the text of a value that has no members but attributes. The result ok is false for other values.
func (n *node) leaf() (text string, ok bool) {
	if n.isLeaf() {
		return n.text, true
	}
	if !n.flat {
		return "", false
	}
	return n.kids[len(n.kids)-1].text, n.kids[len(n.kids)-1].name == ""
}

// isLeaf reports whether a value is shown on a line.
func (n *node) isLeaf() bool { return len(n.kids) == 0 }

// Options say how a document is read.
type Options struct {
	Limits extract.Limits
	// Cut says that the text is only the beginning of a document.
	Cut bool
	// Markup returns the blocks of a piece of HTML. If it is nil, HTML is kept as written.
	Markup func(html string) []extract.Block
}

// writer adds the text form of values to a document.
type writer struct {
	out   *extract.Composer
	lines []string // lines of the list that is not added yet
	o     Options
	// prose says that elements with names such as "p" hold paragraphs, as in XML.
	prose bool
}

func newWriter(mimeType string, o Options) *writer {
	return &writer{out: extract.NewComposer(mimeType, o.Limits), o: o}
}

// document completes the document.
func (w *writer) document(titles ...string) extract.Document {
	w.flush()
	doc := w.out.Document("", titles...)
	doc.Title = extract.Title(titles...) // the first heading is not a title
	doc.Exact = true
	return doc
}

func (w *writer) flush() {
	w.out.Add(extract.Block{Kind: extract.List, Text: strings.Join(w.lines, "\n")})
	w.lines = w.lines[:0]
}

// heading begins a section.
func (w *writer) heading(level int, text string) {
	w.flush()
	w.out.Add(extract.Block{Kind: extract.Heading, Level: min(level, 6), Text: dom.Fold(text)})
}

// longLine is the length of a value, in bytes, from which it is a paragraph of its own.
const longLine = 300

// line adds a value.
func (w *writer) line(name, text string) {
	if w.o.Markup != nil && hasMarkup(text) {
		if blocks := w.o.Markup(text); len(blocks) > 0 {
			w.marked(name, blocks)
			return
		}
	}
	folded := foldLines(text)
	if len(folded) < longLine && !strings.Contains(folded, "\n") {
		w.lines = append(w.lines, "- "+label(name, folded))
		return
	}
	w.flush()
	w.out.Add(extract.Block{Kind: extract.Paragraph, Text: label(name, folded)})
}

// marked adds the text of a piece of HTML. Its headings become paragraphs, because they are not those of the
// document.
func (w *writer) marked(name string, blocks []extract.Block) {
	w.flush()
	for i, b := range blocks {
		if b.Kind == extract.Heading {
			b = extract.Block{Kind: extract.Paragraph, Text: b.Text}
		}
		if i == 0 && name != "" {
			if b.Kind == extract.Paragraph {
				b.Text = label(name, b.Text)
			} else {
				w.out.Add(extract.Block{Kind: extract.Paragraph, Text: name + ":"})
			}
		}
		w.out.Add(b)
	}
}

func label(name, text string) string {
	if name == "" {
		return text
	}
	return strings.TrimRight(dom.Fold(name)+": "+text, " ")
}

// hasMarkup reports whether a text looks like HTML.
func hasMarkup(text string) bool {
	at := strings.IndexByte(text, '<')
	return at >= 0 && (strings.Contains(text[at:], "</") || strings.Contains(text[at:], "/>") ||
		strings.Contains(strings.ToLower(text[at:]), "<br"))
}

// foldLines folds each line of a text, and drops blank lines.
func foldLines(text string) string {
	if !strings.ContainsAny(text, "\n\r") {
		return dom.Fold(text)
	}
	var f dom.Folder
	for line := range strings.Lines(text) {
		f.Write(line)
		f.Line()
	}
	return f.Peek()
}

// members adds the members of a value at a level of headings. A single value behind a section begins a section too,
// because it would otherwise seem to belong to the one before it.
func (w *writer) members(n *node, level int, path string) {
	if n.list {
		w.items(n, level, path)
		return
	}
	alike := countNames(n)
	behind := false
	for _, kid := range n.kids {
		switch {
		case !kid.isLeaf() && !kid.flat && !isShort(kid):
			name := kid.name
			if alike[kid.name] > 1 {
				name = sectionName(kid, alike[kid.name])
			}
			w.section(kid, name, level, path)
			behind = true
		case behind:
			w.heading(level, below(level, path, kid.name))
			w.value("", kid)
		case w.prose && paragraphs[strings.ToLower(kid.name)]:
			w.value("", kid)
		default:
			w.value(kid.name, kid)
		}
	}
}

// paragraphs are names of elements that say only that their text is a text.
var paragraphs = map[string]bool{"p": true, "para": true, "simpara": true, "paragraph": true, "text": true}

// value adds a value that is shown on lines.
func (w *writer) value(name string, n *node) {
	if !n.list || n.isLeaf() {
		w.inline(n, name)
		return
	}
	texts := make([]string, len(n.kids))
	for i, kid := range n.kids {
		texts[i] = dom.Fold(kid.text)
	}
	w.line(name, strings.Join(texts, ", "))
}

// inline adds a value and its members on lines, without headings.
func (w *writer) inline(n *node, path string) {
	if n.isLeaf() {
		w.line(path, n.text)
	}
	for _, kid := range n.kids {
		name := path
		if kid.name != "" {
			name = strings.TrimPrefix(path+"."+kid.name, ".")
		}
		w.inline(kid, name)
	}
}

// isShort reports whether a value is a list of texts that fits on a line.
func isShort(n *node) bool {
	size := 0
	for _, kid := range n.kids {
		if size += len(kid.text) + 2; size > longLine || !kid.isLeaf() || strings.ContainsAny(kid.text, ",\n<") {
			return false
		}
	}
	return n.list
}

// countNames returns how many members have each name.
func countNames(n *node) map[string]int {
	names := map[string]int{}
	for _, kid := range n.kids {
		names[kid.name]++
	}
	return names
}

// section adds a value with members, below a heading with its name.
func (w *writer) section(n *node, name string, level int, path string) {
	path = below(level, path, name)
	w.heading(level, path)
	if level < 6 {
		path = ""
	}
	w.members(n, level+1, path)
}

// below returns the text of a heading. From level 6 on, where there are no deeper levels of headings, it contains the
// names of the values around it.
func below(level int, path, name string) string {
	if level <= 6 || path == "" {
		return name
	}
	return path + "." + name
}

// items adds the items of an array: texts as lines, lists of texts as the rows of a table, and objects as sections.
func (w *writer) items(n *node, level int, path string) {
	if rows := tableOf(n); rows != "" {
		w.flush()
		w.out.Add(extract.Block{Kind: extract.Table, Text: rows})
		return
	}
	used, behind := map[string]int{}, false
	for i, kid := range n.kids {
		if kid.isLeaf() {
			if behind {
				w.heading(level, below(level, path, fmt.Sprint(i+1)))
			}
			w.line("", kid.text)
			continue
		}
		behind = true
		name := cmp.Or(nameOf(kid), fmt.Sprint(i+1))
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, used[name])
		}
		w.section(kid, name, level, path)
	}
}

// tableOf returns the rows of an array of arrays of texts; "" for other arrays.
func tableOf(n *node) string {
	rows := make([]string, len(n.kids))
	for i, row := range n.kids {
		if !row.list || row.isLeaf() {
			return ""
		}
		cells := make([]string, len(row.kids))
		for j, cell := range row.kids {
			if cells[j] = dom.Fold(cell.text); !cell.isLeaf() {
				return ""
			}
		}
		rows[i] = strings.Join(cells, " | ")
	}
	return strings.Join(rows, "\n")
}

// titles are the names of members that name an object, and keys those that identify it, best first.
var (
	titles = []string{"title", "name", "headline", "label", "summary", "displayname", "display_name", "fullname", "fn"}
	keys   = []string{"id", "key", "code", "slug", "sku", "uid", "loc", "url", "href", "date", "time"}
)

// longestName bounds the name of a section, in bytes.
const longestName = 120

// nameOf returns the name of an item of an array: its title, or else "key: value".
func nameOf(n *node) string {
	if title := titleOf(n); title != "" {
		return title
	}
	for _, names := range [][]string{keys, nil} {
		for _, kid := range n.kids {
			text, ok := kid.leaf()
			if text = dom.Fold(text); ok && text != "" && len(text) <= longestName && !n.list &&
				(names == nil || slices.Contains(names, strings.ToLower(kid.name))) {
				return label(kid.name, text)
			}
		}
	}
	return ""
}

// titleOf returns the title among the members of a value, or "".
func titleOf(n *node) string {
	for _, name := range titles {
		for _, kid := range n.kids {
			text, ok := kid.leaf()
			if text = dom.Fold(text); ok && strings.EqualFold(kid.name, name) && text != "" &&
				len(text) <= longestName && !hasMarkup(text) {
				return text
			}
		}
	}
	return ""
}

// sectionName returns the name of an element that has siblings of the same name.
func sectionName(n *node, alike int) string {
	if name := nameOf(n); alike > 1 && name != "" {
		return label(n.name, name)
	}
	return n.name
}

// Calendar reads a calendar (iCalendar, RFC 5545) or address cards (vCard, RFC 6350). Events, tasks and cards are
// sections. The property DTSTAMP is not shown, because servers set it whenever they make the document. The result ok
// is false for another text.
func Calendar(text string, mimeType string, o Options) (doc extract.Document, ok bool) {
	root, left := &node{}, maxNodes
	open := []*node{root}
	for line := range strings.SplitSeq(unfold.ReplaceAllString(text, ""), "\n") {
		name, params, value, found := property(strings.TrimRight(line, "\r"))
		top := open[len(open)-1]
		if left--; left < 0 || len(open) > maxDepth {
			return doc, false
		}
		switch {
		case !found:
		case name == "begin":
			n := &node{name: strings.ToLower(value)}
			top.kids = append(top.kids, n)
			open = append(open, n)
		case name == "end" && len(open) > 1:
			open = open[:len(open)-1]
		case name != "dtstamp":
			top.kids = append(top.kids, &node{name: name + params, text: unescape.Replace(readable(value))})
		}
	}
	if len(root.kids) == 0 || root.kids[0].isLeaf() {
		return doc, false
	}
	if len(root.kids) == 1 {
		root = root.kids[0]
	}
	w := newWriter(mimeType, o)
	w.members(root, 1, "")
	title := titleOf(root)
	for _, kid := range root.kids {
		if kid.name == "x-wr-calname" {
			title = kid.text
		}
	}
	return w.document(title), true
}

// unfold matches the line breaks that divide long lines (RFC 5545 §3.1).
var unfold = regexp.MustCompile(`\r?\n[ \t]`)

// unescape replaces the escaped characters of a text (RFC 5545 §3.3.11).
var unescape = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`)

// property divides a line. The only parameter that is shown is the time zone.
func property(line string) (name, zone, value string, found bool) {
	quoted, end := false, -1
	for i := 0; i < len(line) && end < 0; i++ {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ':' && !quoted:
			end = i
		}
	}
	if end < 0 {
		return "", "", "", false
	}
	params := strings.Split(line[:end], ";")
	for _, p := range params[1:] {
		if id, found := strings.CutPrefix(strings.ToUpper(p), "TZID="); found {
			zone = " (" + p[len(p)-len(id):] + ")"
		}
	}
	return strings.ToLower(params[0]), zone, line[end+1:], true
}

// dates matches the dates of calendars.
var dates = regexp.MustCompile(`^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$`)

// readable writes a date as people do. It returns other values unchanged.
func readable(value string) string {
	m := dates.FindStringSubmatch(value)
	switch {
	case m == nil:
		return value
	case m[4] == "":
		return m[1] + "-" + m[2] + "-" + m[3]
	}
	out := m[1] + "-" + m[2] + "-" + m[3] + " " + m[4] + ":" + m[5]
	if m[6] != "00" {
		out += ":" + m[6]
	}
	return out + strings.Replace(m[7], "Z", " UTC", 1)
}
