// Package tree makes the tree of an HTML page as browsers see it before scripts run. Its time and memory are bounded
// whatever the page holds. It moves pieces that a server streams late to where they belong.
package tree

import (
	"bytes"

	"golang.org/x/net/html"
)

// Parse makes the tree of a page in UTF-8. It returns nil when the page has more than maxTags tags, would cost the
// parser too much, or nests elements more than 512 deep. The parser is not known to panic, but callers should
// recover: one page must not stop the work on others.
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
