package field

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// syntax is one of the two syntaxes for attributes. Their difference is in the names of the attributes.
type syntax struct{ scope, types, property, id string }

var (
	microdata = syntax{"itemscope", "itemtype", "itemprop", "itemid"}
	rdfa      = syntax{"typeof", "typeof", "property", "resource"}
)

// elements reads the items in the attributes of elements.
type elements struct {
	syntax
	top          []*Item
	items, props int
}

// ofElements returns the items that attributes declare. More reports whether there are more than are read.
func ofElements(root *html.Node, s syntax) (all []*Item, more bool) {
	r := elements{syntax: s}
	type open struct {
		node *html.Node
		item *Item
	}
	var around []open // the elements of the items around an element
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || len(n.Attr) == 0 || !dom.HasAttr(n, s.scope) && !dom.HasAttr(n, s.property) {
			continue
		}
		for len(around) > 0 && !isBelow(n, around[len(around)-1].node) {
			around = around[:len(around)-1]
		}
		var outer *Item
		if len(around) > 0 {
			outer = around[len(around)-1].item
		}
		if it := r.read(n, outer); it != nil && len(around) < maxDepth {
			around = append(around, open{n, it})
		}
	}
	return r.top, r.items >= maxItems || r.props > maxProps
}

func isBelow(n, of *html.Node) bool {
	const deepest = 1000
	for up, depth := n.Parent, 0; up != nil && depth < deepest; up, depth = up.Parent, depth+1 {
		if up == of {
			return true
		}
	}
	return false
}

// read reads an element in an item. It returns the item that the element begins, if any.
func (r *elements) read(n *html.Node, outer *Item) (it *Item) {
	names := itemList(dom.Attr(n, r.property))
	if dom.HasAttr(n, r.scope) && r.items < maxItems {
		r.items++
		it = &Item{Types: typesOf(itemList(dom.Attr(n, r.types))), ID: words.Clip(dom.Attr(n, r.id), maxItemText)}
		if len(names) == 0 || outer == nil {
			r.top = append(r.top, it)
		}
	}
	if outer == nil {
		return it
	}
	var v PropValue
	if it != nil {
		v.Item = it
	} else if len(names) > 0 {
		v = valueOf(n)
	}
	for _, name := range names {
		if r.props++; r.props <= maxProps && (v.Item != nil || v.Text != "") {
			outer.Props = append(outer.Props, Prop{nameOf(name), v})
		}
	}
	return it
}

// itemList returns the first words of an attribute.
func itemList(text string) []string {
	const longest, most = 500, 10
	all := strings.Fields(text[:min(len(text), longest)])
	return all[:min(len(all), most)]
}

// valueOf returns the value of a property: an attribute for programs, or else the text for people.
func valueOf(n *html.Node) PropValue {
	keys := []string{"content", "datetime"}
	switch n.DataAtom {
	case atom.A, atom.Area, atom.Link:
		keys = append(keys, "href", "resource")
	case atom.Img, atom.Audio, atom.Video, atom.Source, atom.Iframe, atom.Embed:
		keys = append(keys, "src")
	case atom.Data, atom.Meter, atom.Input:
		keys = append(keys, "value")
	}
	for _, key := range keys {
		if v := strings.TrimSpace(dom.Attr(n, key)); v != "" {
			return PropValue{Text: words.Clip(v, maxItemText)}
		}
	}
	return PropValue{Text: itemText(n, false), People: true}
}

// itemText returns the text of an element in one line, as people read it: no text of scripts, a space between blocks,
// the decimals in a sup element behind a sign. Without struck text, if that is not wanted. A longer text is cut.
func itemText(n *html.Node, struck bool) string {
	var t texter
	t.write(n, struck, 0)
	return dom.Fold(t.out.String())
}

// texter collects a text.
type texter struct {
	out   strings.Builder
	nodes int
	space bool // a border lies before the next text
}

// Bounds of a text: its bytes, and the nodes that are read for it.
const (
	maxWritten = 2500
	maxNodes   = 400
)

func (t *texter) write(n *html.Node, struck bool, depth int) {
	if t.nodes++; t.nodes > maxNodes || t.out.Len() > maxWritten || depth > maxNodes {
		return
	}
	if n.Type == html.TextNode {
		t.text(n.Data)
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript:
		return
	case atom.Sup:
		if decimals := centsOf(n, t.out.String()); decimals != "" && !t.space {
			t.out.WriteString(decimals)
			return
		}
	}
	if !struck && isStruck(n) {
		t.space = true
		return
	}
	border := isBlock(n.DataAtom)
	t.space = t.space || border
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.write(c, struck, depth+1)
	}
	t.space = t.space || border
}

// text writes a text. Digits of two elements do not become one number.
func (t *texter) text(text string) {
	text = text[:min(len(text), maxWritten)]
	if strings.TrimSpace(text) == "" {
		t.space = t.space || text != ""
		return
	}
	before := t.out.String()
	if t.space || before != "" && isDigit(before[len(before)-1]) && isDigit(text[0]) {
		t.out.WriteByte(' ')
	}
	t.space = false
	t.out.WriteString(strings.ToValidUTF8(text, ""))
}

// centsOf returns the two digits of a sup element behind a sign, as decimals of the digits at the end of the text
// before it; "" if they are not.
func centsOf(sup *html.Node, before string) string {
	const window = 40
	text := strings.TrimSpace(dom.RawText(sup))
	before = strings.TrimRight(before[max(0, len(before)-window):], " \n\t")
	if len(text) != 2 || !isDigit(text[0]) || !isDigit(text[1]) || before == "" || !isDigit(before[len(before)-1]) {
		return ""
	}
	other := func(r rune) bool { return !strings.ContainsRune("0123456789.,", r) }
	number := before[strings.LastIndexFunc(before, other)+1:]
	if strings.Contains(number, ".") {
		return "," + text
	}
	return "." + text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isBlock reports whether the text of an element stands on lines of its own.
func isBlock(name atom.Atom) bool { return blocks[name] }

var blocks = func() map[atom.Atom]bool {
	all := map[atom.Atom]bool{}
	for _, a := range []atom.Atom{atom.Div, atom.P, atom.Li, atom.Ul, atom.Ol, atom.Td, atom.Th, atom.Tr, atom.Table,
		atom.Br,
		atom.Dd, atom.Dt, atom.Dl, atom.Section, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Label,
		atom.Button} {
		all[a] = true
	}
	return all
}()
