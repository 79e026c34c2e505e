package blocks

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// numbering numbers the items of an ordered list as browsers do (HTML standard §4.4.5 and §4.4.8).
type numbering struct {
	list   *html.Node
	next   int
	step   int
	style  byte // the type attribute: 'a', 'A', 'i', 'I' or '1'
	stated bool // the page states a number, the first number or a style; otherwise browsers count from 1
}

// numberingOf returns the numbering of a list, or nil if the list has no numbers.
func numberingOf(list *html.Node) *numbering {
	if list.DataAtom != atom.Ol {
		return nil
	}
	nb := numbering{list: list, next: 1, step: 1, style: styleOf(list)}
	if dom.HasAttr(list, "reversed") {
		nb.step, nb.next, nb.stated = -1, 0, true
	}
	for c := list.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Li {
			continue
		}
		if nb.step < 0 && !dom.Unseen(c) {
			nb.next++
		}
		_, valued := integer(dom.Attr(c, "value"))
		nb.stated = nb.stated || valued
	}
	if start, given := integer(dom.Attr(list, "start")); given {
		nb.stated = nb.stated || start != 1
		nb.next = start
	}
	nb.stated = nb.stated || nb.style != '1'
	return &nb
}

// styleOf returns the style of a list's numbers, from its type attribute or its style.
func styleOf(list *html.Node) byte {
	style := dom.Attr(list, "style")
	for _, known := range [...]struct {
		name string
		is   byte
	}{{"lower-alpha", 'a'}, {"lower-latin", 'a'}, {"upper-alpha", 'A'}, {"upper-latin", 'A'}, {"lower-roman", 'i'},
		{"upper-roman", 'I'}} {
		if style != "" && strings.Contains(style, known.name) {
			return known.is
		}
	}
	switch name := strings.TrimSpace(dom.Attr(list, "type")); name {
	case "a", "A", "i", "I":
		return name[0]
	}
	return '1'
}

// integer parses an integer as the HTML standard parses attributes: it ignores the text after the integer.
func integer(text string) (n int, ok bool) {
	text = strings.TrimLeft(text, " \t\n\f\r")
	end := 0
	for end < len(text) && (isDigit(text[end]) || end == 0 && strings.IndexByte("+-", text[0]) >= 0) {
		end++
	}
	const longest = 9 // digits
	if n, err := strconv.Atoi(text[:min(end, longest)]); err == nil {
		return n, true
	}
	return 0, false
}

// of returns the number of the next item, as in "3. ".
func (nb *numbering) of(item *html.Node) string {
	if value, given := integer(dom.Attr(item, "value")); given && item.DataAtom == atom.Li {
		nb.next = value
	}
	n := nb.next
	nb.next += nb.step
	return written(n, nb.style) + ". "
}

// written writes a number in the given style. Numbers that the style cannot express are written in digits.
func written(n int, style byte) string {
	const mostRoman = 3999
	text := ""
	switch {
	case style|0x20 == 'a' && n > 0:
		for ; n > 0; n = (n - 1) / 26 {
			text = string(rune('a'+(n-1)%26)) + text
		}
	case style|0x20 == 'i' && n > 0 && n <= mostRoman:
		for _, r := range roman {
			for ; n >= r.value; n -= r.value {
				text += r.letters
			}
		}
	default:
		return strconv.Itoa(n)
	}
	if style < 'a' {
		return strings.ToUpper(text)
	}
	return text
}

var roman = []struct {
	value   int
	letters string
}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"},
	{9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}}

// itemByItem adds the items of a list one by one, for a list whose items hold more than text. Items have numbers if
// they hold code or if the page states the numbers.
func (b *builder) itemByItem(n *html.Node) {
	defer func(outer *numbering) { b.items = outer }(b.items)
	b.items = numberingOf(n)
	holdsCode := func() bool { return dom.Holds(n, func(c *html.Node) bool { return dom.IsCode(c.DataAtom) }) }
	if b.items != nil && !b.items.stated && !holdsCode() {
		b.items = nil
	}
	b.children(n)
	b.flush()
}

// item adds an item of a list that is added item by item.
func (b *builder) item(n *html.Node) {
	b.flush()
	if b.items != nil && n.Parent == b.items.list {
		b.number = b.items.of(n)
	}
	b.plain(n)
	b.number = ""
}

// addNumbered adds the first block of an item after the item's number. Before code and tables, the number is a block
// of its own.
func (b *builder) addNumbered(number string, block extract.Block) {
	counted := b.items != nil && !b.items.stated
	switch block.Kind {
	case extract.Paragraph:
		block.Kind, block.Text, block.Counted = extract.List, number+block.Text, counted
	case extract.Heading:
		block.Text, block.Counted = number+block.Text, counted
	default:
		b.add(extract.Block{Kind: extract.List, Text: strings.TrimSuffix(number, " "), Counted: counted})
	}
	b.add(block)
}
