// Package extract defines the content that a reader extracts from a document, whatever its format. The content is a
// [Document]: the title, the language, the main content in reading order, the links and images, and two hashes that
// distinguish a real change from noise.
//
// The packages below it read the formats: web reads those of the web; others read PDF, Office files and mail. All of
// them promise that the same bytes always give the same Document, and that no input makes them panic or use unbounded
// memory. Advertisements, tokens, counters and navigation around the content do not affect [Document.ContentHash].
// Every sentence, price and date inside the content does.
package extract

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"golang.org/x/net/html"
)

// Kind is the kind of a [Block]. Kinds are stored as text.
type Kind string

// The kinds of blocks. A block that fits no other kind is a [Paragraph].
const (
	Heading   Kind = "heading"
	Paragraph Kind = "paragraph"
	List      Kind = "list"  // a line per item, marked "- ", "1. ", "[^1]: " or ": " (a meaning); nested ones indented
	Code      Kind = "code"  // line breaks and indentation as written
	Table     Kind = "table" // a line per row: GitHub Flavored Markdown for HTML, else cells joined by " | "
	Quote     Kind = "quote"
)

// Zone is the part of a page in which a block was found. Zones are stored as text.
type Zone string

// The zones of visible text. A third zone, furniture, has no blocks. Furniture is navigation, the banner and footer
// of the page, dialogs such as a request for consent, and lists of links around the content.
const (
	Main   Zone = ""       // the main content
	Beside Zone = "beside" // visible and not furniture: boxes, notices, prices, tables and lists around the main content
)

// Block is a piece of the content.
type Block struct {
	Kind  Kind
	Level int    // 1 to 6 for headings, else 0
	Text  string // whitespace folded except in code; formulas in TeX between dollar signs; never empty
	// Language is the programming language of code, in lower case, such as "go" or "c++". It is empty if the page
	// gives no language, and for blocks of other kinds.
	Language string `json:",omitempty"`
	// Anchor is the id by which a browser jumps to a heading. A block that explains a term of a definition list has
	// the id of that term. Anchor is empty if there is no id. Before its use in an address, it must be escaped. No
	// hash covers it.
	Anchor string `json:",omitempty"`
	// Counted reports that the numbers before the items in Text come from browsers, which count the items. The page
	// does not state these numbers, and no hash covers them.
	Counted bool `json:",omitempty"`
	// Zone is the zone of the block. In a document, all blocks of [Main] come before those of [Beside].
	Zone Zone `json:",omitempty"`
}

// MainText returns the text of the main content, with which [Document.Text] begins.
func (d Document) MainText() string { return Join(MainBlocks(d.Blocks)) }

// MainBlocks returns the blocks of the main content. They come before all other blocks.
func MainBlocks(blocks []Block) []Block {
	for i, b := range blocks {
		if b.Zone != Main {
			return blocks[:i]
		}
	}
	return blocks
}

// Separator separates two blocks in [Document.Text].
const Separator = "\n\n"

// Join returns the text of blocks. [Document.Text] is the Join of the document's blocks. Offsets into the text of a
// document, such as the start of a chunk, are positions in this text.
func Join(blocks []Block) string {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, Separator)
}

// MaxLinkText limits the length of a link's stored text, in bytes.
const MaxLinkText = 200

// Link is a reference from the page to another address.
type Link struct {
	URL  string // absolute, http or https, without fragment, otherwise not normalized
	Rel  string // the rel attribute in lower case, such as "nofollow"
	Text string // visible text, at most [MaxLinkText] bytes
}

// Document is the content that was extracted from a document.
type Document struct {
	MimeType    string // media type in lower case, without parameters
	Unsupported bool   // no package reads this type; the fields below are not set
	Charset     string // WHATWG name of the encoding that was decoded, such as "utf-8"
	Flat        bool   // the page was too deep or tangled to parse; it has text but no structure
	Truncated   bool   // a bound of [Limits] was reached
	// Cut says which part of the text is read, such as "only the first 20,000 blocks are read". It is empty if all of
	// the text is read. Beyond is the summary of the other part, or zero if that part is not known. The content hash
	// covers Beyond, but not Cut.
	Cut    string `json:",omitempty"`
	Beyond Beyond `json:",omitzero"`
	// KeptLinks and KeptImages are the numbers of links and images that are kept if there are more; 0 if all are.
	KeptLinks  int `json:",omitempty"`
	KeptImages int `json:",omitempty"`
	// Thin is not empty if a page has little text because its scripts write what people see. It then gives the reason
	// for this conclusion. No hash covers it.
	Thin string `json:",omitempty"`
	// Failure describes the answer that the host sent in place of the page, such as an error with status 200 or a
	// login form. It is empty for a page. No hash covers it.
	Failure string `json:",omitempty"`
	// Door is the sign by which a page with little text is one for login, single sign-on or consent. The page may be
	// one all the same that readers want, so that only a redirect to it shows a failure. No hash covers it.
	Door string `json:",omitempty"`

	Title            string
	Metadata         Metadata `json:",omitzero"`
	Language         string   // primary subtag in lower case, declared or detected; may be empty
	LanguageDetected bool     // the page declares no language; Language was detected from the text
	Canonical        string   // rel=canonical resolved to an absolute address, or empty
	MetaRobots       []string
	Blocks           []Block
	Text             string  // the blocks, joined by [Join]
	VisibleText      string  // all visible text, one line per block
	Links            []Link  // in page order, one per address
	Images           []Image // images of the main content in page order, one per address; the preview last
	// Exact says that the hashes cover all numbers: somebody selected this part of a page, or the document is data.
	Exact bool `json:",omitempty"`
	// Protected are the mail addresses that the page hides from programs. The first address belongs at the first
	// "[email protected]" in Blocks, the second at the second, and so on. Only the content hashes cover them.
	Protected []string `json:",omitempty"`
	// Unread counts the elements whose text is not read. No hash covers it.
	Unread Unread `json:",omitzero"`
}

// Unread counts the elements of a page that hold text and are read only if somebody selects them.
type Unread struct{ Selects, Inputs, Textareas, Drawings int }

// String returns the numbers by element, as in "2 select, 1 svg", or "" if everything is read.
func (u Unread) String() string {
	var parts []string
	for _, of := range []struct {
		n    int
		name string
	}{{u.Selects, "select"}, {u.Inputs, "input"}, {u.Textareas, "textarea"}, {u.Drawings, "svg"}} {
		if of.n > 0 {
			parts = append(parts, strconv.Itoa(of.n)+" "+of.name)
		}
	}
	return strings.Join(parts, ", ")
}

// Limits bound the work on one document. Each zero field has a default.
type Limits struct {
	MaxBytes  int // bytes of the body to read; default 5 MiB
	MaxTags   int // tags beyond which the structure of the body is ignored; default 250,000
	MaxBlocks int // default 20,000
	MaxLinks  int // default 5,000
	MaxImages int // default 500
	// Tree, if it is set, is called with the tree of a web page that is read whole, and with its JSON-LD, before anything
	// else reads or changes the tree. It must neither change nor keep them.
	Tree func(root *html.Node, data jsonld.Data) `json:"-"`
}

// WithDefaults returns l with its zero fields set to the defaults.
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

// Title returns the first candidate that is not empty, cut to 500 bytes and without the sign of a link after it
// ("¶"). The first candidate should be the heading of the content, because it is the title of the page alone. The
// title element often contains more: the name of the site, or a number of messages.
func Title(candidates ...string) string {
	for _, c := range candidates {
		if c = strings.TrimRight(c, " ¶🔗"); c != "" {
			return dom.Clip(c, maxTitle)
		}
	}
	return ""
}

// Image is a picture in the content (requirement A18). Its texts are as a reader sees them, with whitespace folded.
type Image struct {
	URL     string // absolute, http or https, without fragment, otherwise not normalized
	Alt     string // the alt attribute, at most [MaxImageText] bytes
	Title   string // the title attribute, at most [MaxImageText] bytes
	Caption string // the figcaption of the figure around the image, at most [MaxImageText] bytes
	Preview bool   // the image is from og:image; the content may not contain it
}

// MaxImageText bounds each text of an image, in bytes.
const MaxImageText = 1000

// Metadata holds statements of a page about itself that are not part of its text. No hash covers them. Each text is
// one line of at most [MaxName] bytes.
type Metadata struct {
	Published time.Time `json:",omitzero"` // in UTC; midnight if the page gives only a day
	Modified  time.Time `json:",omitzero"`
	Author    string    `json:",omitempty"` // several authors are joined by ", "
	SiteName  string    `json:",omitempty"`
}

// earliest is the day before which nothing was published on the web.
var earliest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// Believable returns the metadata without implausible dates: dates before 1990, and dates more than a day after now
// (the day allows for clocks and time zones). It also drops a modification date that is before the publication date.
func (m Metadata) Believable(now time.Time) Metadata {
	latest := now.AddDate(0, 0, 1)
	if m.Published.Before(earliest) || m.Published.After(latest) {
		m.Published = time.Time{}
	}
	if m.Modified.Before(earliest) || m.Modified.After(latest) || m.Modified.Before(m.Published) {
		m.Modified = time.Time{}
	}
	return m
}

// MaxName limits the length of each text of [Metadata], in bytes.
const MaxName = 200

// Markdown writes blocks as GitHub Flavored Markdown, including the syntax of headings and code. It escapes the
// beginning of a paragraph that only looks like Markdown syntax.
func Markdown(blocks []Block) string {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		switch b.Kind {
		case Heading:
			texts[i] = strings.Repeat("#", min(max(b.Level, 1), 6)) + " " + strings.ReplaceAll(b.Text, "\n", " ")
		case Code:
			fence := "```"
			for strings.Contains(b.Text, fence) {
				fence += "`"
			}
			texts[i] = fence + b.Language + "\n" + b.Text + "\n" + fence
		case Quote:
			texts[i] = "> " + strings.ReplaceAll(b.Text, "\n", "\n> ")
		case Paragraph:
			texts[i] = looksMarked.ReplaceAllString(b.Text, `$1\$2`)
		default:
			texts[i] = b.Text
		}
	}
	return strings.Join(texts, Separator)
}

// looksMarked matches the beginning of a line that looks like a heading, a quotation or a fence of Markdown.
var looksMarked = regexp.MustCompile("(?m)^( {0,3})(#|>|```|~~~)")

// Folded is a line, or a part of one, of which the hashes leave something out, with the name of the rule.
type Folded struct {
	Line string `json:"line"` // at most 120 bytes
	Rule string `json:"rule"`
}

// maxFolded bounds how many lines a document lists.
const maxFolded = 20

// HashesFolded returns the hashes of a page, and the first lines of which they leave something out.
func (d Document) HashesFolded() (h Hashes, folded []Folded) {
	const longest = 120
	h = d.hashes(func(line, rule string) {
		f := Folded{words.Ellipsis(strings.TrimSpace(line), longest), rule}
		if len(folded) < maxFolded && !slices.Contains(folded, f) {
			folded = append(folded, f)
		}
	})
	return h, folded
}

// filter returns the noise filter for the text of a document.
func (d Document) filter() noise.Filter {
	return noise.Filter{Exact: d.Exact, DayFirst: d.Language != "" && d.Language != "en"}
}

// appendBlock appends the hashed form of a block and a line break. It leaves out a block in which readers see
// nothing.
func appendBlock(s *noise.Filter, b Block) {
	before := len(s.Out)
	addBlock(s, b)
	if len(s.Out) > before {
		s.Out = append(s.Out, '\n')
	}
}

func addBlock(s *noise.Filter, b Block) {
	if b.Counted {
		b.Text = withoutNumbers(b.Text)
	}
	switch b.Kind {
	case Code:
		s.Code(b.Text)
	case Table:
		s.Table(b.Text)
	case List:
		s.List(b.Text)
	case Heading:
		s.Heading(b.Level, b.Text)
	default:
		s.Block(b.Text)
	}
}

// withoutNumbers returns the text of a list with "-" in place of the number that browsers count before each item. Other
// lines of an item may begin with a number, too: that is what the page says, and such a number does not continue the
// count.
func withoutNumbers(text string) string {
	const gap = 5 // items without text have a number and no line
	var out strings.Builder
	var last []int // number of the last item at each depth of indentation
	for line := range strings.Lines(text) {
		item := strings.TrimLeft(line, " ")
		depth := len(line) - len(item)
		number, rest, found := strings.Cut(item, ".")
		for len(last) <= depth {
			last = append(last, 0)
		}
		n, err := strconv.Atoi(number)
		if found && err == nil && (out.Len() == 0 || n > last[depth] && n <= last[depth]+gap) {
			last = last[:depth+1]
			last[depth] = n
			line = "-" + rest
		}
		out.WriteString(line)
	}
	return out.String()
}
