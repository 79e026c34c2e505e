package ui

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
)

// untrusted turns Markdown of unknown authors into HTML that can only be read: HTML in the Markdown becomes text,
// pictures are left out, and links lead only to http and https addresses.
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

// untrustedNodes removes pictures and unsafe links from a document, and gives its headings lower levels than those of
// the dashboard's page.
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

// nameColumns hides a header row whose cells are all empty. Every table in Markdown has a header row, but not every
// table of a crawled page does. In other header rows, screen readers do not treat an empty cell as a header.
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
