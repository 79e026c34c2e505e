package blocks

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// noteRef returns the label of the footnote to which a link refers, in the form of GitHub Flavored Markdown. It
// returns "" for any other link.
func noteRef(n *html.Node) string {
	if n.DataAtom != atom.A {
		return ""
	}
	href := strings.ToLower(dom.Attr(n, "href"))
	_, target, _ := strings.Cut(href, "#")
	if dom.Attr(n, "role") != "doc-noteref" && !dom.HasAttr(n, "data-footnote-ref") &&
		!dom.HasName(noteRefNames, dom.Attr(n, "class")) && !(href != "" && href[0] == '#' && isNoteID(target)) {
		return ""
	}
	return noteLabel(n)
}

// noteLabel returns the label in an element, as in "[^1]". It returns "" if the element is empty or contains more
// than a few characters.
func noteLabel(n *html.Node) string {
	const longest, most = 8, 8 // longest is in bytes, most is a number of nodes
	label, nodes := "", 0
	for c := range n.Descendants() {
		if nodes++; nodes > most {
			return ""
		}
		if c.Type == html.TextNode {
			label += dom.Clip(c.Data, 2*longest)
		}
	}
	label = strings.Trim(strings.TrimSpace(label), "[]()")
	if label == "" || len(label) > longest || strings.ContainsAny(label, " ↩^") {
		return ""
	}
	return "[^" + label + "]"
}

// noteLabelOf returns the label at the beginning of a Sphinx footnote, as in "[^1]: ", or "" for other elements.
func noteLabelOf(n *html.Node) string {
	if n.DataAtom != atom.Span || dom.Attr(n, "class") != "label" || !dom.HasName(footnote, dom.Attr(n.Parent, "class")) {
		return ""
	}
	if label := noteLabel(n); label != "" {
		return label + ": "
	}
	return ""
}

var footnote = dom.WordSet("footnote")

var noteRefNames = dom.WordSet("footnote-ref footnote-reference")

// isNoteID reports whether id has a form that common programs give to the ids of footnotes.
func isNoteID(id string) bool {
	for _, prefix := range [...]string{"fn:", "fn-", "fn1", "user-content-fn-", "footnote-", "footnote_", "cite_note"} {
		if strings.HasPrefix(id, prefix) {
			return true
		}
	}
	return false
}

// isBackRef reports whether a link leads from a footnote back to its reference. A heading or a term may also link
// back, to the table of contents or to a use of the term; such a link is text.
func isBackRef(n *html.Node) bool {
	return n.DataAtom == atom.A && leadsBack(n) && !isHeadingLink(n)
}

func leadsBack(n *html.Node) bool {
	return dom.Attr(n, "role") == "doc-backlink" || dom.HasAttr(n, "data-footnote-backref") ||
		dom.HasName(backRefNames, dom.Attr(n, "class"))
}

// isHeadingLink reports whether a link is in a heading or a term, or holds a heading.
func isHeadingLink(n *html.Node) bool {
	const near = 4 // levels or nodes to examine
	for i, up := 0, n.Parent; i < near && up != nil; i, up = i+1, up.Parent {
		if dom.IsHeading(up.DataAtom) || up.DataAtom == atom.Dt {
			return true
		}
	}
	nodes := 0
	for c := range n.Descendants() {
		if dom.IsHeading(c.DataAtom) {
			return true
		}
		if nodes++; nodes > near {
			break
		}
	}
	return false
}

var backRefNames = dom.WordSet("footnote-backref footnote-back reversefootnote data-footnote-backref")

// isNotes reports whether the items of a list are footnotes.
func isNotes(list *html.Node) bool {
	item := dom.Child(list, atom.Li)
	return list.DataAtom == atom.Ol && item != nil && isNoteID(strings.ToLower(dom.Attr(item, "id")))
}

// task returns "[x] " or "[ ] " for an item of a task list. It returns "" for an item that has no checkbox, or whose
// checkbox belongs to a form.
func task(item *html.Node) string {
	const near = 4 // number of nodes to examine
	n := item.FirstChild
	for i := 0; n != nil && i < near; i++ {
		switch {
		case n.DataAtom == atom.Input && strings.EqualFold(dom.Attr(n, "type"), "checkbox"):
			if !dom.HasAttr(n, "disabled") && !dom.HasName(taskNames, dom.Attr(item, "class")) {
				return ""
			}
			if dom.HasAttr(n, "checked") {
				return "[x] "
			}
			return "[ ] "
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) == "":
			n = n.NextSibling
		case n.DataAtom == atom.P || n.DataAtom == atom.Label || n.DataAtom == atom.Span:
			n = n.FirstChild
		default:
			return ""
		}
	}
	return ""
}

var taskNames = dom.WordSet("task-list-item")

// definitions adds a definition list: each term on a line, followed by its meanings on lines that begin with ": ". If
// the list holds more than text, its elements are added one by one.
func (b *builder) definitions(n *html.Node) {
	defer func(outer string) { b.term = outer }(b.term)
	if b.holdsBlocks(n, atom.Table) || b.quotes > 0 {
		b.plain(n)
		return
	}
	var out strings.Builder
	meant := b.definitionsInto(&out, n)
	if !meant {
		b.plain(n)
		return
	}
	b.add(extract.Block{
		Kind: extract.List, Text: strings.TrimRight(out.String(), "\n"), Anchor: b.anchors.ofTerm(firstTerm(n)),
	})
}

// firstTerm returns the first term below n.
func firstTerm(n *html.Node) *html.Node {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Dt {
			return d
		}
	}
	return nil
}

// definitionsInto writes the terms and meanings below n, and reports whether it wrote a meaning.
func (b *builder) definitionsInto(out *strings.Builder, n *html.Node) (meant bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || b.skips(c) {
			continue
		}
		prefix := ""
		switch c.DataAtom {
		case atom.Dd:
			prefix, meant = ": ", true
		case atom.Dt:
		default: // a div may hold a term and its meanings
			meant = b.definitionsInto(out, c) || meant
			continue
		}
		if text := strings.ReplaceAll(b.inline(c), "\n", " "); text != "" {
			out.WriteString(prefix + text + "\n")
		}
	}
	return meant
}
