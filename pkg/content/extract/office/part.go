package office

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxXMLDepth limits how deep elements may be nested. In ordinary files, tables inside tables inside text boxes are
// about 60 deep.
const maxXMLDepth = 256

// errEnough ends the reading of a part that has nothing else of use.
var errEnough = errors.New("enough was read")

// xmlPart is an XML part that is read one element at a time. After an error it returns no more elements, so callers
// need to check err only at the end.
type xmlPart struct {
	decoder  *xml.Decoder
	depth    int  // number of open elements
	elements *int // number of elements that may still be read
	err      error
}

// newPart returns a part that is read from r. Each element that is read is subtracted from elements.
func newPart(r io.Reader, elements *int) *xmlPart {
	d := xml.NewDecoder(decoded(r))
	// The text is already decoded, whatever encoding the declaration names.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return &xmlPart{decoder: d, elements: elements}
}

// next returns the next token, or nil at the end or after an error.
func (p *xmlPart) next() xml.Token {
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

func (p *xmlPart) bounded() error {
	switch {
	case p.depth > maxXMLDepth:
		return fault.New(fault.TooLarge, "office file nests elements deeper than %d", maxXMLDepth)
	case *p.elements < 0:
		return fault.New(fault.TooLarge, "office file holds more than %d elements", maxElements)
	}
	return nil
}

// root passes the outermost element to the given function, and checks that the element is closed.
func (p *xmlPart) root(read func(*xmlPart, xml.StartElement)) {
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

// children visits the elements inside the last visited element. It skips everything that visit leaves unread.
func (p *xmlPart) children(visit func(xml.StartElement)) {
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

// named is like [xmlPart.children], but visits only the elements with a name.
func (p *xmlPart) named(name string, visit func(xml.StartElement)) {
	p.children(func(e xml.StartElement) {
		if e.Name.Local == name {
			visit(e)
		}
	})
}

// skip skips the remaining tokens of elements deeper than depth.
func (p *xmlPart) skip(depth int) {
	for p.depth > depth && p.next() != nil {
	}
}

// Text passes the characters of the last visited element to write, piece by piece.
func (p *xmlPart) Text(write func([]byte)) {
	inside := p.depth
	for token := p.next(); token != nil && p.depth >= inside; token = p.next() {
		if chars, ok := token.(xml.CharData); ok && p.depth == inside {
			write(chars)
		}
	}
}

// all passes the characters inside the last visited element to write, at every depth. It passes each element to visit,
// which reports whether All must go on inside it; what visit leaves unread of other elements is skipped.
func (p *xmlPart) all(write func([]byte), visit func(xml.StartElement) bool) {
	inside := p.depth
	for token := p.next(); token != nil && p.depth >= inside; token = p.next() {
		switch t := token.(type) {
		case xml.CharData:
			write(t)
		case xml.StartElement:
			if depth := p.depth; !visit(t) {
				p.skip(depth - 1)
			}
		}
	}
}

// stop ends the reading of the part.
func (p *xmlPart) stop() {
	if p.err == nil {
		p.err = errEnough
	}
}

// alternatives visits an mc:AlternateContent (part 3 §7.5). It uses the first choice that holds text. So a drawing
// that is stored twice, once for newer and once for older programs, is read only once.
func (p *xmlPart) alternatives(visit func(xml.StartElement), written *int) {
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

// short appends the characters of the last visited element to a property, which it cuts at one kilobyte.
func (p *xmlPart) short(to *string) {
	const longest = 1024
	p.Text(func(s []byte) { *to += string(s[:min(len(s), max(0, longest-len(*to)))]) })
}

// isOn reports whether an element switches its property on. An element without a value switches the property on (part
// 1 §22.9.2.7).
func isOn(e xml.StartElement) bool {
	return !slices.Contains([]string{"0", "false", "off", "none"}, strings.ToLower(attr(e, "val")))
}
