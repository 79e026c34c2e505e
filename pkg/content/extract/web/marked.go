package web

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
)

// Span is a part of a line, from one byte to another.
type Span struct{ From, To int }

// The signs around wanted text while a page is read. They are no characters (Unicode §23.7), so pages do not have them.
const (
	beginSign = "\ufdd0"
	endSign   = "\ufdd1"
)

// Marked returns, for each line of the text of an HTML page, the parts that are of the elements that a selector wants.
// It reads the page as [Extract] does, with signs around the text of these elements, and returns the text without the
// signs, so that callers can see that it is the text that they know. It returns read = false if the document is not an
// HTML page, cannot be parsed, or has lost some of the signs.
func Marked(body []byte, contentType, baseURL string, sel Selector) (text string, wanted [][]Span, read bool) {
	base, err := pageBase(baseURL)
	if err != nil {
		return "", nil, false
	}
	p := page{body: body, contentType: contentType, base: base, limits: extract.Limits{}.WithDefaults()}
	if !IsHTML(mediaType(contentType, body, base.Path)) {
		return "", nil, false
	}
	if len(p.body) > p.limits.MaxBytes {
		p.body = p.body[:p.limits.MaxBytes]
	}
	content, _ := decode(p.body, p.contentType, true)
	signed, read := signedText(p, content, sel)
	if !read {
		return "", nil, false
	}
	return unsigned(signed)
}

// signedText reads a page with signs around the text that is wanted.
func signedText(p page, content []byte, sel Selector) (text string, read bool) {
	defer func() { // recovers for the same reason as [structured]
		if recover() != nil {
			text, read = "", false
		}
	}()
	root := tree.Parse(content, p.limits.MaxTags)
	if root == nil || !tree.ShowStreamed(root) {
		return "", false
	}
	failed := false
	doc := assemble(p, root, jsonld.Of(root).Objects, func(s *maincontent.Survey) maincontent.Content {
		failed = sign(root, sel) != nil // only now, so that the signs do not change what is content
		return s.Zones()
	})
	return doc.Text, !failed
}

// sign writes signs around the text that a selector wants. The selector works on a copy of the tree, because it removes
// what is not wanted.
func sign(root *html.Node, sel Selector) error {
	original := map[*html.Node]*html.Node{}
	clone := copied(root, original)
	found, err := sel.Select(clone)
	if err != nil {
		return err
	}
	if !sel.Narrow() {
		found = []*html.Node{clone}
	}
	for _, n := range found {
		signNode(original[n])
		for d := range n.Descendants() {
			signNode(original[d])
		}
	}
	return nil
}

// copied returns a copy of a tree, and notes the original of each node.
func copied(n *html.Node, original map[*html.Node]*html.Node) *html.Node {
	clone := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	original[clone] = n
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		clone.AppendChild(copied(c, original))
	}
	return clone
}

// signNode writes signs around the text of a node, or around the text that stands for a picture.
func signNode(n *html.Node) {
	if n.Type == html.TextNode {
		if n.Parent == nil || !dom.IsHeadingSign(n.Parent) { // which is not read, because of what its text is
			n.Data = signed(n.Data)
		}
		return
	}
	if n.DataAtom != atom.Img && n.DataAtom != atom.Area && n.DataAtom != atom.Input {
		return
	}
	attrs := append([]html.Attribute{}, n.Attr...) // the copy of the node has the same ones
	for i := range attrs {
		if attrs[i].Key == "alt" {
			attrs[i].Val = signed(attrs[i].Val)
		}
	}
	n.Attr = attrs
}

// signed returns a text with signs around it. Space at its ends stays outside of them.
func signed(text string) string {
	core := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || dom.IsInvisible(r) })
	if core == "" {
		return text
	}
	before, after, _ := strings.Cut(text, core)
	return before + beginSign + core + endSign + after
}

// unsigned returns a text without signs, and for each of its lines what was between them. Parts with nothing but space
// between them are one. With whole = false, some of the signs are missing.
func unsigned(signed string) (text string, all [][]Span, whole bool) {
	var lines []string
	inside := false
	for line := range strings.SplitSeq(signed, "\n") {
		var out strings.Builder
		var spans []Span
		from := 0
		for i, r := range line {
			switch sign := string(r); {
			case sign == beginSign && inside, sign == endSign && !inside:
				return "", nil, false
			case sign == beginSign:
				inside, from = true, out.Len()
			case sign == endSign:
				spans, inside = withSpan(spans, out.String(), Span{from, out.Len()}), false
			default:
				_, size := utf8.DecodeRuneInString(line[i:])
				out.WriteString(line[i : i+size])
			}
		}
		if inside {
			spans = withSpan(spans, out.String(), Span{from, out.Len()})
		}
		lines, all = append(lines, out.String()), append(all, spans)
	}
	return strings.Join(lines, "\n"), all, !inside
}

// withSpan adds a span of a line to those before it.
func withSpan(spans []Span, line string, s Span) []Span {
	if last := len(spans) - 1; last >= 0 && strings.TrimSpace(line[spans[last].To:s.From]) == "" {
		spans[last].To = s.To
		return spans
	}
	if s.From == s.To {
		return spans
	}
	return append(spans, s)
}
