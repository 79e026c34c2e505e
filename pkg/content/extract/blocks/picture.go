package blocks

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// inlineOrPicture returns the text below n on one line. If there is none, the texts of its pictures stand for it: in a
// table of features, "included" is a picture of a tick.
func (b *builder) inlineOrPicture(n *html.Node) string {
	if text := b.inline(n); text != "" {
		return text
	}
	f := b.folder()
	b.pictures(&f, n)
	return f.Peek()
}

func (b *builder) pictures(f *dom.Folder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode || b.skips(c):
		case c.DataAtom == atom.Img:
			f.Border()
			f.Write(dom.Clip(dom.Attr(c, "alt"), extract.MaxImageText))
		default:
			b.pictures(f, c)
		}
	}
}
