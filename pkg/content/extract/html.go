package extract

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// extractHTML reads an HTML page.
func extractHTML(p page) Document {
	text, charset := decode(p.body, p.contentType, true)
	doc, ok := structured(p, text, mainContent)
	if !ok {
		doc = flat(p, text)
	}
	doc.Charset = charset
	return doc
}

// chooser finds the content of a page.
type chooser func(*surveyed, Limits) content

// structured extracts from the parsed tree what choose takes for the content; ok is false when
// there is no tree. The parser reports more than 512 open elements as an error. No other failure of
// it or of the walk is known; recover keeps an unknown one from ending the pages handled beside this one.
func structured(p page, text []byte, choose chooser) (doc Document, ok bool) {
	defer func() {
		if recover() != nil {
			doc, ok = Document{}, false
		}
	}()
	root := parse(text, p.limits.MaxTags)
	if root == nil {
		return Document{}, false
	}
	if settle(root); isTooDeep(root, 2*maxDepth) {
		return Document{}, false
	}
	return assemble(p, root, choose), true
}

// assemble puts the document together from its tree.
func assemble(p page, root *html.Node, choose chooser) Document {
	h := readHead(root, p.base)
	s := survey(root, h.base, p.limits)
	if s.text.Size() < littleSeen && unfold(s.body) {
		s = survey(root, h.base, p.limits)
	}
	c := choose(s, p.limits)
	images, more := collectImages(c, h.preview, h.base, p.limits.MaxImages)
	doc := Document{
		Truncated:   s.truncated || c.truncated || more,
		Title:       bestTitle(c.heading, h.ogTitle, h.title, s.heading),
		Language:    h.language,
		Canonical:   h.canonical,
		MetaRobots:  append(h.robots, s.robots...),
		Blocks:      c.blocks,
		VisibleText: s.text.Peek(),
		Links:       s.links,
		Images:      images,
		Protected:   protected(c),
		Metadata:    readMetadata(root, p.base),
	}
	if len(doc.Blocks) == 0 && doc.VisibleText != "" {
		doc.Blocks = []Block{{Kind: Paragraph, Text: doc.VisibleText}}
	}
	doc.Text = Join(doc.Blocks)
	doc.Thin = thin(root, s)
	doc.Failure = failure(root, &doc, h.title)
	return doc
}

// maxTitle bounds a title, in bytes.
const maxTitle = 500

// bestTitle is the first candidate that says something. The heading of the content comes first:
// it names the page, where the title element often names the site too, or counts messages.
func bestTitle(candidates ...string) string {
	for _, c := range candidates {
		if c != "" {
			return dom.Clip(c, maxTitle)
		}
	}
	return ""
}
