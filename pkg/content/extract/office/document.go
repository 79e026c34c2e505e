package office

import (
	"encoding/xml"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// docx is a Word document being converted to blocks.
type docx struct {
	archive *archive
	out     *extract.Composer
	tongues *tongues
	styles  styles
	lists   *numbering

	in      *xmlPart  // the part being read
	links   relations // relationships of that part
	w       writer
	para    paragraph
	serial  int      // number of the last paragraph
	cell    *[]byte  // text of the table cell that is being read; nil outside of tables
	inner   []string // tables inside cells; they are added after the outermost table
	fields  fields
	written int             // bytes of text written so far
	zone    extract.Zone    // zone of what is being read
	notes   map[string]bool // keys of the notes to which the text refers
}

// paragraph is the paragraph being collected.
type paragraph struct {
	ink

	serial int
	format format
	run    run
	open   bool
	joined bool // the end of the paragraph is a tracked deletion, so the next paragraph continues it
}

func newDocx(a *archive, out *extract.Composer) *docx {
	d := &docx{archive: a, out: out, tongues: newTongues(), styles: styles{}, notes: map[string]bool{}}
	d.lists = newNumbering(d.styles)
	d.w.add = d.add
	return d
}

// add adds a block. When the document is full, add stops the reading.
func (d *docx) add(b extract.Block) {
	if b.Zone = d.zone; !d.out.Add(b) {
		d.in.stop()
	}
}

// read reads the whole document.
func (d *docx) read(main string) error {
	links := d.archive.relations(main)
	if err := d.archive.Optional(links.part("styles"), d.styles.read(d.tongues)); err != nil {
		return err
	}
	if err := d.archive.Optional(links.part("numbering"), d.lists.read); err != nil {
		return err
	}
	wrong := ""
	err := d.archive.Required(main, func(p *xmlPart, root xml.StartElement) {
		if wrong = root.Name.Local; wrong == "document" {
			wrong = ""
			d.story(p, links)
		}
	})
	if err != nil {
		return err
	}
	if wrong != "" {
		return fault.New(fault.Invalid, "not a word document: its main part is a %.50q", wrong)
	}
	if err := d.readNotes(links); err != nil {
		return err
	}
	return d.readBeside(links)
}

// story reads the text of a part to its end.
func (d *docx) story(p *xmlPart, links relations) {
	d.in, d.links, d.fields = p, links, nil
	d.aside(func() { d.in.children(d.visit) })
	d.w.flush()
}

// aside reads content that is separate from the paragraph around it. The separate content is added before that
// paragraph.
func (d *docx) aside(read func()) {
	outer := d.para
	d.para = d.newParagraph()
	read()
	// At this point, d holds text only if the end of the last paragraph was deleted. That paragraph is not added yet.
	d.endParagraph()
	d.para = outer
}

func (d *docx) newParagraph() paragraph {
	d.serial++
	return paragraph{serial: d.serial}
}

// visit reads an element that contains paragraphs.
func (d *docx) visit(e xml.StartElement) {
	switch e.Name.Local {
	case "p":
		d.paragraph()
	case "tbl":
		d.table()
	case "sdt":
		d.control()
	case "AlternateContent":
		d.in.alternatives(d.visit, &d.written)
	case "altChunk":
		d.chunk(relationID(e))
	case "relIds":
		d.diagram(e)
	case "pt": // point of a diagram; its dgm:t holds paragraphs, not characters
		d.in.named("t", func(xml.StartElement) { d.in.children(d.visit) })
	case "chart":
		d.chart(relationID(e))
	case "oMathPara":
		d.equations()
	case "del", "moveFrom", "sectPr", "rt", "tblPr", "tcPr", "numPicBullet":
		// The element holds deleted text, or is about the text: for example, rt gives its pronunciation.
	default:
		d.inline(e)
	}
}

// control reads a content control. A control that only prompts for input adds nothing.
func (d *docx) control() {
	prompt := false
	d.in.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "sdtPr":
			d.in.children(func(e xml.StartElement) {
				prompt = prompt || e.Name.Local == "showingPlcHdr" && isOn(e)
			})
		case "sdtContent":
			if !prompt {
				d.in.children(d.visit)
			}
		}
	})
}

// paragraph reads a w:p, or an a:p in a drawing.
func (d *docx) paragraph() {
	if d.para.open {
		d.aside(d.paragraph)
		return
	}
	if !d.para.joined {
		d.para = d.newParagraph()
	}
	d.para.open, d.para.joined = true, false
	d.para.format, d.para.run = format{}, run{}
	d.in.children(d.visit)
	d.para.open = false
	if !d.para.joined {
		d.endParagraph()
	}
}

// endParagraph adds the paragraph to the cell or the document.
func (d *docx) endParagraph() {
	d.para.end()
	raw, r := string(d.para.text), d.styles.role(d.para.format)
	d.para = d.newParagraph()
	if r.level < 0 {
		r.level = d.lists.levelOf(r.list, r.style)
	}
	switch {
	case r.toc:
		// A table of contents repeats the headings. Its page numbers may change although the text does not.
	case d.cell != nil:
		if r.list != "" && strings.TrimSpace(raw) != "" {
			raw = strings.TrimPrefix(d.lists.marker(r.list, r.level), "- ") + raw
		}
		*d.cell = append(append(*d.cell, raw...), '\n')
	default:
		d.emit(r, raw)
	}
}

// emit adds a paragraph to the document.
func (d *docx) emit(r role, raw string) {
	switch text := dom.FoldLines(raw); {
	case r.kind == extract.Code:
		d.w.code(codeLine(raw))
	case text == "":
	case r.kind == extract.List:
		marker := d.lists.marker(r.list, r.level)
		d.w.item(r.list, r.level+r.indent, marker, strings.ReplaceAll(text, "\n", " "))
	case r.kind == extract.Heading:
		marker := ""
		if r.list != "" {
			marker = strings.TrimPrefix(d.lists.marker(r.list, r.level), "- ")
		}
		d.w.block(extract.Heading, r.heading, marker+strings.ReplaceAll(text, "\n", " "))
	default:
		d.w.block(r.kind, 0, text)
	}
}

// codeLine keeps indentation and line breaks, and drops invisible characters.
func codeLine(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t\u00a0"))]
		lines[i] = ""
		if text := strings.TrimRight(line[len(indent):], " \t\u00a0"); text != "" {
			lines[i] = strings.ReplaceAll(indent, "\u00a0", " ") + strings.ReplaceAll(text, "\u00ad", "")
		}
	}
	return strings.Join(lines, "\n")
}

// noteID returns the key of a note. The element is the note itself, or a reference to it.
func noteID(e xml.StartElement) string {
	return strings.TrimSuffix(e.Name.Local, "Reference") + " " + attr(e, "id")
}

// readNotes adds the footnotes and endnotes that the text refers to, after the text. Notes without a reference are
// only the lines between text and notes, or remains of deleted text.
func (d *docx) readNotes(links relations) error {
	for _, kind := range []string{"footnotes", "endnotes"} {
		name := links.part(kind)
		notes := d.archive.relations(name)
		err := d.archive.Optional(name, func(p *xmlPart, _ xml.StartElement) {
			p.children(func(e xml.StartElement) {
				if d.notes[noteID(e)] {
					d.story(p, notes)
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return d.archive.Err
}

// fields are the open fields, innermost last (part 1 §17.16.18). A field has a begin, a separator and an end. The
// text between the begin and the separator is its instruction. The text between the separator and the end is its
// result.
type fields []field

type field struct {
	instruction []byte
	separated   bool
	start       position
}

// field reads a w:fldChar, which is the begin, the separator or the end of a field.
func (d *docx) field(e xml.StartElement) {
	const deepest, longest = 64, 4096
	top := len(d.fields) - 1
	switch kind := attr(e, "fldCharType"); {
	case kind == "begin" && top < deepest:
		d.fields = append(d.fields, field{})
	case top < 0:
	case kind == "separate":
		d.fields[top].separated, d.fields[top].start = true, d.here()
	case kind == "end":
		if f := d.fields[top]; f.separated {
			d.out.Link(fieldAddress(string(f.instruction)), d.since(f.start))
		}
		d.fields = d.fields[:top]
	case e.Name.Local == "instrText":
		d.in.Text(func(s []byte) {
			f := &d.fields[top]
			f.instruction = append(f.instruction, s[:min(len(s), longest-len(f.instruction))]...)
		})
	}
}

// fieldAddress returns the address in the instruction of a HYPERLINK field (§17.16.5.25), or "".
func fieldAddress(instruction string) string {
	name, rest, _ := strings.Cut(strings.TrimSpace(instruction), " ")
	rest, quoted := strings.CutPrefix(strings.TrimSpace(rest), `"`)
	if !strings.EqualFold(name, "HYPERLINK") || !quoted {
		return ""
	}
	address, _, closed := strings.Cut(rest, `"`)
	if !closed {
		return ""
	}
	return address
}

// docxTable is a w:tbl that is being read. A table with a single column only arranges the page, so it is read like
// ordinary text. A table in a cell becomes a separate block after the outermost table.
type docxTable struct {
	d       *docx
	grid    grid
	columns int
	deleted bool // the row is a tracked deletion
}

func (d *docx) table() {
	t := docxTable{d: d}
	d.aside(func() { d.in.children(t.visit) })
	text := t.grid.text()
	if d.cell != nil {
		d.inner = append(d.inner, text)
		return
	}
	d.w.block(extract.Table, 0, text)
	for _, text := range d.inner {
		d.w.block(extract.Table, 0, text)
	}
	d.inner = nil
}

// visit reads an element of the table down to its cells. Rows and cells may be inside wrapper elements.
func (t *docxTable) visit(e xml.StartElement) {
	switch e.Name.Local {
	case "gridCol":
		t.columns++
	case "tr":
		t.deleted = false
		t.d.in.children(t.visit)
		t.grid.endRow()
	case "trPr":
		t.d.in.children(func(e xml.StartElement) { t.deleted = t.deleted || e.Name.Local == "del" })
	case "tc":
		if !t.deleted {
			t.cell()
		}
	case "del", "tblPr", "tblPrEx", "tblGridChange", "sdtPr":
		// The element holds properties of the table, or its former state.
	default:
		t.d.in.children(t.visit)
	}
}

func (t *docxTable) cell() {
	if t.columns == 1 {
		t.d.aside(func() { t.d.in.children(t.d.visit) })
		return
	}
	outer, text := t.d.cell, []byte(nil)
	t.d.cell = &text
	t.d.aside(func() { t.d.in.children(t.d.visit) })
	t.d.cell = outer
	t.grid.cell(string(text))
}
