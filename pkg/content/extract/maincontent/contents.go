package maincontent

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// withoutContents removes tables of contents from the text beside the content: lists of which each item is a heading of
// the content, each with the short text before it that names it. Nothing is lost, because the headings are text.
func withoutContents(beside, content []extract.Block) []extract.Block {
	headings := map[string]bool{}
	for _, b := range content {
		if b.Kind == extract.Heading {
			headings[headingKey(b.Text)] = true
		}
	}
	kept := beside[:0]
	for _, b := range beside {
		if b.Kind != extract.List || !allHeadings(b.Text, headings) {
			kept = append(kept, b)
			continue
		}
		if n := len(kept); n > 0 && isCaption(kept[n-1]) {
			kept = kept[:n-1]
		}
	}
	return kept
}

// allHeadings reports whether a list has items, and all of them are headings.
func allHeadings(list string, headings map[string]bool) bool {
	const least = 3 // items
	n := 0
	for item := range strings.SplitSeq(list, "\n") {
		if !headings[headingKey(item)] {
			return false
		}
		n++
	}
	return n >= least
}

// headingKey returns a heading without its number or bullet.
func headingKey(text string) string {
	return strings.ToLower(strings.TrimLeft(dom.Fold(text), "0123456789.)-•* "))
}

// isCaption reports whether a text may name a table of contents: a few words without a number.
func isCaption(b extract.Block) bool {
	const longest = 40 // bytes
	return (b.Kind == extract.Heading || b.Kind == extract.Paragraph) && len(b.Text) <= longest &&
		!strings.ContainsAny(b.Text, "0123456789")
}
