package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// shape is the text shape that is being read.
type shape struct {
	id      string
	title   bool
	list    bool // paragraphs are list items unless they declare another format
	repeats bool // the shape repeats on every slide, like a date or a footer
	counts  counts
}

// placeholder sets the purpose for which the layout reserves the shape (part 1 §19.7.10). The layout gives a bullet
// to every paragraph in the body of a slide, but not to those in notes.
func (sh *shape) placeholder(kind string, notes bool) {
	switch kind {
	case "title", "ctrTitle":
		sh.title = true
	case "dt", "ftr", "hdr", "sldNum", "sldImg":
		sh.repeats = true
	case "body", "obj", "":
		sh.list = !notes
	}
}

func (s *slide) readShape() {
	s.shapes++
	s.shape = shape{id: strconv.Itoa(s.shapes)}
	s.children(s.visit)
	s.w.flush()
}

// bullet is the list formatting of a paragraph on a slide.
type bullet struct {
	level int
	item  bool
	auto  bool // the paragraph is numbered
	start int
}

// paragraph reads an a:p.
func (s *slide) paragraph() {
	outer := s.line
	s.line = ink{}
	b := bullet{item: s.shape.list}
	s.children(func(e xml.StartElement) {
		if e.Name.Local == "pPr" {
			s.bullet(&b, e)
		} else {
			s.visit(e)
		}
	})
	s.line.end()
	text := dom.FoldLines(string(s.line.text))
	s.line = outer
	line := strings.ReplaceAll(text, "\n", " ")
	switch {
	case s.cell != nil:
		*s.cell = append(append(*s.cell, line...), ' ')
	case s.shape.title:
		s.w.block(extract.Heading, 2, line)
	case b.item && line != "":
		s.w.item(s.shape.id, b.level, s.shape.marker(b), line)
	default:
		s.w.block(extract.Paragraph, 0, text)
	}
}

// bullet reads an a:pPr.
func (s *slide) bullet(b *bullet, e xml.StartElement) {
	if level, err := strconv.Atoi(attr(e, "lvl")); err == nil {
		b.level = min(max(level, 0), maxLevels-1)
	}
	s.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "buNone":
			b.item = false
		case "buChar", "buBlip":
			b.item = true
		case "buAutoNum":
			b.item, b.auto, b.start = true, true, 1
			if n, err := strconv.Atoi(attr(e, "startAt")); err == nil {
				b.start = min(max(n, 1), 32767)
			}
		}
	})
}

// marker returns the marker of an item, and counts the item.
func (sh *shape) marker(b bullet) string {
	if b.auto {
		return strconv.Itoa(b.start+sh.counts.step(b.level)-1) + ". "
	}
	clear(sh.counts[b.level:])
	return "- "
}
