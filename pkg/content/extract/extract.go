// Package extract turns the bytes of a fetched document into what is indexed: its title, language
// and main content in reading order, its links and images, and two hashes that tell a real change
// from noise.
//
// It promises that the same bytes always give the same [Document], that a page with visible text
// never comes out empty, and that no input makes it panic or grow without bound. Advertisements,
// tokens, counters and navigation around the content do not reach [Document.ContentHash]; every
// sentence, price and date inside the content does.
//
// One small table maps media types to extractors. A type that is not in it sets
// [Document.Unsupported] and is never an error: a page in an unknown format is data.
//
// # Life of an HTML page
//
//	bytes → UTF-8 (charset.go) → guard against parser blow-up (guard.go) → tree
//	tree  → pieces that come late in their places (late.go) → survey: visible text, links, candidates (survey.go)
//	      → content roots minus chrome (content.go, chrome.go; article.go and posts.go know articles and discussions)
//	      → blocks (blocks.go; grid.go, table.go, notes.go, formula.go, listing.go, anchors.go), images (images.go)
//	      → head: canonical, robots, language (head.go)
//
// When the guard or the parser refuses, flat.go keeps the text and gives up the structure
// ([Document.Flat]).
//
// Plain text (text.go) and tables of comma-separated values (csv.go) become blocks directly.
// Markdown (markdown.go) becomes HTML and then the same blocks, but nothing in it is chrome.
package extract

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Kind says what a [Block] is. Kinds are stored as text.
type Kind string

// The kinds of blocks. What fits no other kind is a [Paragraph].
const (
	Heading   Kind = "heading"
	Paragraph Kind = "paragraph"
	List      Kind = "list"  // one line per item, marked "- ", "1. ", "[^1]: " or, below a term, ": "; nested indented
	Code      Kind = "code"  // line breaks and indentation as written
	Table     Kind = "table" // one line per row: of HTML as GitHub Flavored Markdown has it, else cells joined by " | "
	Quote     Kind = "quote"
)

// Block is one piece of the main content.
type Block struct {
	Kind  Kind
	Level int    // 1 to 6 for headings, else 0
	Text  string // whitespace folded except in code, formulas as TeX between dollar signs; never empty
	// Language is that of code, as the page names it in lower case, such as "go" or "c++"; empty
	// when it does not, and for other kinds.
	Language string `json:",omitempty"`
	// Anchor is the id by which a browser goes to a heading, or to the term of a list of definitions that a block of
	// another kind explains, fit to stand in an address once it is escaped; empty when there is none. No hash covers it.
	Anchor string `json:",omitempty"`
}

// Separator stands between two blocks in [Document.Text].
const Separator = "\n\n"

// Join composes the text of blocks: [Document.Text] is that of the document's. A place in the text
// of a document, such as where a chunk begins, is one in this.
func Join(blocks []Block) string {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, Separator)
}

// Link is one reference from the page to another address.
type Link struct {
	URL  string // absolute, http or https, without fragment, not normalized otherwise
	Rel  string // the rel attribute in lower case, such as "nofollow"
	Text string // visible text, at most [maxLinkText] bytes
}

// Document is what a page says.
type Document struct {
	MimeType    string // media type in lower case, without parameters
	Unsupported bool   // no extractor reads this type; nothing below is set
	Charset     string // WHATWG name of the encoding that was decoded, such as "utf-8"
	Flat        bool   // too deep or too tangled to parse: text is kept, structure is not
	Truncated   bool   // a bound of [Limits] was reached
	// Thin says why a page has little to read: its scripts write what people see. No hash covers it.
	Thin string `json:",omitempty"`
	// Failure says what came in place of the page, such as an error with status 200 or a login form; empty for
	// a page. No hash covers it.
	Failure string `json:",omitempty"`

	Title            string
	Metadata         Metadata `json:",omitzero"`
	Language         string   // primary subtag in lower case, declared or detected; or empty
	LanguageDetected bool     // nothing is declared; the text reads as Language
	Canonical        string   // rel=canonical resolved to an absolute address, or empty
	MetaRobots       []string
	Blocks           []Block
	Text             string  // main content: the blocks, joined by [Join]
	VisibleText      string  // all visible text, one line per block
	Links            []Link  // in page order, one per address
	Images           []Image // of the main content in page order, one per address; the preview last
	// Protected are mail addresses that the page hides from programs, in the order in which Blocks have
	// "[email protected]" for them. Only the hashes of the content cover them.
	Protected []string `json:",omitempty"`
}

// Limits bound the work on one document. A zero field means its default.
type Limits struct {
	MaxBytes  int // of the body that are read; 5 MiB
	MaxTags   int // in the body before its structure is given up; 250,000
	MaxBlocks int // 20,000
	MaxLinks  int // 5,000
	MaxImages int // 500
}

func (l Limits) withDefaults() Limits {
	l.MaxBytes = cmp.Or(l.MaxBytes, 5<<20)
	l.MaxTags = cmp.Or(l.MaxTags, 250_000)
	l.MaxBlocks = cmp.Or(l.MaxBlocks, 20_000)
	l.MaxLinks = cmp.Or(l.MaxLinks, 5_000)
	l.MaxImages = cmp.Or(l.MaxImages, 500)
	return l
}

// extractors maps media types to what reads them.
var extractors = map[string]func(page) Document{
	"text/html":             extractHTML,
	"application/xhtml+xml": extractHTML,

	"text/plain":                extractText,
	"text/markdown":             extractMarkdown,
	"text/x-markdown":           extractMarkdown,
	"text/csv":                  extractCSV,
	"text/tab-separated-values": extractCSV,
}

// page is one document on its way through an extractor.
type page struct {
	body        []byte
	contentType string // with its parameters, which may name the charset
	base        *url.URL
	limits      Limits
}

// Extract reads a document. The contentType is the Content-Type header as received; when it is
// empty or says nothing, the body decides. Addresses are resolved against baseURL, the address
// the body came from in the end. The error is Invalid and blames baseURL; every body is fine.
//
// MetaRobots holds the contents of robots meta elements, those for one crawler prefixed by
// "name: ", in the form that package robots parses.
func Extract(body []byte, contentType, baseURL string, lim Limits) (Document, error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return Document{}, err
	}
	p := page{body: body, contentType: contentType, base: base, limits: lim.withDefaults()}
	mimeType := mediaType(contentType, body, base.Path)
	extract, known := extractors[mimeType]
	if !known {
		return Document{MimeType: mimeType, Unsupported: true}, nil
	}
	truncated := len(p.body) > p.limits.MaxBytes
	if truncated {
		p.body = p.body[:p.limits.MaxBytes]
	}
	doc := extract(p)
	doc.detectLanguage()
	doc.MimeType = mimeType
	doc.Truncated = doc.Truncated || truncated
	return doc, nil
}

func pageBase(baseURL string) (*url.URL, error) {
	base, err := url.Parse(baseURL)
	if err != nil || !dom.IsWeb(base) {
		return nil, fault.Field("baseURL", "base URL must be absolute http or https")
	}
	return base, nil
}

// PrimaryLanguage is the primary subtag of a BCP 47 tag (or the first of a Content-Language
// list) in lower case, such as "pt" for "pt-BR, en"; empty when that is not 2 to 8
// letters. A caller whose document declares no language may ask it about the Content-Language
// header, which is worth more than [Document.LanguageDetected].
func PrimaryLanguage(tag string) string {
	tag, _, _ = strings.Cut(strings.TrimSpace(tag), ",")
	end := strings.IndexAny(tag, "-_ ;")
	if end < 0 {
		end = len(tag)
	}
	tag = strings.ToLower(tag[:end])
	if len(tag) < 2 || len(tag) > 8 || tag == "und" {
		return ""
	}
	for _, c := range []byte(tag) {
		if c < 'a' || c > 'z' {
			return ""
		}
	}
	return tag
}
