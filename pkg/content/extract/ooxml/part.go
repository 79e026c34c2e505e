package ooxml

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxDepth bounds how deep elements are nested. Tables in tables in text boxes reach about 60.
const maxDepth = 256

// errEnough ends the reading of a part of which nothing more is wanted.
var errEnough = errors.New("enough was read")

// part is an XML part, read one element at a time. After an error it has no more elements, so
// callers need not look at err on the way.
type part struct {
	decoder  *xml.Decoder
	depth    int  // open elements
	elements *int // that may still be read
	err      error
}

func newPart(r io.Reader, elements *int) *part {
	d := xml.NewDecoder(decoded(r))
	// The text is decoded already, whatever the declaration says.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return &part{decoder: d, elements: elements}
}

// next is the next token; nil at the end or after an error.
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

// root reads the outermost element and makes sure that it ends.
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

// children visits the elements inside the one that was last visited. What visit leaves unread of
// an element is passed over.
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

// skip passes over what is left of elements deeper than depth.
func (p *part) skip(depth int) {
	for p.depth > depth && p.next() != nil {
	}
}

// text gives the characters of the element that was last visited, piece by piece.
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

// alternatives visits an mc:AlternateContent (part 3 §7.5): the first choice that holds text
// counts, so that what is drawn twice for newer and older programs is read once.
func (p *part) alternatives(visit func(xml.StartElement), written *int) {
	before := *written
	p.children(func(e xml.StartElement) {
		if *written == before {
			visit(e)
		}
	})
}

// attr is the value of an attribute by its local name, or "". Attributes with the prefix xmlns
// declare namespaces.
func attr(e xml.StartElement, name string) string {
	for i := range e.Attr {
		if e.Attr[i].Name.Local == name && e.Attr[i].Name.Space != "xmlns" {
			return e.Attr[i].Value
		}
	}
	return ""
}

// relationID is the id of a relationship in an element: the attribute named id that has a prefix,
// as a slide has an id without.
func relationID(e xml.StartElement) string {
	for i := range e.Attr {
		if n := e.Attr[i].Name; n.Local == "id" && n.Space != "" {
			return e.Attr[i].Value
		}
	}
	return ""
}

// isOn reads an element that switches something by being there (part 1 §22.9.2.7).
func isOn(e xml.StartElement) bool {
	switch strings.ToLower(attr(e, "val")) {
	case "0", "false", "off", "none":
		return false
	}
	return true
}
