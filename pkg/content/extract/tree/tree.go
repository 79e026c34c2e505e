// Package tree makes the tree of an HTML page, as browsers see it before scripts run: within bounds of time and memory
// that no page can exceed, and with pieces that a server streams late moved to where they belong.
package tree

import (
	"bytes"

	"golang.org/x/net/html"
)

// Parse makes the tree of a page in UTF-8. It is nil when the page has more than maxTags tags, or would cost the parser
// too much, or nests elements more than 512 deep. The parser is not known to panic, but callers should recover: one
// page must not end the work on others.
func Parse(text []byte, maxTags int) *html.Node {
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
