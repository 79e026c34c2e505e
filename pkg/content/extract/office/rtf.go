package office

import (
	"bytes"
	"strconv"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// This file turns Rich Text Format files (RTF 1.9.1) into the blocks of an [extract.Document]: headings by their
// outline level, paragraphs, the rows of tables, and footnotes. It leaves out pictures, objects, headers and footers,
// and text that is hidden or deleted.

// RTFType is the type of the documents that [RTF] reads.
const RTFType = "application/rtf"

// RTFMagic is how every document begins.
const RTFMagic = `{\rtf`

// Bounds on a document.
const (
	maxDepth = 1_000
	maxText  = 20 << 20 // bytes of a paragraph
)

// state is what a group inherits from the group around it.
type state struct {
	skip    bool    // the text is not shown
	to      *[]byte // where the text goes instead of the paragraph; nil for the paragraph
	unicode int     // number of characters that follow a Unicode character for older readers
	level   int     // outline level of the paragraph, from 1; 0 for none
	table   bool    // the paragraph is in a table
	hidden  bool
	note    bool // the text is that of a note, which is shown in brackets
	page    encoding.Encoding
}

// rtfReader is a document being read.
type rtfReader struct {
	in     []byte
	at     int
	out    *extract.Composer
	now    state
	outer  []state
	omit   int // characters that are still left out after a Unicode character
	high   rune
	raw    []byte // bytes in the code page that are not decoded yet
	text   []byte
	row    []string
	rows   []string
	styles map[int]int               // outline levels of styles
	fonts  map[int]encoding.Encoding // code pages of fonts
	font   int
	style  int

	title, author []byte
	full          bool
}

// RTF reads a document. The field MaxBytes of lim bounds the text. Errors: Invalid for another format.
func RTF(body []byte, lim extract.Limits) (extract.Document, error) {
	if !bytes.HasPrefix(body, []byte(RTFMagic)) {
		return extract.Document{}, fault.New(fault.Invalid, "not a document in rich text format")
	}
	r := &rtfReader{in: body, out: extract.NewComposer(RTFType, lim), styles: map[int]int{},
		fonts: map[int]encoding.Encoding{}, now: state{unicode: 1, page: charmap.Windows1252}}
	for r.at < len(r.in) && !r.full {
		r.next()
	}
	r.paragraph()
	r.flush()
	doc := r.out.Document("", string(r.title))
	doc.Metadata.Author = dom.Clip(dom.Fold(string(r.author)), extract.MaxName)
	return doc, nil
}

// next reads a group delimiter, a control word or a character.
func (r *rtfReader) next() {
	c := r.in[r.at]
	r.at++
	switch c {
	case '{':
		r.decode()
		if len(r.outer) < maxDepth {
			r.outer = append(r.outer, r.now)
		} else {
			r.stop(extract.Only(maxDepth, "level") + " of groups")
		}
	case '}':
		r.decode()
		if n := len(r.outer); n > 0 {
			if r.now.note && !r.outer[n-1].note {
				r.write([]byte(")"))
			}
			r.now, r.outer = r.outer[n-1], r.outer[:n-1]
		}
	case '\\':
		r.control()
	case '\r', '\n', 0:
	default:
		r.char(c)
	}
}

// char adds a byte of text in the code page.
func (r *rtfReader) char(c byte) {
	if r.omit > 0 {
		r.omit--
		return
	}
	r.raw = append(r.raw, c)
}

// decode adds the bytes that are not decoded yet to the text.
func (r *rtfReader) decode() {
	if len(r.raw) == 0 {
		return
	}
	page := r.now.page
	if f := r.fonts[r.font]; f != nil {
		page = f
	}
	text, err := page.NewDecoder().Bytes(r.raw)
	if err != nil {
		text = r.raw
	}
	r.raw = r.raw[:0]
	r.write(text)
}

func (r *rtfReader) write(text []byte) {
	switch {
	case r.now.skip || r.now.hidden:
	case r.now.to != nil:
		if *r.now.to = append(*r.now.to, text...); len(*r.now.to) > maxText {
			r.stop(extract.OnlyBytes(maxText) + " of a property")
		}
	default:
		if r.text = append(r.text, text...); len(r.text) > maxText {
			r.stop(extract.OnlyBytes(maxText) + " of a paragraph")
		}
	}
}

// stop ends the reading at a bound. What follows is compared by its bytes.
func (r *rtfReader) stop(why string) {
	if !r.full {
		r.out.SkipBytes(why, r.in[r.at:])
		r.full = true
	}
}

// control reads what follows a backslash.
func (r *rtfReader) control() {
	if r.at >= len(r.in) {
		return
	}
	c := r.in[r.at]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		r.at++
		r.symbol(c)
		return
	}
	start := r.at
	for r.at < len(r.in) && r.in[r.at]|0x20 >= 'a' && r.in[r.at]|0x20 <= 'z' && r.at-start < 32 {
		r.at++
	}
	word := string(r.in[start:r.at])
	start = r.at
	if r.at < len(r.in) && r.in[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.in) && r.in[r.at] >= '0' && r.in[r.at] <= '9' && r.at-start < 11 {
		r.at++
	}
	n, err := strconv.Atoi(string(r.in[start:r.at]))
	if r.at < len(r.in) && r.in[r.at] == ' ' {
		r.at++
	}
	r.word(word, n, err == nil)
}

// symbol reads a control symbol.
func (r *rtfReader) symbol(c byte) {
	switch c {
	case '\'':
		if r.at+2 <= len(r.in) {
			if n, err := strconv.ParseUint(string(r.in[r.at:r.at+2]), 16, 8); err == nil {
				r.char(byte(n))
			}
			r.at += 2
		}
	case '*':
		r.decode()
		r.now.skip = r.now.skip || !r.knows()
	case '~':
		r.decode()
		r.write([]byte(" "))
	case '_':
		r.decode()
		r.write([]byte("-"))
	case '\r', '\n':
		r.decode()
		r.endParagraph()
	case '{', '}', '\\':
		r.char(c)
	}
}

// knows reports whether the text of an optional destination, whose name follows, is shown.
func (r *rtfReader) knows() bool {
	name, found := bytes.CutPrefix(r.in[r.at:min(len(r.in), r.at+20)], []byte(`\`))
	return found && (bytes.HasPrefix(name, []byte("footnote")) || bytes.HasPrefix(name, []byte("shptxt")) ||
		bytes.HasPrefix(name, []byte("fldinst")) || bytes.HasPrefix(name, []byte("cs")))
}

// codePage returns the encoding of a Windows code page; nil if it is not known.
func codePage(n int) encoding.Encoding {
	label := "windows-" + strconv.Itoa(n)
	switch n {
	case 437, 850:
		return map[int]encoding.Encoding{437: charmap.CodePage437, 850: charmap.CodePage850}[n]
	case 932:
		label = "shift_jis"
	case 936:
		label = "gbk"
	case 949:
		label = "euc-kr"
	case 950:
		label = "big5"
	case 10000:
		label = "macintosh"
	case 65001:
		label = "utf-8"
	}
	enc, _ := charset.Lookup(label)
	return enc
}

// pageOfCharset maps the character sets of fonts to code pages.
var pageOfCharset = map[int]int{128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
	178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250}
