package web

import (
	"bytes"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// beyond returns the summary of the part of a body beyond the bound. A text is summarized line by line. A page is
// summarized by the lines that its block elements make, without its nav and footer elements. No tree is made, so
// hidden text is included.
func beyond(tail []byte, charset string, isHTML bool) extract.Beyond {
	text, _ := decode(tail, "text/plain; charset="+charset, false)
	var rest extract.Rest
	if isHTML {
		pageLines(text, rest.Line)
	} else {
		for line := range strings.SplitSeq(newlines.Replace(string(text)), "\n") {
			rest.Line(line)
		}
	}
	return rest.Sum()
}

// longestLine limits the length, in bytes, of a line that [pageLines] collects.
const longestLine = 64 << 10

// pageLines passes the lines of a page to the function line.
func pageLines(text []byte, line func(string)) {
	var f dom.Folder
	around := 0 // number of nav and footer elements that are open
	end := func() { line(f.Flush()) }
	z := html.NewTokenizer(bytes.NewReader(text))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if kind == html.TextToken {
			if around == 0 {
				f.Write(string(z.Text()))
			}
			if f.Size() > longestLine {
				end()
			}
			continue
		}
		if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		switch {
		case isRaw(tag) && kind == html.StartTagToken:
			elementText(z)
		case tag == atom.Nav || tag == atom.Footer:
			if around++; kind != html.StartTagToken {
				around = max(0, around-2)
			}
		}
		if dom.IsBlock(tag) || tag == atom.Td || tag == atom.Th {
			end()
		}
	}
	end()
}
