// Package tree makes the tree of an HTML page as browsers see it before scripts run. Its time and memory are bounded
// for any page. If a server sends pieces of a page late, the package moves them to where they belong. It also finds
// the elements that readers can open, and the buttons and labels that people read as text.
package tree

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Parse makes the tree of a page in UTF-8. It returns nil if the page has more than maxTags tags, would take the
// parser too much time or memory, or nests elements more than 512 deep. The parser is not known to panic, but callers
// should recover from a panic, so that the other pages can still be read.
func Parse(text []byte, maxTags int) *html.Node {
	text, ok := tame(text, maxTags)
	if !ok {
		return nil
	}
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	var f found
	for n := range root.Descendants() {
		f.see(n)
	}
	showShadows(f.shadows)
	showFrames(f.inline, f.framesets, maxTags)
	changed := showNoscriptText(f.noscripts, maxTags) || len(f.shadows)+len(f.inline)+len(f.framesets) > 0
	if changed && isTooDeep(root, 2*maxDepth) {
		return nil
	}
	for _, n := range f.texts { // readers can only read it
		n.Data, n.DataAtom = "div", atom.Div
	}
	f.findPanels()
	f.findCaptions()
	return root
}
