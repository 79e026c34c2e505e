package web

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
)

// Tree returns the tree of an HTML page as [Extract] reads it, for callers that search the tree for something else.
// It returns nil when the page is too large or too tangled to parse.
func Tree(body []byte, contentType string) (root *html.Node) {
	defer func() { // recovers for the same reason as [structured]
		if recover() != nil {
			root = nil
		}
	}()
	text, _ := decode(body, contentType, true)
	return tree.Parse(text, extract.Limits{}.WithDefaults().MaxTags)
}
