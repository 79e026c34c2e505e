package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// maxTable limits the number of entries of a part with relationships, styles or lists. Further entries are treated as
// missing.
const maxTable = 65_536

// format holds the formatting that decides the role of a paragraph. If a pointer is nil, the style decides.
type format struct {
	style   string
	outline *int    // outline level: 0 to 8 for headings, 9 for body text
	list    *string // id of the list to which the paragraph belongs; "0" for none
	level   *int    // level of the paragraph in the list, from 0
	// listStyle is the style that gives the list; "" if the paragraph itself does.
	listStyle string
}

// style is one style of the file.
type style struct {
	name    string // in lower case; built-in styles have English names in every language
	basedOn string
	format
}

// styles are the styles of the file, by id.
type styles map[string]style

// read reads the styles part (part 1 §17.7).
func (ss styles) read(spoken *tongues) func(*xmlPart, xml.StartElement) {
	return func(p *xmlPart, _ xml.StartElement) {
		p.children(func(e xml.StartElement) {
			switch e.Name.Local {
			case "docDefaults":
				readDefaults(p, spoken)
			case "style":
				if len(ss) < maxTable {
					ss.add(p, e)
				}
			}
		})
	}
}

func readDefaults(p *xmlPart, spoken *tongues) {
	p.children(func(e xml.StartElement) {
		if e.Name.Local == "lang" {
			spoken.fallback = readTongue(e)
			return
		}
		readDefaults(p, spoken)
	})
}

func (ss styles) add(p *xmlPart, e xml.StartElement) {
	id, s := attr(e, "styleId"), style{}
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "name":
			s.name = strings.ToLower(attr(e, "val"))
		case "basedOn":
			s.basedOn = attr(e, "val")
		case "pPr":
			p.children(func(e xml.StartElement) { s.format.read(p, e) })
		}
	})
	ss[id] = s
}

// read reads one property of a paragraph.
func (l *format) read(p *xmlPart, e xml.StartElement) {
	switch e.Name.Local {
	case "pStyle":
		l.style = attr(e, "val")
	case "outlineLvl":
		l.outline = number(e)
	case "numPr":
		p.children(func(e xml.StartElement) {
			switch e.Name.Local {
			case "ilvl":
				l.level = number(e)
			case "numId":
				id := attr(e, "val")
				l.list = &id
			}
		})
	}
}

// number returns the value of an element, or nil if the element has no value. A value that is too small or too large
// becomes the nearest valid value.
func number(e xml.StartElement) *int {
	n, err := strconv.Atoi(attr(e, "val"))
	if err != nil {
		return nil
	}
	n = min(max(n, 0), 1_000_000)
	return &n
}

// role is the role of a paragraph.
type role struct {
	kind    extract.Kind
	heading int    // level of the heading; 0 for other text
	list    string // id of the list to which the item belongs
	level   int    // level of the item in its list; -1 if the style of that name decides it
	style   string // the style that gives the list
	indent  int    // further levels, from the name of the style
	toc     bool   // the paragraph is a line of the table of contents
}

// role returns the role of a paragraph with format l. It examines the paragraph's styles, nearest first, until each
// property is known.
func (ss styles) role(l format) role {
	const longest = 16 // a circle of styles that are based on each other must end
	r := role{kind: extract.Paragraph}
	named := false
	for range longest {
		s, found := ss[l.style]
		if !found && l.style != "" {
			s = style{name: spelledOut(l.style)}
		}
		if !named {
			named = r.byName(s.name)
		}
		l = l.inherit(s)
		if l.style = s.basedOn; l.style == "" {
			break
		}
	}
	r.byFormat(l)
	return r
}

// inherit returns l, with the properties that l does not set copied from a style.
func (l format) inherit(s style) format {
	if l.outline == nil {
		l.outline = s.outline
	}
	if l.list == nil {
		if l.list = s.list; l.list != nil {
			l.listStyle = l.style
		}
	}
	if l.level == nil {
		l.level = s.level
	}
	return l
}

// spelledOut returns the name of a built-in style whose definition is missing. For "Heading2" it returns "heading 2".
func spelledOut(id string) string {
	id = strings.ToLower(id)
	if level, found := strings.CutPrefix(id, "heading"); found {
		return "heading " + level
	}
	return id
}

// byName sets the role that follows from the name of a style, if any. The built-in style "list bullet 2" makes a
// separate list that looks like the second level of another list.
func (r *role) byName(name string) bool {
	if level, found := strings.CutPrefix(name, "heading "); found && len(level) == 1 && level >= "1" && level <= "9" {
		r.kind, r.heading = extract.Heading, min(int(level[0]-'0'), 6)
		return true
	}
	if i := len(name) - 2; i > 0 && (name[:i] == "list bullet" || name[:i] == "list number") && name[i] == ' ' {
		r.indent = max(int(name[i+1]-'1'), 0)
		return true
	}
	switch name {
	case "title":
		r.kind, r.heading = extract.Heading, 1
	case "quote", "intense quote", "block text", "quotations":
		r.kind = extract.Quote
	case "html preformatted", "preformatted text", "source code", "macro text":
		r.kind = extract.Code
	case "toc heading", "contents heading":
		r.toc = true
	default:
		r.toc = strings.HasPrefix(name, "toc ") && len(name) == len("toc 1")
		return r.toc
	}
	return true
}

// byFormat sets the parts of the role that the styles do not decide. An outline level makes any paragraph a heading.
// The level for body text makes a paragraph body text, even if its style has the name of a heading.
func (r *role) byFormat(l format) {
	if l.outline != nil && *l.outline < 9 {
		r.kind, r.heading = extract.Heading, min(*l.outline+1, 6)
	}
	if l.list == nil || *l.list == "0" || r.kind != extract.Paragraph && r.kind != extract.Heading {
		return
	}
	r.list, r.style, r.level = *l.list, l.listStyle, -1
	if l.level != nil {
		r.level = *l.level
	}
	if r.kind == extract.Paragraph {
		r.kind = extract.List
	}
}
