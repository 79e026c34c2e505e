package ui

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	goldtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxReading is how much of a text is shown as a page.
const maxReading = 512 << 10

// strangers makes pages of what strangers wrote: markup of theirs is text, pictures are left out, and links lead to the
// web only.
var strangers = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(strangeNodes{}, 100)))),
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
)

// without leaves out the parser of the same type as one.
func without(all []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(all, func(v util.PrioritizedValue) bool {
		return reflect.TypeOf(v.Value) == reflect.TypeOf(one)
	})
}

// strangeNodes takes out of a document what leads elsewhere unasked, and puts its headings below that of the page.
type strangeNodes struct{}

// Transform implements [parser.ASTTransformer].
func (strangeNodes) Transform(doc *ast.Document, _ goldtext.Reader, _ parser.Context) {
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

// nameColumns hides a row of headers without names: Markdown has no table without such a row, pages have. A single cell
// without a name is no header to programs that read pages aloud.
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

type readingData struct {
	Item          api.Item
	Capture       api.Capture
	Earlier, Next string        // digests of the captures before and after
	Body          template.HTML // by a converter that lets no markup of strangers through
	Cut           bool
}

// reading shows a page to read, as it was in a capture or on a day, or is now.
func reading(o Options, r *http.Request) (page, error) {
	asOf := cmp.Or(r.PathValue("sha256"), r.URL.Query().Get("asOf"))
	text, err := api.GetPageText.Call(r.Context(), o.Client,
		api.TextQuery{ID: r.PathValue("id"), AsOf: asOf, Format: "json"})
	if err != nil {
		return page{}, err
	}
	it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: text.ItemID})
	if err != nil {
		return page{}, err
	}
	d := readingData{Item: it.Item, Capture: api.Capture{SHA256: text.Capture, CapturedAt: text.At},
		Cut: len(text.Text) > maxReading}
	all := bodies(it.Captures)
	if i := slices.IndexFunc(all, func(c api.Capture) bool { return c.SHA256 == text.Capture }); i >= 0 {
		d.Capture = all[i]
		if i > 0 {
			d.Next = all[i-1].SHA256
		}
		if i+1 < len(all) {
			d.Earlier = all[i+1].SHA256
		}
	}
	var body bytes.Buffer
	err = strangers.Convert([]byte(words.Clip(strings.ToValidUTF8(text.Text, "�"), maxReading)), &body)
	d.Body = template.HTML(body.String())
	return page{name: "reading", title: titleOf(it.Item), data: d}, err
}
