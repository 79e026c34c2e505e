// Package naming says what a part of a page is of: the headings above it, the key of a value of JSON or XML, the event
// of a calendar, the entry of a feed, the item and the term of a list, the row and the column of a table. The same
// blocks always have the same names. A name is found in constant time, but for the lines of its own block.
package naming

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// The bounds of names: their number, and the bytes of each.
const (
	maxNames = 3
	maxName  = 60
)

// Names has the names of the lines of a text. The text is the [extract.Join] of blocks.
type Names struct {
	blocks []extract.Block
	title  string
	first  []int // the line with which each block begins
	above  []int // the heading above each block, which is of a higher level; -1 if there is none
}

// Of returns the names of the lines of blocks. The title of the page is no name, because it says nothing that readers
// do not know.
func Of(blocks []extract.Block, title string) *Names {
	n := &Names{blocks: blocks, title: folded(title), first: make([]int, len(blocks)), above: make([]int, len(blocks))}
	var open []int // headings
	line := 0
	for i, b := range blocks {
		n.first[i] = line
		line += strings.Count(b.Text+extract.Separator, "\n")
		if i > 0 && b.Zone != blocks[i-1].Zone {
			open = nil
		}
		for b.Kind == extract.Heading && len(open) > 0 && blocks[open[len(open)-1]].Level >= b.Level {
			open = open[:len(open)-1]
		}
		if n.above[i] = -1; len(open) > 0 {
			n.above[i] = open[len(open)-1]
		}
		if b.Kind == extract.Heading {
			open = append(open, i)
		}
	}
	return n
}

// Line names the bytes [from, to) of a line, which is given by its index in the text. The nearest name is the last.
// There are at most three names of at most 60 bytes, and none in a line that differs as a whole from its beginning on.
func (n *Names) Line(line, from, to int) []string {
	i, lines, at := n.find(line)
	if lines == nil {
		return nil
	}
	names := n.headings(i)
	switch n.blocks[i].Kind {
	case extract.Heading:
	case extract.Table:
		names = append(names, cellOf(lines, at, from, to)...)
	default:
		if !isShort(lines[at]) || len(lines) > 1 {
			names = append(names, around(lines, at)...)
		} else if name := n.before(i); name != "" {
			names = append(names, name)
		}
		names = append(names, labelOf(lines[at], from))
	}
	return n.bounded(names)
}

// find returns the block of a line, its lines, and the index of the line among them; no lines for a line between two
// blocks.
func (n *Names) find(line int) (block int, lines []string, at int) {
	if block = sort.SearchInts(n.first, line+1) - 1; block < 0 {
		return 0, nil, 0
	}
	at, lines = line-n.first[block], strings.Split(n.blocks[block].Text, "\n")
	if at >= len(lines) {
		return block, nil, 0
	}
	return block, lines, at
}

// Text returns a line, which is given by its index in the text.
func (n *Names) Text(line int) string {
	if _, lines, at := n.find(line); lines != nil {
		return lines[at]
	}
	return ""
}

// Like names a part of the first line of the text that is the same as a line of a part of the page. It returns nil if
// there is no such line.
func (n *Names) Like(line string, from, to int) []string {
	for i, b := range n.blocks {
		if line == "" || !strings.Contains(b.Text, line) {
			continue
		}
		if at := slices.Index(strings.Split(b.Text, "\n"), line); at >= 0 {
			return n.Line(n.first[i]+at, from, to)
		}
	}
	return nil
}

// bounded cleans names, drops those that say nothing, and returns the nearest.
func (n *Names) bounded(names []string) (out []string) {
	for _, name := range names {
		name = words.Ellipsis(strings.TrimRight(strings.TrimSpace(name), ":："), maxName)
		if name != "" && folded(name) != n.title && (len(out) == 0 || out[len(out)-1] != name) {
			out = append(out, name)
		}
	}
	return out[max(0, len(out)-maxNames):]
}

// headings returns the two headings above a block, the nearest last.
func (n *Names) headings(i int) (out []string) {
	for at := n.above[i]; at >= 0 && len(out) < 2; at = n.above[at] {
		h := n.blocks[at]
		text := folded(h.Text)
		if h.Level == 1 && n.title != "" && (strings.Contains(n.title, text) || strings.Contains(text, n.title)) {
			continue // the heading of the page
		}
		out = slices.Insert(out, 0, n.component(at))
	}
	return out
}

// component returns the text of a heading. Of a part of a calendar, that is what sums it up.
func (n *Names) component(at int) string {
	kind, rest, named := strings.Cut(n.blocks[at].Text, ": ")
	switch {
	case !slices.Contains([]string{"vevent", "vtodo", "vjournal", "vcard"}, kind):
		return n.blocks[at].Text
	case named:
		return rest
	case at+1 < len(n.blocks):
		for line := range strings.SplitSeq(n.blocks[at+1].Text, "\n") {
			for _, mark := range []string{"- summary: ", "- fn: "} {
				if text, found := strings.CutPrefix(line, mark); found {
					return text
				}
			}
		}
	}
	return kind
}

// before returns the short line before a block that is a value alone, such as "6 EUR" in a card: the first one that is
// no such value itself. It returns "" if a heading stands there, which names the block already.
func (n *Names) before(i int) string {
	const most = 3 // values of a card
	for at := i - 1; at >= max(0, i-most); at-- {
		b := n.blocks[at]
		if b.Zone != n.blocks[i].Zone || b.Kind != extract.Paragraph || !isShort(b.Text) {
			return ""
		}
		if !strings.ContainsFunc(b.Text, unicode.IsDigit) {
			return b.Text
		}
	}
	return ""
}

// isShort reports whether a line is a name or a value, and no sentence.
func isShort(line string) bool {
	const most = 4 // words
	return len(line) <= maxName && len(strings.Fields(line)) <= most &&
		!strings.HasSuffix(line, ".") && !strings.ContainsAny(line, "\n!?。")
}

// around returns the items of a list in which a line stands, the nearest last. What explains a term stands in it.
func around(lines []string, at int) (out []string) {
	depth := indent(lines[at])
	meaning := strings.HasPrefix(lines[at][depth:], ": ")
	for i := at - 1; i >= 0 && (depth > 0 || meaning) && len(out) < 2; i-- {
		line := lines[i]
		switch d := indent(line); {
		case meaning && d == depth && !strings.HasPrefix(line[d:], ": "):
			meaning = false
		case d < depth && (extract.Bullet(line) != "" || strings.HasSuffix(line, ":")):
			depth = d
		default:
			continue
		}
		out = slices.Insert(out, 0, item(line))
	}
	return out
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// item returns the text of a line of a list without its sign, and of a member called name without that word.
func item(line string) string {
	text := strings.TrimPrefix(line[len(extract.Bullet(line)):], "name: ")
	return strings.TrimPrefix(text, "title: ")
}

// labelOf returns what a line says before a colon, if what differs comes after it.
func labelOf(line string, from int) string {
	const most = 6 // words
	begin := len(extract.Bullet(line))
	if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, ": ") {
		begin = len(line) - len(rest) + len(": ")
	}
	end, size := strings.Index(line[begin:], ": "), len(": ")
	if wide := strings.Index(line[begin:], "："); wide >= 0 && (end < 0 || wide < end) {
		end, size = wide, len("：")
	}
	if end <= 0 || begin+end+size > from {
		return ""
	}
	label := line[begin : begin+end]
	if len(label) > maxName || len(strings.Fields(label)) > most || strings.Contains(label, ". ") {
		return ""
	}
	return propertyName(label)
}

// propertyName returns the name of a property of a calendar as people say it, and other names as they are.
func propertyName(label string) string {
	name, _, _ := strings.Cut(label, " ")
	switch name {
	case "dtstart":
		return "start"
	case "dtend":
		return "end"
	}
	return label
}

func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
