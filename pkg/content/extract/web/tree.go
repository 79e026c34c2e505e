package web

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
)

// Tree returns the tree of an HTML page. It is the tree that [Extract] reads, for callers that search it for
// something else. Tree returns nil if the page is too large or too tangled to parse.
func Tree(body []byte, contentType string) (root *html.Node) {
	defer func() { // recovers for the same reason as [structured]
		if recover() != nil {
			root = nil
		}
	}()
	text, _ := decode(body, contentType, true)
	return tree.Parse(text, extract.Limits{}.WithDefaults().MaxTags)
}
