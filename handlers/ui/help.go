package ui

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	goldtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

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
func (a area) help(r *http.Request) (page, error) {
	name := strings.TrimSuffix(r.PathValue("page"), ".md")
	if name == "" {
		name = helpIndex
	}
	if strings.EqualFold(name, allPages) { // paths may arrive in lower case
		name = allPages
	}
	source, err := tidemark.Docs.ReadFile("docs/" + name + ".md")
	if err != nil {
		return page{}, notFound("the documentation has no such page")
	}
	var body bytes.Buffer
	if err := handbook.Convert(source, &body); err != nil {
		return page{}, err
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return page{Name: "help", Title: title, Data: helpData{name == helpIndex, template.HTML(body.String())}}, nil
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
