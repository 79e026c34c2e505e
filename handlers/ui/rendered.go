package ui

import (
	"bytes"
	"html/template"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	goldtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

type renderedData struct {
	ID, Name string
	From, To renderedPage
}

// A renderedPage is a version of a page. Paragraphs that the other version lacks are highlighted.
type renderedPage struct {
	api.PageText
	Body template.HTML // from a converter that lets no HTML through
	Cut  bool
}

// rendered shows two captures of an item as pages, side by side.
func (a area) rendered(r *http.Request) (page, error) {
	id, q := r.PathValue("id"), r.URL.Query()
	d := renderedData{ID: id}
	var trees [2]ast.Node
	var texts [2][]byte
	for i, p := range []*renderedPage{&d.From, &d.To} {
		var err error
		p.PageText, err = api.GetPageText.Call(r.Context(), a.client,
			api.TextQuery{ID: id, AsOf: q.Get([]string{"from", "to"}[i]), Format: "json"})
		if err != nil {
			return page{}, err
		}
		p.Cut = len(p.Text) > maxReading
		texts[i] = []byte(words.Clip(strings.ToValidUTF8(p.Text, "�"), maxReading))
		trees[i] = untrusted.Parser().Parse(goldtext.NewReader(texts[i]))
	}
	d.Name = d.To.URL
	old, fresh := paragraphs(trees[0], texts[0]), paragraphs(trees[1], texts[1])
	var err error
	if d.From.Body, err = renderNew(trees[0], texts[0], old, fresh, "gone"); err != nil {
		return page{}, err
	}
	d.To.Body, err = renderNew(trees[1], texts[1], fresh, old, "come")
	return page{Name: "rendered", Title: "Changes of " + d.Name, Data: d}, err
}

// paragraphs returns the parts of a text that are compared with those of another text, each with its plain text.
func paragraphs(tree ast.Node, text []byte) map[ast.Node]string {
	out := map[ast.Node]string{}
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindParagraph, ast.KindHeading, ast.KindTextBlock, extast.KindTableRow, extast.KindTableHeader:
			out[n] = plainText(n, text)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}

// plainText returns the text of a node without markup.
func plainText(n ast.Node, text []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if s, ok := n.(*ast.Text); ok && entering {
			b.Write(s.Segment.Value(text))
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// renderNew renders a text, and gives a CSS class to the paragraphs that the other text lacks.
func renderNew(tree ast.Node, text []byte, own, other map[ast.Node]string, class string) (template.HTML, error) {
	known := map[string]bool{}
	for _, says := range other {
		known[says] = true
	}
	for n, says := range own {
		if known[says] {
			continue
		}
		if n.Kind() == ast.KindTextBlock { // a text block has no element: highlight the list item around it
			n = n.Parent()
		}
		n.SetAttributeString("class", []byte(class))
	}
	var b bytes.Buffer
	err := untrusted.Renderer().Render(&b, text, tree)
	return template.HTML(b.String()), err
}

// untrusted turns Markdown of unknown authors into HTML that can only be read: HTML in the Markdown
// becomes text, pictures are left out, and links lead only to http and https addresses.
var untrusted = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(untrustedNodes{}, 100)))),
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
)

// without returns all parsers except those of the same type as the given one.
func without(all []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(all, func(v util.PrioritizedValue) bool {
		return reflect.TypeOf(v.Value) == reflect.TypeOf(one)
	})
}

// untrustedNodes removes pictures and unsafe links from a document, and gives its headings lower
// levels than those of the dashboard's page.
type untrustedNodes struct{}

// Transform implements [parser.ASTTransformer].
func (untrustedNodes) Transform(doc *ast.Document, _ goldtext.Reader, _ parser.Context) {
	var out []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(n.Level+1, 6)
		case *ast.Image:
			out = append(out, n)
		case *ast.Link:
			if external(string(n.Destination)) == "" {
				out = append(out, n)
			} else {
				n.SetAttributeString("rel", []byte("noreferrer noopener nofollow"))
			}
		case *extast.TableHeader:
			nameColumns(n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range out {
		unwrap(n)
	}
}

// nameColumns hides a header row whose cells are all empty. Every table in Markdown has a header
// row, but not every table of a crawled page does. In other header rows, screen readers do not
// treat an empty cell as a header.
func nameColumns(header *extast.TableHeader) {
	var empty, named int
	for cell := header.FirstChild(); cell != nil; cell = cell.NextSibling() {
		if cell.HasChildren() {
			named++
			continue
		}
		empty++
		cell.SetAttributeString("role", []byte("none"))
	}
	if empty > 0 && named == 0 {
		header.SetAttributeString("hidden", []byte("hidden"))
	}
}

// unwrap replaces a node with its children.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}
