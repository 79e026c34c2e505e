package web

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
)

// Tree returns an HTML page as [Extract] reads it, for callers that search it for something else. It returns nil when
// the page is too large or too tangled to parse.
func Tree(body []byte, contentType string) (root *html.Node) {
	defer func() { // as in structured
		if recover() != nil {
			root = nil
		}
	}()
	text, _ := decode(body, contentType, true)
	return tree.Parse(text, extract.Limits{}.WithDefaults().MaxTags)
}
