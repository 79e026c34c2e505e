package office

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// This file turns OpenDocument files (ISO/IEC 26300) into the blocks of an [extract.Document]: texts (ODT),
// spreadsheets (ODS) and presentations (ODP). Headings, lists, tables, notes and comments keep their order. A cell is
// read as it is shown. Tracked deletions are left out.

// Types are the media types of the documents that [ODF] reads.
const (
	TextType         = "application/vnd.oasis.opendocument.text"
	SpreadsheetType  = "application/vnd.oasis.opendocument.spreadsheet"
	PresentationType = "application/vnd.oasis.opendocument.presentation"
)

// Bounds on tables. A spreadsheet may say of one cell that it is repeated a million times.
const (
	maxRepeat = 1_000
	maxCells  = 6 << 20 // bytes of all cells
)

// ODF reads a document of the given media type. The field MaxBytes of lim bounds the text. Errors: Blocked for a
// file with a password, TooLarge, Invalid for a broken file.
func ODF(body []byte, mimeType string, lim extract.Limits) (extract.Document, error) {
	a, err := openArchive(body)
	if err != nil {
		return extract.Document{}, err
	}
	encrypted := false
	if err := a.Optional("META-INF/manifest.xml", func(p *xmlPart, _ xml.StartElement) {
		p.children(func(e xml.StartElement) {
			p.children(func(e xml.StartElement) { encrypted = encrypted || e.Name.Local == "encryption-data" })
		})
	}); err != nil {
		return extract.Document{}, err
	}
	if encrypted {
		return extract.Document{}, fault.New(fault.Blocked, "the document is protected by a password")
	}
	r := &reader{kind: mimeType, out: extract.NewComposer(mimeType, lim), lists: map[string]map[int]bool{}, left: maxCells}
	var about meta
	if err := a.Optional("meta.xml", about.read); err != nil {
		return extract.Document{}, err
	}
	if err := a.Optional("styles.xml", r.styles); err != nil {
		return extract.Document{}, err
	}
	if err := a.Required("content.xml", r.document); err != nil {
		return extract.Document{}, err
	}
	doc := r.out.Document(extract.PrimaryLanguage(about.language), about.title)
	if r.left < 0 {
		doc.Truncated, doc.Cut = true, cmp.Or(doc.Cut, "only the first 6 MiB of the tables are read")
	}
	doc.Metadata.Author = dom.Clip(dom.Fold(about.author), extract.MaxName)
	return doc, nil
}

// meta is what a file says about itself.
type meta struct{ title, language, author string }

func (m *meta) read(p *xmlPart, _ xml.StartElement) {
	p.children(func(xml.StartElement) {
		p.children(func(e xml.StartElement) {
			to := map[string]*string{"title": &m.title, "language": &m.language, "initial-creator": &m.author}[e.Name.Local]
			if to != nil {
				p.short(to)
			}
		})
	})
}

// reader is a document being converted to blocks.
type reader struct {
	out   *extract.Composer
	in    *xmlPart
	kind  string                  // the media type
	lists map[string]map[int]bool // levels of the styles of lists that are numbered
	left  int                     // bytes of cells that may still be read

	text  []byte   // the paragraph being read
	lines []string // lines of the list being read
	depth int      // nesting of lists
	items []int    // numbers of the items; 0 for bullets
	style string   // style of the outermost list
	table *table   // the table being read; nil outside
	notes []string // notes of the paragraph, which follow it
}

// styles reads the styles of lists.
func (r *reader) styles(p *xmlPart, _ xml.StartElement) {
	p.children(func(xml.StartElement) { r.listStyles(p) })
}

func (r *reader) listStyles(p *xmlPart) {
	p.named("list-style", func(e xml.StartElement) {
		if len(r.lists) > 10_000 {
			return
		}
		levels := map[int]bool{}
		r.lists[attr(e, "name")] = levels
		p.children(func(e xml.StartElement) {
			level, _ := strconv.Atoi(attr(e, "level"))
			levels[level] = e.Name.Local == "list-level-style-number" && attr(e, "num-format") != ""
		})
	})
}

// document reads the content of the file.
func (r *reader) document(p *xmlPart, _ xml.StartElement) {
	r.in = p
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "automatic-styles":
			r.listStyles(p)
		case "body":
			p.children(func(xml.StartElement) { p.children(r.visit) })
		}
	})
	r.flush()
}

// add adds a block. When the document is full, it stops the reading.
func (r *reader) add(b extract.Block) {
	if !r.out.Add(b) {
		r.in.stop()
	}
}

func (r *reader) flush() {
	r.add(extract.Block{Kind: extract.List, Text: strings.Join(r.lines, "\n")})
	r.lines = nil
}

// visit reads an element that contains paragraphs.
func (r *reader) visit(e xml.StartElement) {
	switch e.Name.Local {
	case "h", "p":
		r.paragraph(e)
	case "list":
		r.list(e)
	case "table":
		r.grid(e)
	case "page":
		r.page(e)
	case "annotation":
		r.comment()
	case "tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls", "table-of-content",
		"alphabetical-index", "shapes", "desc", "binary-data", "database-ranges", "named-expressions", "settings",
		"calculation-settings", "content-validations", "event-listeners":
		// These are about the text, or repeat it.
	default:
		r.in.children(r.visit)
	}
}

// page reads a slide: its name is a heading if it has no title of its own.
func (r *reader) page(e xml.StartElement) {
	r.flush()
	r.add(extract.Block{Kind: extract.Heading, Level: 2, Text: dom.Fold(attr(e, "name"))})
	r.in.children(r.visit)
	r.flush()
}

// paragraph reads a heading or a paragraph. A paragraph inside another one, as in a text box, is added before it.
func (r *reader) paragraph(e xml.StartElement) {
	outer, outerNotes := r.text, r.notes
	r.text, r.notes = nil, nil
	r.inline()
	text, notes := dom.FoldLines(string(r.text)), r.notes
	r.text, r.notes = outer, outerNotes
	level, _ := strconv.Atoi(attr(e, "outline-level"))
	switch {
	case r.table != nil:
		r.table.add(strings.Join(append([]string{text}, notes...), " "))
		return
	case r.depth > 0:
		r.item(strings.ReplaceAll(text, "\n", " "))
	case e.Name.Local == "h" && text != "":
		r.flush()
		r.add(extract.Block{Kind: extract.Heading, Level: min(max(level, 1), 6), Text: strings.ReplaceAll(text, "\n", " ")})
	case text != "":
		r.flush()
		r.add(extract.Block{Kind: extract.Paragraph, Text: text})
	}
	for _, note := range notes {
		r.flush()
		r.add(extract.Block{Kind: extract.Paragraph, Text: note})
	}
}

// inline reads the text of a paragraph.
func (r *reader) inline() {
	r.in.all(func(text []byte) { r.text = append(r.text, text...) }, func(e xml.StartElement) bool {
		switch e.Name.Local {
		case "s", "tab":
			r.text = append(r.text, ' ')
		case "line-break":
			r.text = append(r.text, '\n')
		case "note":
			r.note()
		case "annotation":
			r.comment()
		case "ruby-text", "note-citation", "binary-data", "desc", "event-listeners":
		case "h", "p", "list", "table":
			r.visit(e)
		case "a":
			at := len(r.text)
			r.inline()
			r.out.Link(attr(e, "href"), string(r.text[at:]))
		default:
			return true
		}
		return false
	})
}

// note reads a footnote or an endnote. Its text follows the paragraph.
func (r *reader) note() {
	outer := r.text
	r.text = nil
	mark := ""
	r.in.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "note-citation":
			r.in.Text(func(s []byte) { mark += string(s) })
		case "note-body":
			r.in.children(func(xml.StartElement) { r.inline(); r.text = append(r.text, ' ') })
		}
	})
	text := dom.Fold(string(r.text))
	r.text = append(outer, "[^"+dom.Fold(mark)+"]"...)
	r.notes = append(r.notes, "[^"+dom.Fold(mark)+"]: "+text)
}

// comment reads a comment. Its text follows the paragraph.
func (r *reader) comment() {
	outer, author := r.text, ""
	r.text = nil
	r.in.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "creator":
			r.in.Text(func(s []byte) { author += string(s) })
		case "p", "list":
			r.inline()
			r.text = append(r.text, ' ')
		}
	})
	text := dom.Fold("Comment " + author + ": " + string(r.text))
	r.text, r.notes = outer, append(r.notes, strings.Replace(text, "Comment :", "Comment:", 1))
}
