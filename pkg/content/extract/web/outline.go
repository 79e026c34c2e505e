package web

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/data"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Outline is what a web page or JSON is made of: its names, which are classes and ids or the names of values, and its
// lines. It tells the part that a selector finds from what is around it.
type Outline struct {
	Names  map[string]bool // all of them
	Around map[string]bool // those outside the part
	Lines  []OutlineLine
	// Pairs are the types of elements with the types of their parents, for pages with hardly any names.
	Pairs map[string]bool
	JSON  bool
}

// OutlineLine is a line of an [Outline].
type OutlineLine struct {
	Text   string
	Around string   // what of the line is outside the part
	Names  []string // of the nearest element around its first text that has some, if it is near
}

const (
	maxNames   = 12     // names of an element, and of a line
	maxOutline = 50_000 // names, and lines
)

// OutlineOf returns the outline of a web page or of JSON. The result ok is false if it is neither, or cannot be parsed,
// or the selector cannot be applied.
func OutlineOf(body []byte, contentType, baseURL string, sel Selector) (out Outline, ok bool) {
	out = Outline{Names: map[string]bool{}, Around: map[string]bool{}, Pairs: map[string]bool{}}
	if root, isJSON := Values(body, contentType, baseURL); isJSON {
		values, found := sel.(data.ValueSelector)
		if !found {
			return out, false
		}
		wanted, _, err := values.SelectValues(root)
		part := map[*jsonpath.Node]bool{}
		for _, n := range wanted {
			part[n] = true
		}
		out.JSON = true
		out.json(root, "$", false, part)
		return out, err == nil
	}
	root, _, err := SelectorTree(body, contentType, baseURL, extract.Limits{})
	if root == nil || err != nil {
		return out, false
	}
	ok = out.page(root, sel)
	return out, ok
}

// Outline returns the outline of the document; it changes the tree.
func (w *Written) Outline(sel Selector) (out Outline, ok bool) {
	out = Outline{Names: map[string]bool{}, Around: map[string]bool{}, Pairs: map[string]bool{}}
	ok = out.page(w.Root, sel)
	return out, ok
}

// page adds the lines of a page; it returns false if the selector cannot be applied.
func (out *Outline) page(root *html.Node, sel Selector) bool {
	roots, err := sel.Select(root)
	if err != nil {
		return false
	}
	o := outliner{Outline: out, part: map[*html.Node]bool{}}
	for _, n := range roots {
		o.part[n] = true
	}
	o.walk(root, false)
	o.end()
	return true
}

// outliner collects the lines of a page.
type outliner struct {
	*Outline
	part         map[*html.Node]bool
	text, around strings.Builder // of the present line
	names        []string        // those of the line, and how far its first text is from them
	level        int
}

func (o *outliner) walk(n *html.Node, inPart bool) {
	switch n.Type {
	case html.TextNode:
		o.write(n, inPart)
		return
	case html.ElementNode:
	default:
		for c := range n.ChildNodes() {
			o.walk(c, inPart)
		}
		return
	}
	inPart = inPart || o.part[n]
	o.note(namesOf(n), inPart)
	if !inPart && n.Parent != nil && len(o.Pairs) < maxOutline {
		o.Pairs[n.Parent.Data+">"+n.Data] = true
	}
	if dom.Unseen(n) && n.DataAtom != atom.Head {
		return
	}
	apart := dom.IsBlock(n.DataAtom) || n.DataAtom == atom.Br || n.DataAtom == atom.Td || n.DataAtom == atom.Th
	if apart {
		o.end()
	}
	for c := range n.ChildNodes() {
		o.walk(c, inPart)
	}
	if apart {
		o.end()
	}
}

// note adds names of an element.
func (out *Outline) note(names []string, inPart bool) {
	for _, name := range names {
		if len(out.Names) >= maxOutline {
			return
		}
		if out.Names[name] = true; !inPart {
			out.Around[name] = true
		}
	}
}

func (o *outliner) write(n *html.Node, inPart bool) {
	if o.text.WriteString(n.Data); !inPart {
		o.around.WriteString(n.Data)
	}
	const levels = 2
	for p := n.Parent; o.names == nil && p != nil && strings.TrimSpace(n.Data) != "" && o.level < levels; p = p.Parent {
		o.names = namesOf(p)
		o.level++
	}
}

// end ends a line.
func (o *outliner) end() {
	line := OutlineLine{Text: dom.Fold(o.text.String()), Around: dom.Fold(o.around.String()), Names: o.names}
	o.text.Reset()
	o.around.Reset()
	if o.names, o.level = nil, 0; line.Text != "" && len(o.Lines) < maxOutline {
		o.Lines = append(o.Lines, line)
	}
}

// namesOf returns the classes and the id of an element, at most the first [maxNames] classes.
func namesOf(n *html.Node) (names []string) {
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		if names = append(names, "."+stemOf(class)); len(names) == maxNames {
			break
		}
	}
	if id := strings.TrimSpace(dom.Attr(n, "id")); id != "" {
		names = append(names, "#"+stemOf(id))
	}
	return names
}

// wordsOfName finds a part of a name that people write: small letters, or words of which each begins with a capital.
var wordsOfName = regexp.MustCompile(`^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]+)*$`)

// stemOf returns a name without what programs add to it, which is another when the page is built again.
func stemOf(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	switch {
	case len(parts) > 2 && parts[0] == "css": // Emotion: css-HASH-LABEL
		parts = append(parts[:1], parts[len(parts)-1])
	case len(parts) > 1 && (parts[0] == "css" || parts[0] == "sc"): // Styled Components: sc-HASH
		parts = parts[:1]
	}
	stem := parts[:0]
	for _, p := range parts {
		if wordsOfName.MatchString(p) {
			stem = append(stem, p)
		}
	}
	return strings.Join(stem, "-")
}

// json adds a value of JSON, whose name is its path without the numbers of items.
func (out *Outline) json(n *jsonpath.Node, path string, inPart bool, part map[*jsonpath.Node]bool) {
	if part[n] {
		inPart = true
	}
	if out.note([]string{path}, inPart); len(n.Kids) == 0 && len(out.Lines) < maxOutline {
		if line := (OutlineLine{Text: path + ": " + n.Text, Names: []string{path}}); n.Text != "" {
			if !inPart {
				line.Around = line.Text
			}
			out.Lines = append(out.Lines, line)
		}
	}
	for _, kid := range n.Kids {
		below := path + "[]"
		if kid.Name != "" {
			below = path + "." + kid.Name
		}
		out.json(kid, below, inPart, part)
	}
}
