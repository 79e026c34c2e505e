package web

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// flat reads a page that has no usable tree. It returns the page's text, including chrome, with one paragraph per
// line and without links. It makes one pass over the tokens and uses memory proportional to the page.
func flat(p page, text []byte) extract.Document {
	doc := extract.Document{Flat: true, Truncated: true}
	var f dom.Folder
	z := html.NewTokenizer(bytes.NewReader(text))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		switch kind {
		case html.TextToken:
			f.Write(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == atom.Title && kind == html.StartTagToken {
				doc.Title = extract.Title(doc.Title, dom.Fold(elementText(z)))
			} else if dom.IsCode(tag) && kind == html.StartTagToken && isRaw(tag) {
				f.Line()
				f.Write(elementText(z))
			} else if isRaw(tag) && kind == html.StartTagToken {
				elementText(z)
			} else if dom.IsBlock(tag) {
				f.Line()
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); dom.IsBlock(atom.Lookup(name)) {
				f.Line()
			}
		}
	}
	doc.VisibleText = f.Peek()
	doc.Blocks = paragraphs(doc.VisibleText, p.limits.MaxBlocks)
	doc.Text = extract.Join(doc.Blocks)
	return doc
}

// isRaw reports whether the tokenizer returns the content of an element with this tag as a single text.
func isRaw(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes, atom.Textarea, atom.Title,
		atom.Xmp:
		return true
	}
	return false
}

// elementText returns the text after a raw element's start tag.
func elementText(z *html.Tokenizer) string {
	if z.Next() != html.TextToken {
		return ""
	}
	return string(z.Text())
}

// paragraphs makes a block of each line. Lines beyond the bound become part of the last block.
func paragraphs(text string, most int) []extract.Block {
	var blocks []extract.Block
	for _, line := range strings.SplitN(text, "\n", most) {
		if line != "" {
			blocks = append(blocks, extract.Block{Kind: extract.Paragraph, Text: line})
		}
	}
	return blocks
}
