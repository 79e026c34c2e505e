package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

const (
	// maxLate bounds the pieces of a page that are put in their places, and the places.
	maxLate = 500
	// maxDepth is how deep elements may stand in each other. The parser goes no deeper.
	maxDepth = 512
	// littleSeen is the visible text, in bytes, below which what readers without scripts are shown is looked at, and
	// muchUnseen is how much markup that must be.
	littleSeen, muchUnseen = 500, 1000
)

// latecomers are the pieces of a page that React streams behind it, hidden, and the places where its scripts put
// them: <div hidden id="S:1"> belongs to <template id="P:1"> or <template id="B:1">. Browsers show them at once.
type latecomers struct {
	pieces []*html.Node
	places map[string]*html.Node
}

// settle puts what comes late where readers see it. A piece whose place is not known is shown where it stands.
func settle(root *html.Node) {
	l := latecomers{places: map[string]*html.Node{}}
	for n := range root.Descendants() {
		l.see(n)
	}
	for _, piece := range l.pieces {
		show(piece)
		l.move(piece)
	}
}

// move brings a piece to its place, if that is known.
func (l *latecomers) move(piece *html.Node) {
	number := dom.Attr(piece, "id")[len("S:"):]
	for _, kind := range [...]string{"P:", "B:"} {
		place := l.places[kind+number]
		if place == nil || isBelow(place, piece) {
			continue
		}
		piece.Parent.RemoveChild(piece)
		place.Parent.InsertBefore(piece, place)
		if kind == "B:" {
			dropFallback(place)
		}
		return
	}
}

func (l *latecomers) see(n *html.Node) {
	if n.Type != html.ElementNode || len(l.pieces) >= maxLate || len(l.places) >= maxLate {
		return
	}
	id := dom.Attr(n, "id")
	switch {
	case n.DataAtom == atom.Div && strings.HasPrefix(id, "S:") && dom.HasAttr(n, "hidden"):
		l.pieces = append(l.pieces, n)
	case n.DataAtom == atom.Template && (strings.HasPrefix(id, "P:") || strings.HasPrefix(id, "B:")):
		l.places[id] = n
	}
}

// show takes the hidden attribute off.
func show(n *html.Node) {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		if a.Key != "hidden" {
			kept = append(kept, a)
		}
	}
	n.Attr = kept
}

// isBelow reports whether n stands in outer, or so deep that nothing is put there.
func isBelow(n, outer *html.Node) bool {
	for depth := 0; n != nil; n = n.Parent {
		if depth++; n == outer || depth > maxDepth {
			return true
		}
	}
	return false
}

// dropFallback takes away what is shown until the piece comes: what follows its place, up to a comment "/$".
func dropFallback(place *html.Node) {
	const most = 1000 // siblings that are looked at
	end := place.NextSibling
	for i := 0; end != nil && !(end.Type == html.CommentNode && end.Data == "/$"); i++ {
		if end = end.NextSibling; i == most {
			return
		}
	}
	for n := place.NextSibling; end != nil && n != end; n = place.NextSibling {
		place.Parent.RemoveChild(n)
	}
}

// isTooDeep reports whether elements stand in each other deeper than the parser lets them. Pieces in pieces may.
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

// unfold makes elements of what the noscript elements of the body hold, which the parser leaves as text, and reports
// whether there is much of it. Applications of which readers without scripts would see nothing else are readable so.
func unfold(body *html.Node) bool {
	var found []*html.Node
	size := 0
	for n := range body.Descendants() {
		if n.DataAtom == atom.Noscript && n.FirstChild != nil && n.FirstChild.Type == html.TextNode {
			found = append(found, n)
			size += len(n.FirstChild.Data)
		}
	}
	if size < muchUnseen {
		return false
	}
	for _, n := range found {
		context := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		nodes, err := html.ParseFragment(strings.NewReader(n.FirstChild.Data), context)
		if err != nil {
			continue // too deep
		}
		n.RemoveChild(n.FirstChild)
		n.Data, n.DataAtom = "div", atom.Div
		for _, c := range nodes {
			n.AppendChild(c)
		}
	}
	return true
}
