package ui

import (
	"bytes"
	"html/template"
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark/tidemark"
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
func (v *visit) rendered() page {
	id, q := v.PathValue("id"), v.URL.Query()
	d := renderedData{ID: id}
	var trees [2]ast.Node
	var texts [2][]byte
	for i, p := range []*renderedPage{&d.From, &d.To} {
		p.PageText = ask(v, api.GetPageText, api.TextQuery{ID: id, AsOf: q.Get([]string{"from", "to"}[i]), Format: "json"})
		p.Cut = len(p.Text) > maxReading
		texts[i] = []byte(words.Clip(strings.ToValidUTF8(p.Text, "�"), maxReading))
		trees[i] = untrusted.Parser().Parse(goldtext.NewReader(texts[i]))
	}
	d.Name = d.To.URL
	old, fresh := paragraphs(trees[0], texts[0]), paragraphs(trees[1], texts[1])
	var err error
	d.From.Body, err = renderNew(trees[0], texts[0], old, fresh, "gone")
	v.fail(err)
	d.To.Body, err = renderNew(trees[1], texts[1], fresh, old, "come")
	v.fail(err)
	return page{Name: "rendered", Title: "Changes of " + d.Name, Data: d}
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

const (
	// helpIndex is the page of the documentation that lists what people do.
	helpIndex = "help"
	// allPages is the page that lists all of the documentation.
	allPages = "README"
	helpPath = "/help"
)

// handbook turns the documentation into HTML. It leaves out pictures and everything that is not
// Markdown. It writes no style attributes, because the content security policy of the pages forbids
// them.
var handbook = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(helpNodes{}, 100))),
)

// help shows a page of the documentation for this version of Tidemark.
func (v *visit) help() page {
	name := strings.TrimSuffix(v.PathValue("page"), ".md")
	if name == "" {
		name = helpIndex
	}
	if strings.EqualFold(name, allPages) { // paths may arrive in lower case
		name = allPages
	}
	source, err := tidemark.Docs.ReadFile("docs/" + name + ".md")
	if err != nil {
		return v.fail(notFound("the documentation has no such page"))
	}
	var body bytes.Buffer
	v.fail(handbook.Convert(source, &body))
	title, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return page{Name: "help", Title: title, Data: helpData{name == helpIndex, template.HTML(body.String())}}
}

type helpData struct {
	Index bool
	Body  template.HTML // from a converter that lets no HTML through
}

// helpNodes makes links lead to pages of the dashboard. If the dashboard has no page for a link's
// target, such as a source file, the link becomes plain text.
type helpNodes struct{}

// Transform implements [parser.ASTTransformer].
func (helpNodes) Transform(doc *ast.Document, _ goldtext.Reader, _ parser.Context) {
	var links []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == extast.KindTable {
			n.SetAttributeString("tabindex", []byte("0")) // lets people scroll a wide table with the keyboard
		}
		if entering && (n.Kind() == ast.KindLink || n.Kind() == ast.KindImage) {
			links = append(links, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range links {
		link, isLink := n.(*ast.Link)
		if isLink {
			if to, ok := helpAddress(string(link.Destination)); ok {
				link.Destination = []byte(to)
				continue
			}
		}
		unwrap(n)
	}
}

// helpAddress returns the dashboard's address for the target of a link; ok is false if the
// dashboard has no page for it.
func helpAddress(to string) (address string, ok bool) {
	if strings.HasPrefix(to, "#") || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") {
		return to, true
	}
	file, anchor, found := strings.Cut(to, "#")
	if found {
		anchor = "#" + anchor
	}
	name, isPage := strings.CutSuffix(file, ".md")
	if _, err := tidemark.Docs.ReadFile("docs/" + file); err != nil || !isPage {
		return "", false
	}
	if name == helpIndex {
		return Root + helpPath + anchor, true
	}
	return Root + helpPath + "/" + name + anchor, true
}
