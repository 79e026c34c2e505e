package web

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

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
