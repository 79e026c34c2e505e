package office

import (
	"encoding/xml"
	"strconv"
)

// run holds the properties of the text that is read next.
type run struct {
	hidden bool
	tongue tongue
	looks  looks
}

// inline reads an element of a paragraph.
func (d *docx) inline(e xml.StartElement) {
	switch e.Name.Local {
	case "pPr":
		d.in.children(d.paragraphProperty)
	case "r":
		d.run()
	case "t":
		d.in.Text(d.write)
	case "tab", "ptab":
		d.write([]byte("\t"))
	case "br", "cr":
		d.write([]byte("\n"))
	case "noBreakHyphen":
		d.write([]byte("-"))
	case "sym":
		d.symbol(e)
	case "oMath":
		equation{d.in, d.write, d.visit, &d.para.text}.read()
	case "hyperlink":
		d.hyperlink(d.links.address(relationID(e)))
	case "hlinkClick":
		d.out.Link(d.links.address(relationID(e)), "")
	case "fldSimple":
		d.hyperlink(fieldAddress(attr(e, "instr")))
	case "fldChar", "instrText":
		d.field(e)
	case "footnoteReference", "endnoteReference":
		d.notes[noteID(e)] = true
	default:
		d.in.children(d.visit)
	}
}

// paragraphProperty reads an element of w:pPr.
func (d *docx) paragraphProperty(e xml.StartElement) {
	if e.Name.Local != "rPr" {
		d.para.format.read(d.in, e)
		return
	}
	d.in.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "del", "moveFrom":
			d.para.joined = true
		}
	})
}

// run reads a w:r. A run in an equation may contain another.
func (d *docx) run() {
	outer := d.para.run
	d.in.children(func(e xml.StartElement) {
		if e.Name.Local == "rPr" {
			d.in.children(d.runProperty)
			return
		}
		d.visit(e)
	})
	d.para.run = outer
}

func (d *docx) runProperty(e xml.StartElement) {
	switch e.Name.Local {
	case "vanish":
		d.para.run.hidden = isOn(e)
	case "lang":
		d.para.run.tongue = readTongue(e)
	default:
		d.para.run.looks.property(e)
	}
}

// write adds text to the paragraph.
func (d *docx) write(s []byte) {
	if d.para.run.hidden {
		return
	}
	d.tongues.count(d.para.run.tongue, s)
	d.para.write(s, d.para.run.looks)
	d.written += len(s)
}

// symbol reads a w:sym. It ignores codes in the private-use area, because only the font gives them a meaning. Most
// codes are in that area.
func (d *docx) symbol(e xml.StartElement) {
	code, err := strconv.ParseUint(attr(e, "char"), 16, 16)
	if err == nil && code >= ' ' && (code < 0xd800 || code >= 0xf900) {
		d.write([]byte(string(rune(code))))
	}
}

// hyperlink reads the text of a link.
func (d *docx) hyperlink(address string) {
	start := d.here()
	d.in.children(d.visit)
	d.out.Link(address, d.since(start))
}

// position is a position in the text.
type position struct{ paragraph, offset int }

func (d *docx) here() position { return position{d.para.serial, len(d.para.text)} }

// since returns the text that was written to the paragraph after position p.
func (d *docx) since(p position) string {
	const most = 1024 // the stored text of a link is shorter
	if p.paragraph != d.para.serial {
		p.offset = 0
	}
	text := d.para.text[min(p.offset, len(d.para.text)):]
	return string(text[:min(len(text), most)])
}
