package extract

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Composer makes a [Document] of blocks and links, for readers of formats other than HTML. It keeps the document
// within [Limits]. The zero value is not usable.
type Composer struct {
	doc    Document
	limits Limits
	size   int // bytes of text so far
	known  map[string]bool

	rest    Rest   // blocks that were not added
	skipped Beyond // other parts
}

// NewComposer begins a document of the given media type. The composer applies three of the limits: MaxBytes (to the
// text, not the body), MaxBlocks and MaxLinks.
func NewComposer(mimeType string, lim Limits) *Composer {
	return &Composer{doc: Document{MimeType: mimeType}, limits: lim.WithDefaults(), known: map[string]bool{}}
}

// Only returns the message that only the first n units of a document, such as blocks, are read. See [Document.Cut].
func Only(n int, unit string) string { return "only the first " + words.Count(n, unit) + " are read" }

// OnlyBytes returns the message that only the first n bytes of a document are read.
func OnlyBytes(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("only the first %d MiB are read", n>>20)
	}
	return Only(n, "byte")
}

// Add appends a block. The text of the block must be folded ([dom.Fold]) or have the form that its kind prescribes.
// Add ignores a block without text, and cuts a block that exceeds a limit. It returns false when the document is
// full. The caller may then stop, or add the other blocks to [Document.Beyond].
func (c *Composer) Add(b Block) bool {
	left := c.limits.MaxBytes - c.size
	if len(b.Text) > left {
		kept := strings.TrimRight(dom.Clip(b.Text, left), " \n")
		c.rest.Line(b.Text[len(kept):])
		b.Text, c.doc.Truncated = kept, true
		c.doc.Cut = cmp.Or(c.doc.Cut, OnlyBytes(c.limits.MaxBytes))
		left = 0
		c.limits.MaxBytes = c.size + len(b.Text) // no shorter block may follow the cut
	}
	if b.Text == "" {
		return left > 0
	}
	if len(c.doc.Blocks) >= c.limits.MaxBlocks {
		c.rest.Line(b.Text)
		c.doc.Truncated, c.doc.Cut = true, cmp.Or(c.doc.Cut, Only(c.limits.MaxBlocks, "block"))
		return false
	}
	c.size += len(b.Text)
	c.doc.Blocks = append(c.doc.Blocks, b)
	return left > 0
}

// Skip says that a part of the document is not read, and why. The part is in [Document.Beyond].
func (c *Composer) Skip(why string, part Beyond) {
	c.doc.Truncated, c.doc.Cut = true, cmp.Or(c.doc.Cut, why)
	c.skipped = c.skipped.And(part)
}

// SkipBytes is [Composer.Skip] for a part whose bytes are compared as they are.
func (c *Composer) SkipBytes(why string, part []byte) { c.Skip(why, beyondOf(part)) }

// Include adds the bounds that another document has reached, which is a part of this one.
func (c *Composer) Include(part Document) {
	if part.Cut != "" {
		c.Skip(part.Cut, part.Beyond)
	}
	c.doc.Truncated = c.doc.Truncated || part.Truncated
	c.doc.KeptLinks = cmp.Or(c.doc.KeptLinks, part.KeptLinks)
}

// Link adds an absolute web address once, without its fragment. It ignores any other address.
func (c *Composer) Link(address, text string) {
	u := source.Resolve(&url.URL{}, address)
	if u == nil {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	address = u.String()
	if c.known[address] {
		return
	}
	if len(c.doc.Links) >= c.limits.MaxLinks {
		c.doc.Truncated, c.doc.KeptLinks = true, c.limits.MaxLinks
		return
	}
	c.known[address] = true
	c.doc.Links = append(c.doc.Links, Link{URL: address, Text: dom.Clip(dom.Fold(text), MaxLinkText)})
}

// Document completes the document. It detects the language if the caller passes none. The title is the first
// candidate that is not empty, or else the first heading.
func (c *Composer) Document(language string, titles ...string) Document {
	doc := c.doc
	doc.Language = language
	doc.DetectLanguage()
	for i, t := range titles {
		titles[i] = dom.Fold(t)
	}
	if doc.Title = Title(titles...); doc.Title == "" {
		doc.Title = Title(firstHeading(doc.Blocks))
	}
	doc.Beyond = c.rest.Sum().And(c.skipped)
	doc.Text = Join(doc.Blocks)
	lines := make([]string, len(doc.Blocks))
	for i, b := range doc.Blocks {
		lines[i] = b.Text
	}
	doc.VisibleText = strings.Join(lines, "\n")
	return doc
}

func firstHeading(blocks []Block) string {
	for _, b := range blocks {
		if b.Kind == Heading {
			return dom.Fold(b.Text)
		}
	}
	return ""
}
