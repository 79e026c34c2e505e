package web

import (
	"cmp"
	"net/url"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// smallest is the smallest width and height, in CSS pixels, of an image that may be content. Smaller images are
// smileys, icons or tracking pixels. Most of them declare their size.
const smallest = 32

// gallery collects the images of a page, one for each address.
type gallery struct {
	content maincontent.Content
	base    *url.URL
	most    int

	images    []extract.Image
	known     map[string]int // index in images, by address
	truncated bool
}

// collectImages returns the images of the content in page order, at most the given number, and then the page's
// preview image. It skips images in elements that are left out of the content. It returns truncated = true if there
// are more images.
func collectImages(c maincontent.Content, preview extract.Image, base *url.URL, most int) (images []extract.Image,
	truncated bool) {
	g := gallery{content: c, base: base, most: most, known: map[string]int{}}
	for _, root := range c.Roots {
		g.visit(root, "")
	}
	g.add(preview)
	return g.images, g.truncated
}

// previewOf returns the first preview image with a usable address in the head of a page.
func previewOf(h head.Head) extract.Image {
	img := extract.Image{Preview: true}
	for _, ref := range h.Previews {
		if img.URL = imageURL(h.Base, ref); img.URL != "" {
			break
		}
	}
	for _, text := range h.PreviewTexts {
		if img.Alt = imageText(text); img.Alt != "" {
			break
		}
	}
	return img
}

// visit collects the images below n. The caption is that of the figure around n.
func (g *gallery) visit(n *html.Node, caption string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Noscript {
			g.noscript(c, caption)
		}
		if c.Type != html.ElementNode || g.content.Skips(c) {
			continue
		}
		switch c.DataAtom {
		case atom.Img:
			g.image(c, nil, caption)
		case atom.Picture:
			g.picture(c, caption)
		case atom.Figure:
			g.visit(c, captionOf(c, caption))
		default:
			g.visit(c, caption)
		}
	}
}

// noscript collects the images of a noscript element, which are for readers without scripts. It does nothing if the
// image beside the element already has an address.
func (g *gallery) noscript(n *html.Node, caption string) {
	markup := dom.RawText(n)
	if !strings.Contains(markup, "<img") && !strings.Contains(markup, "<IMG") || len(markup) > maxNoscript {
		return
	}
	for c := range n.Parent.ChildNodes() {
		if c.DataAtom == atom.Img && address(c, nil, g.base) != "" || c.DataAtom == atom.Picture {
			return
		}
	}
	div := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(markup), div)
	if err != nil {
		return // nested too deeply
	}
	for _, c := range nodes {
		div.AppendChild(c)
	}
	g.visit(div, caption)
}

// maxNoscript limits the markup that is searched for images in one noscript element, in bytes.
const maxNoscript = 20_000

// picture collects the img of a picture element. The img has the texts; the source elements beside it may have a
// better address.
func (g *gallery) picture(n *html.Node, caption string) {
	var sources []*html.Node
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Source:
			sources = append(sources, c)
		case atom.Img:
			g.image(c, sources, caption)
			return
		}
	}
}

// image collects one img element.
func (g *gallery) image(n *html.Node, sources []*html.Node, caption string) {
	if dom.Unseen(n) || isTiny(n) {
		return
	}
	g.add(extract.Image{
		URL: address(n, sources, g.base), Alt: imageText(dom.Attr(n, "alt")), Title: imageText(dom.Attr(n, "title")),
		Caption: caption,
	})
}

// add adds an image. If an image with this address is already known, add only fills in properties that the known
// image lacks.
func (g *gallery) add(img extract.Image) {
	if img.URL == "" {
		return
	}
	at, found := g.known[img.URL]
	if !found && len(g.images) >= g.most {
		g.truncated = true
		return
	}
	if !found {
		g.known[img.URL] = len(g.images)
		g.images = append(g.images, img)
		return
	}
	old := &g.images[at]
	old.Preview = old.Preview || img.Preview
	for _, text := range []struct{ old, new *string }{{&old.Alt, &img.Alt}, {&old.Title, &img.Title},
		{&old.Caption, &img.Caption}} {
		*text.old = cmp.Or(*text.old, *text.new)
	}
}

func imageText(s string) string { return dom.Clip(dom.Fold(s), extract.MaxImageText) }

// captionOf returns the caption of a figure. If there is none, it returns the outer caption, which is that of the
// figure around it.
func captionOf(figure *html.Node, outer string) string {
	if n := figcaption(figure); n != nil {
		return dom.Clip(blocks.Line(n), extract.MaxImageText)
	}
	return outer
}

// figcaption returns the first figcaption below n that does not belong to a nested figure.
func figcaption(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Figcaption:
			return c
		case atom.Figure:
			continue
		}
		if found := figcaption(c); found != nil {
			return found
		}
	}
	return nil
}

// isTiny reports whether an image declares a width or height that is too small to show anything.
func isTiny(n *html.Node) bool {
	return tinyLength(dom.Attr(n, "width")) || tinyLength(dom.Attr(n, "height")) || tinyStyle(dom.Attr(n, "style"))
}

// tinyLength parses the digits at the beginning of an attribute, as browsers do. It ignores percentages and lengths
// in units other than pixels.
func tinyLength(value string) bool {
	value = strings.TrimSpace(value)
	end := 0
	for end < len(value) && (value[end] >= '0' && value[end] <= '9' || value[end] == '.') {
		end++
	}
	unit := strings.ToLower(strings.TrimSpace(value[end:]))
	pixels, err := strconv.ParseFloat(value[:end], 64)
	return err == nil && pixels < smallest && (unit == "" || unit == "px")
}

func tinyStyle(style string) bool {
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "width", "height", "max-width", "max-height":
			if tinyLength(value) {
				return true
			}
		}
	}
	return false
}

// lazySources and lazySets are the attributes from which scripts load an image when the reader scrolls near it. They
// take precedence over src, because the src of such an image is only a placeholder.
var (
	lazySources = []string{"data-src", "data-lazy-src", "data-original", "data-original-src", "data-lazy", "data-url",
		"src"}
	lazySets = []string{"srcset", "data-srcset", "data-lazy-srcset"}
)

// address returns the best known address of an img: the largest in the srcset of the img, else the largest in the
// source elements beside the img, else the lazy or plain source of the img. It returns "" if none of these is the
// address of a web image.
func address(img *html.Node, sources []*html.Node, base *url.URL) string {
	for _, n := range append([]*html.Node{img}, sources...) {
		if n != img && !isReadable(dom.Attr(n, "type")) {
			continue
		}
		for _, key := range lazySets {
			if u := imageURL(base, largest(dom.Attr(n, key))); u != "" {
				return u
			}
		}
	}
	for _, key := range lazySources {
		if u := imageURL(base, dom.Attr(img, key)); u != "" {
			return u
		}
	}
	return ""
}

// isReadable reports whether a source element offers a format that all common image decoders support.
func isReadable(mimeType string) bool {
	switch strings.ToLower(strings.TrimSpace(mimeType)) {
	case "", "image/jpeg", "image/jpg", "image/png", "image/webp", "image/gif":
		return true
	}
	return false
}

// imageURL resolves an address. It returns "" if the address is not that of a web image, or is only a placeholder.
func imageURL(base *url.URL, ref string) string {
	u := source.Resolve(base, ref)
	if u == nil {
		return ""
	}
	name := strings.ToLower(path.Base(u.Path))
	switch strings.TrimSuffix(name, path.Ext(name)) {
	case "blank", "spacer", "pixel", "clear", "transparent", "1x1", "placeholder", "lazy", "loading":
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// largest returns the address with the greatest descriptor in a srcset attribute ("a.jpg 400w, b.jpg 800w" or "a.jpg,
// b.jpg 2x"), or the first of several with equal descriptors. It follows HTML §4.8.4.2.2: an address ends at
// whitespace, so it may contain commas but not end with one.
func largest(srcset string) string {
	const spaces = " \t\n\f\r"
	best, size := "", -1.0
	for {
		srcset = strings.TrimLeft(srcset, spaces+",")
		if srcset == "" {
			return best
		}
		ref, rest := srcset, ""
		if end := strings.IndexAny(srcset, spaces); end >= 0 {
			ref, rest = srcset[:end], srcset[end:]
		}
		descriptor := ""
		if trimmed := strings.TrimRight(ref, ","); trimmed != ref {
			ref = trimmed
		} else {
			descriptor, rest, _ = strings.Cut(rest, ",")
		}
		if s := descriptorSize(descriptor); s > size {
			best, size = ref, s
		}
		srcset = rest
	}
}

// descriptorSize parses "800w" or "2x". A missing descriptor counts as "1x". A broken descriptor counts as smaller
// than any other.
func descriptorSize(descriptor string) float64 {
	fields := strings.Fields(descriptor)
	if len(fields) == 0 {
		return 1
	}
	number := strings.TrimRight(fields[0], "wx")
	size, err := strconv.ParseFloat(number, 64)
	if err != nil || !(size >= 0) || len(number) != len(fields[0])-1 {
		return 0
	}
	return size
}
