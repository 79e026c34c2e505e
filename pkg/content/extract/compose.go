package extract

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"golang.org/x/text/unicode/norm"
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

// skip says that a part of the document is not read, and why. The part is in [Document.Beyond].
func (c *Composer) skip(why string, part Beyond) {
	c.doc.Truncated, c.doc.Cut = true, cmp.Or(c.doc.Cut, why)
	c.skipped = c.skipped.And(part)
}

// SkipBytes is [Composer.skip] for a part whose bytes are compared as they are.
func (c *Composer) SkipBytes(why string, part []byte) { c.skip(why, beyondOf(part)) }

// Include adds the bounds that another document has reached, which is a part of this one.
func (c *Composer) Include(part Document) {
	if part.Cut != "" {
		c.skip(part.Cut, part.Beyond)
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

// Rest summarizes the text beyond a bound, so that a change of this text is noticed although it is not read. Rest
// uses constant memory. The zero value is ready to use.
type Rest struct {
	hash   *xxhash.Digest
	filter noise.Filter
}

// longestFiltered is the number of bytes at the beginning of a line in which text that changes by itself is looked for.
// No line of prose is longer. Of a longer one, which is data, each change after that is noticed.
const longestFiltered = 64 << 10

// Line adds a line or a block of text. Whitespace, and text that changes by itself, are folded as in
// [Document.Hashes]. A text that has nothing else is ignored.
func (r *Rest) Line(text string) {
	if text = dom.Fold(text); text == "" {
		return
	}
	if r.hash == nil {
		r.hash = xxhash.New()
	}
	tail := ""
	if len(text) > longestFiltered {
		end := longestFiltered
		if at := strings.LastIndexByte(text[:end], ' '); at > 0 {
			end = at
		}
		text, tail = text[:end], text[end:]
	}
	r.filter.Out = r.filter.Out[:0]
	r.filter.Block(text)
	_, _ = r.hash.Write(append(norm.NFC.Bytes(r.filter.Out), '\n')) // never fails
	if tail != "" {
		_, _ = r.hash.Write(append(norm.NFC.Bytes([]byte(tail)), '\n'))
	}
}

// Sum returns the summary of the lines so far. It is zero if there are none.
func (r *Rest) Sum() (sum Beyond) {
	if r.hash != nil {
		binary.BigEndian.PutUint64(sum[:], r.hash.Sum64()|1) // never zero
	}
	return sum
}

// CutWhy describes for people what is not read of the document, what follows from that, and what to do; empty if all of
// it is read.
func (d Document) CutWhy() string {
	var out []string
	switch {
	case d.Cut == "":
	case d.Beyond == (Beyond{}):
		out = append(out, d.Cut+"; the rest is neither searched nor watched: split the document to change this")
	default:
		out = append(out, d.Cut+"; the rest is watched but cannot be searched: split the document to search it")
	}
	if d.Flat {
		out = append(out, "the page has too many elements, or too deep ones: its text is read with its menus, and without "+
			"headings, links and images; select a part of the page, or split it, to change this")
	}
	if d.KeptLinks > 0 {
		out = append(out, "only the first "+words.Count(d.KeptLinks, "link")+" are kept: add a sitemap, or the pages "+
			"themselves, to find what the others lead to")
	}
	if d.KeptImages > 0 {
		out = append(out, "only the first "+words.Count(d.KeptImages, "image")+" are kept: split the document to find the "+
			"others")
	}
	return strings.Join(out, ". Also, ")
}

// Beyond is the summary of the text beyond a bound. [Rest] makes it. It is zero if no such text is known.
type Beyond [8]byte

func beyondOf(text []byte) (b Beyond) {
	binary.BigEndian.PutUint64(b[:], xxhash.Sum64(text)|1)
	return b
}

// And returns the summary of two parts of a text.
func (b Beyond) And(next Beyond) Beyond {
	switch (Beyond{}) {
	case b:
		return next
	case next:
		return b
	}
	return beyondOf(append(b[:], next[:]...))
}
