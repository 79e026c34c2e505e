package ui

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	goldtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/pkg/api"
)

// helpIndex is the page of the documentation that lists the others.
const helpIndex = "README"

// handbook makes pages of the documentation. What is no Markdown in them is left out, and so are pictures; no style
// attribute is made, which the pages' policy would refuse.
var handbook = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(helpNodes{}, 100))),
)

// help shows a page of the documentation that belongs to this version.
func help(_ Options, r *http.Request) (page, error) {
	name := strings.TrimSuffix(r.PathValue("page"), ".md")
	if name == "" {
		name = helpIndex
	}
	source, err := tidemark.Docs.ReadFile("docs/" + name + ".md")
	if err != nil {
		return page{}, &api.Problem{Title: "Not Found", Status: http.StatusNotFound,
			Detail: "the documentation has no such page"}
	}
	var body bytes.Buffer
	if err := handbook.Convert(source, &body); err != nil {
		return page{}, err
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return page{name: "help", title: title, data: helpData{name == helpIndex, template.HTML(body.String())}}, nil
}

type helpData struct {
	Index bool
	Body  template.HTML // made of our own documents, by a converter that lets no markup through
}

// helpNodes has links lead to where pages are shown here. What is not shown here, such as source files, is no link.
type helpNodes struct{}

// Transform implements [parser.ASTTransformer].
func (helpNodes) Transform(doc *ast.Document, _ goldtext.Reader, _ parser.Context) {
	var links []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == extast.KindTable {
			n.SetAttributeString("tabindex", []byte("0")) // a wide one is scrolled, with keys, too
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

// unwrap puts what a node holds in its place.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}

// helpAddress is where a link of a document leads here; ok is false for what is not here.
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

const helpPath = "/help"
