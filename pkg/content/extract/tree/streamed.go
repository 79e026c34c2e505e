package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

const (
	// maxStreamed limits the number of pieces of a page that are moved, and the number of placeholders for them.
	maxStreamed = 500
	// maxDepth limits how deep elements may be nested. The parser has the same limit.
	maxDepth = 512
)

// streamed holds the hidden pieces that React sends after a page, and the placeholders for them. The piece <div
// hidden id="S:1"> belongs to <template id="P:1"> or <template id="B:1">. In browsers, the scripts of React move each
// piece to its placeholder at once.
type streamed struct {
	pieces       []*html.Node
	placeholders map[string]*html.Node
}

// ShowStreamed moves streamed pieces to where readers see them. A piece without a placeholder becomes visible where
// it is. ShowStreamed returns false if nested pieces make the tree too deep to walk.
func ShowStreamed(root *html.Node) (ok bool) {
	s := streamed{placeholders: map[string]*html.Node{}}
	for n := range root.Descendants() {
		s.collect(n)
	}
	for _, piece := range s.pieces {
		show(piece)
		s.move(piece)
	}
	return len(s.pieces) == 0 || !isTooDeep(root, 2*maxDepth)
}

// move moves a piece to its placeholder, if there is one.
func (s *streamed) move(piece *html.Node) {
	number := dom.Attr(piece, "id")[len("S:"):]
	for _, kind := range [...]string{"P:", "B:"} {
		target := s.placeholders[kind+number]
		if target == nil || isBelow(target, piece) {
			continue
		}
		piece.Parent.RemoveChild(piece)
		target.Parent.InsertBefore(piece, target)
		if kind == "B:" {
			dropFallback(target)
		}
		return
	}
}

// collect records n if it is a piece or a placeholder.
func (s *streamed) collect(n *html.Node) {
	if n.Type != html.ElementNode || len(s.pieces) >= maxStreamed || len(s.placeholders) >= maxStreamed {
		return
	}
	id := dom.Attr(n, "id")
	switch {
	case n.DataAtom == atom.Div && strings.HasPrefix(id, "S:") && dom.HasAttr(n, "hidden"):
		s.pieces = append(s.pieces, n)
	case n.DataAtom == atom.Template && (strings.HasPrefix(id, "P:") || strings.HasPrefix(id, "B:")):
		s.placeholders[id] = n
	}
}

// show removes the hidden attribute.
func show(n *html.Node) {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		if a.Key != "hidden" {
			kept = append(kept, a)
		}
	}
	n.Attr = kept
}

// isBelow reports whether n is inside outer. It also returns true if n is too deep for anything to be moved there.
func isBelow(n, outer *html.Node) bool {
	for depth := 0; n != nil; n = n.Parent {
		if depth++; n == outer || depth > maxDepth {
			return true
		}
	}
	return false
}

// dropFallback removes the content that is shown until the piece arrives. This content consists of the siblings after
// the placeholder, up to a comment "/$".
func dropFallback(placeholder *html.Node) {
	const most = 1000 // number of siblings to examine
	end := placeholder.NextSibling
	for i := 0; end != nil && !(end.Type == html.CommentNode && end.Data == "/$"); i++ {
		if end = end.NextSibling; i == most {
			return
		}
	}
	for n := placeholder.NextSibling; end != nil && n != end; n = placeholder.NextSibling {
		placeholder.Parent.RemoveChild(n)
	}
}

// isTooDeep reports whether elements are nested deeper than the given number of levels.
func isTooDeep(n *html.Node, left int) bool {
	if left == 0 {
		return true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.FirstChild != nil && isTooDeep(c, left-1) {
			return true
		}
	}
	return false
}
