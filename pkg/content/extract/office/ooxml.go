package office

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Word and PowerPoint files are read in the order in which a reader sees them, and every word appears at most once.
// Text that is a tracked deletion or is hidden is left out, because it is not part of what the author wrote. In Word
// files, the headers and footers of pages and the comments are beside the main content.
//
// # Life of a file
//
//	bytes → archive, counted within bounds (archive.go) → parts by relationship (relations.go)
//	part  → elements one at a time, never a tree
//	DOCX  → styles.go, numbering.go → document.go, run.go, math.go, other.go, chart.go
//	PPTX  → presentation.go → slide.go
//	      → lines that belong together become one block (writer.go) → extract.Composer
//
// Elements are identified by local name alone. The Strict and Transitional forms of the standard differ only in
// namespaces. Where several vocabularies have an element of the same name (w:t, a:t, m:t), the elements have the same
// meaning.

// The media types that this package reads.
const (
	docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	pptxType = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
)

// DOCX reads a Word document. The level of a heading is its outline level. Notes follow the text. Of the links, only
// external ones are returned. The language is the declared language, or else the language of most of the text.
//
// lim.MaxBytes limits the text, not the body, which is read whole. A document that exceeds a bound is cut and is
// Truncated. Errors: Blocked for a file with a password; TooLarge for a file that would inflate beyond the bounds of
// this package; Invalid for a broken file or one that is not a Word document.
func DOCX(body []byte, lim extract.Limits) (extract.Document, error) {
	a, main, err := open(body)
	if err != nil {
		return extract.Document{}, err
	}
	return a.docx(main, lim)
}

// PPTX reads a PowerPoint presentation, slide by slide: the title as a heading of level 2, the text, the tables, and
// the speaker's notes. In all other respects it is like [DOCX].
func PPTX(body []byte, lim extract.Limits) (extract.Document, error) {
	a, main, err := open(body)
	if err != nil {
		return extract.Document{}, err
	}
	return a.pptx(main, lim)
}

func (a *archive) docx(main string, lim extract.Limits) (extract.Document, error) {
	d := newDocx(a, extract.NewComposer(docxType, lim))
	if err := d.read(main); err != nil {
		return extract.Document{}, err
	}
	return a.finish(d.out, d.tongues)
}

func (a *archive) pptx(main string, lim extract.Limits) (extract.Document, error) {
	p := &pptx{archive: a, out: extract.NewComposer(pptxType, lim), tongues: newTongues()}
	if err := p.read(main); err != nil {
		return extract.Document{}, err
	}
	return a.finish(p.out, p.tongues)
}

// finish adds the properties of the file and completes the document.
func (a *archive) finish(out *extract.Composer, spoken *tongues) (extract.Document, error) {
	var p properties
	if err := a.Optional(a.own.part("core-properties"), p.read); err != nil {
		return extract.Document{}, err
	}
	if a.Err != nil {
		return extract.Document{}, a.Err
	}
	language := extract.PrimaryLanguage(p.language)
	language = cmp.Or(language, spoken.most())
	return out.Document(language, p.usefulTitle()), nil
}

// archive is a package of parts (ECMA-376 part 2).
type archive struct {
	*zipArchive
	own relations // relationships of the package itself
}

// open opens the archive and finds the main part of the document.
func open(body []byte) (*archive, string, error) {
	if err := refuseCompound(body); err != nil {
		return nil, "", err
	}
	z, err := openArchive(body)
	if err != nil {
		return nil, "", err
	}
	a := &archive{zipArchive: z}
	if a.own = a.relations(""); a.Err != nil {
		return nil, "", a.Err
	}
	main := a.own.part("officeDocument")
	if main == "" {
		return nil, "", fault.New(fault.Invalid, "broken office file: it names no main part")
	}
	return a, main, nil
}

// compoundMagic is the beginning of files in the older binary formats. Newer files with a password begin with it too,
// because encryption requires that container ([MS-OFFCRYPTO] §2.3.4).
var compoundMagic = []byte{0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1}

// encryptedPackage is the name of the stream that holds an encrypted document, in UTF-16.
var encryptedPackage = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

func refuseCompound(body []byte) error {
	switch {
	case !bytes.HasPrefix(body, compoundMagic):
		return nil
	case bytes.Contains(body, encryptedPackage):
		return fault.New(fault.Blocked, "password-protected office file")
	}
	return fault.New(fault.Invalid, "office file of the old binary format, which cannot be read")
}

// pptx is a presentation being converted to blocks.
type pptx struct {
	archive *archive
	out     *extract.Composer
	tongues *tongues
}

// read reads all slides in the order of the show. It includes slides that the show skips, because everybody who opens
// the file can see them.
func (p *pptx) read(main string) error {
	links := p.archive.relations(main)
	slides, err := p.slides(main, links)
	if err != nil {
		return err
	}
	for _, name := range slides {
		room, err := p.slide(name)
		if err != nil {
			return err
		}
		if !room {
			break
		}
	}
	return p.archive.Err
}

// slides returns the names of the slides' parts, without repeats.
func (p *pptx) slides(main string, links relations) ([]string, error) {
	var names []string
	wrong, seen := "", map[string]bool{}
	err := p.archive.Required(main, func(part *xmlPart, root xml.StartElement) {
		if wrong = root.Name.Local; wrong != "presentation" {
			return
		}
		wrong = ""
		part.named("sldIdLst", func(xml.StartElement) {
			part.children(func(e xml.StartElement) {
				r := links.byID[relationID(e)]
				if r.kind == "slide" && !seen[localName(r.target)] {
					seen[localName(r.target)] = true
					names = append(names, r.target)
				}
			})
		})
	})
	if err == nil && wrong != "" {
		err = fault.New(fault.Invalid, "not a presentation: its main part is a %.50q", wrong)
	}
	return names, err
}

// maxTongues is the largest number of languages that are counted. A document in more languages has no main language.
const maxTongues = 64

// tongue is the set of languages of a run. The script of the text determines which of them applies (part 1
// §17.3.2.20).
type tongue struct{ latin, eastAsia, complex string }

func readTongue(e xml.StartElement) tongue {
	return tongue{attr(e, "val"), attr(e, "eastAsia"), attr(e, "bidi")}
}

// of returns the language in t that applies to a text, or "".
func (t tongue) of(text []byte) string {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case !unicode.IsLetter(r):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return t.eastAsia
		case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari):
			return t.complex
		default:
			return t.latin
		}
	}
	return ""
}

// tongues counts the amount of text in each language.
type tongues struct {
	bytes    map[string]int
	fallback tongue // languages of text for which the file gives no language
}

func newTongues() *tongues { return &tongues{bytes: map[string]int{}} }

// count adds the length of a text to that of its language.
func (ts *tongues) count(t tongue, text []byte) {
	tag := t.of(text)
	if tag == "" {
		tag = ts.fallback.of(text)
	}
	language := extract.PrimaryLanguage(tag)
	if _, known := ts.bytes[language]; language != "" && (known || len(ts.bytes) < maxTongues) {
		ts.bytes[language] += len(text)
	}
}

// most returns the language with the most text, or "". If several languages have the same amount, it returns the
// first in alphabetical order.
func (ts *tongues) most() string {
	best := ""
	for language, n := range ts.bytes {
		if best == "" || n > ts.bytes[best] || n == ts.bytes[best] && language < best {
			best = language
		}
	}
	return best
}
