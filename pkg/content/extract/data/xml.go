package data

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// XML reads an XML document: a feed (RSS, Atom) as a page whose entries are sections, and other documents by their
// elements and attributes. The result ok is false if the text is not XML.
func XML(text string, o Options) (doc extract.Document, ok bool) {
	root, ok := parseXML(text, o.Cut)
	if !ok {
		return doc, false
	}
	w := newWriter("application/xml", o)
	if f, ok := feedOf(root); ok {
		return f.write(w), true
	}
	w.prose = true
	if root.isLeaf() {
		w.line(root.name, root.text)
	} else {
		w.members(root, 1, "")
	}
	return w.document(titleOf(root)), true
}

// xmlReader reads elements.
type xmlReader struct {
	text    string
	decoder *xml.Decoder
	left    int // number of elements and attributes that may still be read
	again   int // number of bytes that may still be read a second time
	err     error
}

// parseXML returns the outermost element. If cut is set, the document may lack its end.
func parseXML(text string, cut bool) (root *node, ok bool) {
	r := &xmlReader{text: text, decoder: xml.NewDecoder(strings.NewReader(text)), left: maxNodes,
		again: 4 * len(text)}
	r.decoder.Strict, r.decoder.Entity = false, xml.HTMLEntity
	r.decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // already decoded
	for r.err == nil {
		var token xml.Token
		if token, r.err = r.decoder.RawToken(); r.err != nil {
			break
		}
		if e, isElement := token.(xml.StartElement); isElement {
			root = r.element(e, 0)
			break
		}
	}
	return root, root != nil && r.left > 0 && (r.err == nil || cut)
}

// element reads an element to its end. An element with both text and elements is a text.
func (r *xmlReader) element(e xml.StartElement, depth int) *node {
	n := &node{name: e.Name.Local}
	for _, a := range e.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			n.kids = append(n.kids, &node{name: a.Name.Local, text: a.Value})
		}
	}
	if r.left -= 1 + len(e.Attr); r.left <= 0 || depth > maxDepth {
		r.left, r.err = 0, errTangled
		return n
	}
	attributes, start := len(n.kids), r.decoder.InputOffset()
	var text strings.Builder
	end := r.content(n, e.Name, &text, depth)
	direct := dom.Fold(text.String())
	if len(n.kids) > 0 && end > start {
		n.raw = r.text[start:end]
	}
	switch {
	case direct == "":
		n.flat = attributes > 0 && len(n.kids) == attributes
	case len(n.kids) == attributes && attributes == 0:
		n.text = text.String()
	case len(n.kids) == attributes:
		n.kids, n.flat = append(n.kids, &node{text: text.String()}), true
	default:
		if r.again -= len(n.raw); r.again < 0 {
			r.left, r.err = 0, errTangled
			return n
		}
		n.flat = true
		n.kids = append(n.kids[:attributes:attributes], &node{text: mixed(n.raw)})
	}
	return n
}

// content reads what an element contains, up to its end tag, and returns the offset of that tag.
func (r *xmlReader) content(n *node, name xml.Name, text *strings.Builder, depth int) (end int64) {
	for r.err == nil {
		end = r.decoder.InputOffset()
		var token xml.Token
		if token, r.err = r.decoder.RawToken(); r.err != nil {
			r.err = unexpected(r.err)
			return end
		}
		switch t := token.(type) {
		case xml.StartElement:
			n.kids = append(n.kids, r.element(t, depth+1))
		case xml.EndElement:
			if t.Name != name {
				r.err = io.ErrUnexpectedEOF
			}
			return end
		case xml.CharData:
			text.Write(t)
		}
	}
	return end
}

// mixed returns the text of an element that has text between its elements.
func mixed(raw string) string {
	d := xml.NewDecoder(strings.NewReader(raw))
	d.Strict, d.Entity = false, xml.HTMLEntity
	var text strings.Builder
	for {
		token, err := d.RawToken()
		if err != nil {
			return text.String()
		}
		if chars, ok := token.(xml.CharData); ok {
			text.Write(chars)
		}
	}
}
