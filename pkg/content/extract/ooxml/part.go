package ooxml

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxDepth limits how deep elements may be nested. In ordinary files, tables inside tables inside text boxes are
// about 60 deep.
const maxDepth = 256

// errEnough ends the reading of a part that has nothing else of use.
var errEnough = errors.New("enough was read")

// part is an XML part that is read one element at a time. After an error, a part returns no more elements, so callers
// need to check err only at the end.
type part struct {
	decoder  *xml.Decoder
	depth    int  // number of open elements
	elements *int // number of elements that may still be read
	err      error
}

func newPart(r io.Reader, elements *int) *part {
	d := xml.NewDecoder(decoded(r))
	// The text is already decoded, whatever encoding the declaration names.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return &part{decoder: d, elements: elements}
}

// next returns the next token, or nil at the end or after an error.
func (p *part) next() xml.Token {
	if p.err != nil {
		return nil
	}
	token, err := p.decoder.RawToken()
	if err != nil {
		p.err = err
		return nil
	}
	switch token.(type) {
	case xml.StartElement:
		p.depth++
		*p.elements--
		if p.err = p.bounded(); p.err != nil {
			return nil
		}
	case xml.EndElement:
		p.depth--
	}
	return token
}

func (p *part) bounded() error {
	switch {
	case p.depth > maxDepth:
		return fault.New(fault.TooLarge, "office file nests elements deeper than %d", maxDepth)
	case *p.elements < 0:
		return fault.New(fault.TooLarge, "office file holds more than %d elements", maxElements)
	}
	return nil
}

// root passes the outermost element to the given function, and checks that the element is closed.
func (p *part) root(read func(*part, xml.StartElement)) {
	for token := p.next(); token != nil; token = p.next() {
		if e, ok := token.(xml.StartElement); ok {
			read(p, e)
			p.skip(0)
			break
		}
	}
	if p.err == io.EOF {
		p.err = io.ErrUnexpectedEOF
	}
}

// children visits the elements inside the last visited element. It skips everything that the function visit does not
// read.
func (p *part) children(visit func(xml.StartElement)) {
	inside := p.depth
	for token := p.next(); token != nil; token = p.next() {
		switch e := token.(type) {
		case xml.StartElement:
			visit(e)
			p.skip(inside)
		case xml.EndElement:
			if p.depth < inside {
				return
			}
		}
	}
}

// skip skips the remaining tokens of the elements that are deeper than depth.
func (p *part) skip(depth int) {
	for p.depth > depth && p.next() != nil {
	}
}

// text passes the characters of the last visited element to the function write, piece by piece.
func (p *part) text(write func([]byte)) {
	inside := p.depth
	for token := p.next(); token != nil && p.depth >= inside; token = p.next() {
		if chars, ok := token.(xml.CharData); ok && p.depth == inside {
			write(chars)
		}
	}
}

// stop ends the reading of the part.
func (p *part) stop() {
	if p.err == nil {
		p.err = errEnough
	}
}

// alternatives visits an mc:AlternateContent (part 3 §7.5). It uses the first choice that holds text. So a drawing
// that is stored twice, once for newer and once for older programs, is read only once.
func (p *part) alternatives(visit func(xml.StartElement), written *int) {
	before := *written
	p.children(func(e xml.StartElement) {
		if *written == before {
			visit(e)
		}
	})
}

// attr returns the value of an attribute by its local name, or "". It ignores attributes with the prefix xmlns, which
// declare namespaces.
func attr(e xml.StartElement, name string) string {
	for i := range e.Attr {
		if e.Attr[i].Name.Local == name && e.Attr[i].Name.Space != "xmlns" {
			return e.Attr[i].Value
		}
	}
	return ""
}

// relationID returns the id of the relationship to which an element refers. This id is in the attribute named id that
// has a prefix. A slide also has an id without a prefix, which is not that of a relationship.
func relationID(e xml.StartElement) string {
	for i := range e.Attr {
		if n := e.Attr[i].Name; n.Local == "id" && n.Space != "" {
			return e.Attr[i].Value
		}
	}
	return ""
}

// isOn reports whether an element switches its property on. An element without a value switches the property on (part
// 1 §22.9.2.7).
func isOn(e xml.StartElement) bool {
	switch strings.ToLower(attr(e, "val")) {
	case "0", "false", "off", "none":
		return false
	}
	return true
}
