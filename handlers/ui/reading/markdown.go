package reading

import (
	"reflect"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	goldtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/tidemark/tidemark/handlers/ui/show"
)

// untrusted turns Markdown that anybody may have written into HTML that can only be read: markup in it is text,
// pictures are left out, and links lead to http and https only.
var untrusted = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(untrustedNodes{}, 100)))),
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
)

// without leaves out the parser that has the type of one.
func without(all []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(all, func(v util.PrioritizedValue) bool {
		return reflect.TypeOf(v.Value) == reflect.TypeOf(one)
	})
}

// untrustedNodes removes pictures and unsafe links from a document, and puts its headings below that of the page.
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
			if show.External(string(n.Destination)) == "" {
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

// nameColumns hides a header row without names, which every table in Markdown has but not every table of a page. A
// single cell without a name is not a header to programs that read pages aloud.
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

// unwrap replaces a node by what it contains.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}
