package office

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// slide is a slide, or its notes, being converted to blocks.
type slide struct {
	*pptx
	*xmlPart
	links relations
	notes bool
	w     writer

	titles []extract.Block // titles are added first, wherever the slide shows them
	rest   []extract.Block

	shapes  int
	shape   shape
	cell    *[]byte // text of the table cell being read; nil outside of tables
	line    ink     // text of the paragraph being read
	run     tongue
	looks   looks
	written int
}

// slide reads a slide and its speaker's notes. It reports whether the document has room for further slides.
func (p *pptx) slide(name string) (bool, error) {
	links := p.archive.relations(name)
	s := newSlide(p, links)
	if err := p.archive.Required(name, s.read); err != nil {
		return false, err
	}
	notes := newSlide(p, relations{})
	notes.notes = true
	if err := p.archive.Optional(links.part("notesSlide"), notes.read); err != nil {
		return false, err
	}
	return s.emit() && notes.emit(), nil
}

func newSlide(p *pptx, links relations) *slide {
	s := &slide{pptx: p, links: links}
	s.w.add = func(b extract.Block) {
		if b.Kind == extract.Heading {
			s.titles = append(s.titles, b)
		} else {
			s.rest = append(s.rest, b)
		}
	}
	return s
}

func (s *slide) read(p *xmlPart, _ xml.StartElement) {
	s.xmlPart = p
	s.children(s.visit)
	s.w.flush()
}

// emit adds the collected blocks to the document. It reports whether the document has room for further slides.
func (s *slide) emit() bool {
	return !slices.ContainsFunc(append(s.titles, s.rest...), func(b extract.Block) bool { return !s.out.Add(b) })
}

// visit reads an element of the shape tree or of a text.
func (s *slide) visit(e xml.StartElement) {
	switch e.Name.Local {
	case "sp", "graphicFrame", "pic":
		s.readShape()
	case "ph":
		s.shape.placeholder(attr(e, "type"), s.notes)
	case "txBody":
		if !s.shape.repeats {
			s.children(s.visit)
		}
	case "p":
		s.paragraph()
	case "tbl":
		s.table()
	case "relIds":
		s.diagram(e)
	case "chart":
		s.chart(relationID(e))
	case "pt": // point of a diagram; its dgm:t holds paragraphs, not characters
		s.named("t", func(xml.StartElement) { s.children(s.visit) })
	case "AlternateContent":
		s.alternatives(s.visit, &s.written)
	default:
		s.inline(e)
	}
}

// inline reads an element of a paragraph.
func (s *slide) inline(e xml.StartElement) {
	switch e.Name.Local {
	case "r":
		s.readRun()
	case "t":
		s.xmlPart.Text(s.write)
	case "br":
		s.write([]byte("\n"))
	case "fld":
		// Slide numbers and dates are left out, because they change by themselves.
		if kind := attr(e, "type"); kind != "slidenum" && !strings.HasPrefix(kind, "datetime") {
			s.readRun()
		}
	case "oMath":
		equation{s.xmlPart, s.write, s.visit, &s.line.text}.read()
	case "hlinkClick":
		s.out.Link(s.links.address(relationID(e)), "")
	default:
		s.children(s.visit)
	}
}

// readRun reads an a:r and its link.
func (s *slide) readRun() {
	start, address := len(s.line.text), ""
	s.children(func(e xml.StartElement) {
		if e.Name.Local != "rPr" {
			s.visit(e)
			return
		}
		s.run = tongue{attr(e, "lang"), attr(e, "lang"), attr(e, "lang")}
		s.looks = looksOf(e)
		s.named("hlinkClick", func(e xml.StartElement) { address = s.links.address(relationID(e)) })
	})
	s.run, s.looks = tongue{}, looks{}
	s.out.Link(address, string(s.line.text[min(start, len(s.line.text)):]))
}

func (s *slide) write(chars []byte) {
	s.tongues.count(s.run, chars)
	s.line.write(chars, s.looks)
	s.written += len(chars)
}

// table reads an a:tbl.
func (s *slide) table() {
	var g grid
	var visit func(e xml.StartElement)
	visit = func(e xml.StartElement) {
		switch e.Name.Local {
		case "tr":
			s.children(visit)
			g.endRow()
		case "tc":
			var text []byte
			s.cell = &text
			s.children(s.visit)
			s.cell = nil
			g.cell(string(text))
		}
	}
	s.children(visit)
	s.w.block(extract.Table, 0, g.text())
}

// chart adds the numbers of a chart as a table.
func (s *slide) chart(id string) {
	_ = s.archive.Optional(s.links.byID[id].target, func(p *xmlPart, _ xml.StartElement) {
		s.w.chart(readChart(p))
	})
}

// diagram reads the text of a diagram, which is in a part of its own.
func (s *slide) diagram(e xml.StartElement) {
	outer := s.xmlPart
	// An error is also stored in the archive, which then ends the reading of the presentation.
	_ = s.archive.Optional(s.links.diagram(e), func(p *xmlPart, _ xml.StartElement) {
		s.xmlPart = p
		s.shapes++
		s.shape = shape{list: true, id: strconv.Itoa(s.shapes)}
		s.children(s.visit)
		s.w.flush()
	})
	s.xmlPart = outer
}

// looks is what the look of a run says about its text.
type looks struct {
	struck bool
	script script
}

// script is the position of text that is not on the line.
type script uint8

const (
	onLine script = iota
	superscript
	subscript
)

// property reads a property of a run in a text document.
func (l *looks) property(e xml.StartElement) {
	switch e.Name.Local {
	case "strike", "dstrike":
		l.struck = isOn(e)
	case "vertAlign":
		l.script = map[string]script{"superscript": superscript, "subscript": subscript}[attr(e, "val")]
	}
}

// looksOf returns the looks of a run on a slide.
func looksOf(e xml.StartElement) (l looks) {
	strike := attr(e, "strike")
	l.struck = strike == "sngStrike" || strike == "dblStrike"
	switch base := attr(e, "baseline"); {
	case strings.HasPrefix(base, "-"):
		l.script = subscript
	case strings.Trim(base, "0%") != "":
		l.script = superscript
	}
	return l
}

// ink is the text of a paragraph. Struck text has "~~" before and behind it, and an exponent or an index has a sign
// before it, as in text that is read from HTML.
type ink struct {
	text []byte
	last looks // of the text so far
}

const blanks = " \t\n\u00a0"

// write adds a piece of text.
func (k *ink) write(s []byte, l looks) {
	if len(bytes.Trim(s, blanks)) == 0 {
		k.text = append(k.text, s...) // blanks have no look
		return
	}
	if k.last.struck && !l.struck {
		k.end()
	}
	if l.struck && !k.last.struck {
		indent := len(s) - len(bytes.TrimLeft(s, blanks))
		k.text = append(append(k.text, s[:indent]...), dom.StrikeSign...)
		s = s[indent:]
	}
	if l.script != onLine && l.script != k.last.script {
		const longest = 24 // bytes of the word before a script
		word := string(k.text[max(0, len(k.text)-longest):])
		s = []byte(blocks.Script(word, string(s), l.script == subscript))
	}
	k.text, k.last = append(k.text, s...), l
}

// end ends struck text, before the blanks behind it.
func (k *ink) end() {
	if k.last.struck {
		at := len(bytes.TrimRight(k.text, blanks))
		k.text = slices.Insert(k.text, at, []byte(dom.StrikeSign)...)
	}
	k.last = looks{}
}
