package main

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// listings counts the pieces of code that the ground truth has in the content of pages.
type listings struct {
	all, intact int
}

// add counts how much of the code of a page is intact in the extracted document. White space does not count, because
// the ground truth may have lost it.
func (l *listings) add(p page, doc extract.Document) {
	have := map[string]string{}
	for _, b := range doc.Blocks {
		if b.Kind == extract.Code {
			have[squash(b.Text)] = b.Language
		}
	}
	root := web.Tree(p.html, "text/html")
	if root == nil || !strings.Contains(string(p.html), "<pre") {
		return
	}
	truth := squash(p.text)
	for n := range root.Descendants() {
		if n.DataAtom != atom.Pre {
			continue
		}
		code := squash(textOf(n))
		const shortest = 10 // in bytes; a shorter text could occur anywhere by chance
		if len(code) < shortest || !strings.Contains(truth, code) {
			continue
		}
		l.all++
		if _, intact := have[code]; intact {
			l.intact++
		}
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// squash removes white space and invisible characters.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, dom.Fold(s))
}
