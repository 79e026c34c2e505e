// Package extract defines what a reader extracts from a document, whatever its format: a [Document] with its title,
// language and main content in reading order, its links and images, and two hashes that distinguish a real change
// from noise.
//
// Of the packages below it, web reads the formats of the web, and others read PDF, Office files and mail. All of them
// promise that the same bytes always give the same Document, and that no input makes them panic or grow without
// bound. Advertisements, tokens, counters and navigation around the content do not affect [Document.ContentHash];
// every sentence, price and date inside the content does.
package extract

import (
	"cmp"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Kind is the kind of a [Block]. Kinds are stored as text.
type Kind string

// The kinds of blocks. A block of no other kind is a [Paragraph].
const (
	Heading   Kind = "heading"
	Paragraph Kind = "paragraph"
	List      Kind = "list"  // one line per item after "- ", "1. ", "[^1]: " or, below a term, ": "; nested indented
	Code      Kind = "code"  // line breaks and indentation as written
	Table     Kind = "table" // one line per row: from HTML in GitHub Flavored Markdown, else cells joined by " | "
	Quote     Kind = "quote"
)

// Block is one piece of the main content.
type Block struct {
	Kind  Kind
	Level int    // 1 to 6 for headings, else 0
	Text  string // whitespace folded except in code; formulas as TeX between dollar signs; never empty
	// Language is the language of code, as the page names it, in lower case, such as "go" or "c++". It is empty when
	// the page names none, and for blocks of other kinds.
	Language string `json:",omitempty"`
	// Anchor is the id by which a browser jumps to a heading. A block of another kind that explains a term of a
	// definition list has the id of that term. Once escaped, it can be used in an address. It is empty when there is
	// no id. No hash covers it.
	Anchor string `json:",omitempty"`
}

// Separator separates two blocks in [Document.Text].
const Separator = "\n\n"

// Join returns the text of blocks. [Document.Text] is the Join of the document's blocks. Offsets into the text of a
// document, such as the start of a chunk, count bytes of this text.
func Join(blocks []Block) string {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, Separator)
}

// MaxLinkText bounds the stored text of a link, in bytes.
const MaxLinkText = 200

// Link is one reference from the page to another address.
type Link struct {
	URL  string // absolute, http or https, without fragment, not normalized otherwise
	Rel  string // the rel attribute in lower case, such as "nofollow"
	Text string // visible text, at most [MaxLinkText] bytes
}

// Document is the result of reading a document.
type Document struct {
	MimeType    string // media type in lower case, without parameters
	Unsupported bool   // no package reads this type; nothing below is set
	Charset     string // WHATWG name of the encoding that was decoded, such as "utf-8"
	Flat        bool   // too deep or too tangled to parse: text is kept, structure is not
	Truncated   bool   // a bound of [Limits] was reached
	// Thin explains why a page has little text: its scripts write what people see. No hash covers it.
	Thin string `json:",omitempty"`
	// Failure describes what the host sent in place of the page, such as an error with status 200 or a login form. It
	// is empty for a page. No hash covers it.
	Failure string `json:",omitempty"`

	Title            string
	Metadata         Metadata `json:",omitzero"`
	Language         string   // primary subtag in lower case, declared or detected; may be empty
	LanguageDetected bool     // the page declares no language; Language was detected from the text
	Canonical        string   // rel=canonical resolved to an absolute address, or empty
	MetaRobots       []string
	Blocks           []Block
	Text             string  // main content: the blocks, joined by [Join]
	VisibleText      string  // all visible text, one line per block
	Links            []Link  // in page order, one per address
	Images           []Image // of the main content in page order, one per address; the preview last
	// Protected are the mail addresses that the page hides from programs, in the order in which Blocks have
	// "[email protected]" in their place. Only the content hashes cover them.
	Protected []string `json:",omitempty"`
}

// Limits bound the work on one document. A zero field means its default.
type Limits struct {
	MaxBytes  int // of the body to read; 5 MiB
	MaxTags   int // in the body, before the reader ignores its structure; 250,000
	MaxBlocks int // 20,000
	MaxLinks  int // 5,000
	MaxImages int // 500
}

// WithDefaults returns l with defaults in place of zero fields.
func (l Limits) WithDefaults() Limits {
	l.MaxBytes = cmp.Or(l.MaxBytes, 5<<20)
	l.MaxTags = cmp.Or(l.MaxTags, 250_000)
	l.MaxBlocks = cmp.Or(l.MaxBlocks, 20_000)
	l.MaxLinks = cmp.Or(l.MaxLinks, 5_000)
	l.MaxImages = cmp.Or(l.MaxImages, 500)
	return l
}

// maxTitle bounds a title, in bytes.
const maxTitle = 500

// Title returns the first candidate that is not empty, cut to 500 bytes. The heading of the content should come first
// because it names the page. The title element often names the site too, or counts messages.
func Title(candidates ...string) string {
	for _, c := range candidates {
		if c != "" {
			return dom.Clip(c, maxTitle)
		}
	}
	return ""
}
