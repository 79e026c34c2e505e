package extract

import (
	"bytes"

	"golang.org/x/net/html"
)

// Tree is an HTML page as [Extract] reads it, its charset and the guard against parser blow-up
// included, for readers who look for something else in it. It is nil when the page is too large or
// too tangled to be parsed.
func Tree(body []byte, contentType string) (root *html.Node) {
	defer func() { // as in structured
		if recover() != nil {
			root = nil
		}
	}()
	text, _ := decode(body, contentType, true)
	return parse(text, Limits{}.withDefaults().MaxTags)
}

// parse makes the tree of a page that is safe to parse, or nil.
func parse(text []byte, maxTags int) *html.Node {
	text, ok := tame(text, maxTags)
	if !ok {
		return nil
	}
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	return root
}
