package data

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// JSON reads JSON, or several JSON documents after each other. If lines is set, the text consists of JSON Lines: each
// is an item, and so is a line that is not JSON. The result ok is false if the text is not JSON.
func JSON(text string, lines bool, o Options) (doc extract.Document, ok bool) {
	r := &jsonReader{left: maxNodes}
	root := &node{list: true}
	if lines {
		root.kids, ok = r.lines(text)
	} else {
		root.kids, ok = r.values(text, o.Cut)
	}
	if !ok || len(root.kids) == 0 {
		return doc, false
	}
	if !lines && len(root.kids) == 1 {
		root = root.kids[0]
	}
	w := newWriter("application/json", o)
	if root.isLeaf() {
		w.line("", root.text)
	} else {
		w.members(root, 1, "")
	}
	return w.document(titleOf(root)), true
}

// errTangled reports a document that exceeds a bound.
var errTangled = errors.New("too many values, or too deeply nested")

// jsonReader reads values. It does not use structures for them, because these do not keep the order of names.
type jsonReader struct {
	decoder *json.Decoder
	left    int // number of values that may still be read
}

// values reads the values of a text. If cut is set, the last one may lack its end.
func (r *jsonReader) values(text string, cut bool) (all []*node, ok bool) {
	r.decoder = json.NewDecoder(strings.NewReader(text))
	r.decoder.UseNumber()
	for {
		n, err := r.value(0)
		if n != nil {
			all = append(all, n)
		}
		switch {
		case err == io.EOF && n == nil:
			return all, true
		case err != nil:
			return all, cut && !errors.Is(err, errTangled)
		}
	}
}

func (r *jsonReader) lines(text string) (all []*node, ok bool) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		values, ok := r.values(line, false)
		if r.left <= 0 {
			return nil, false
		}
		if !ok {
			values = []*node{{text: line}}
		}
		all = append(all, values...)
	}
	return all, true
}

// value reads the next value. After an error, it returns what was read before it.
func (r *jsonReader) value(depth int) (*node, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	return r.from(token, depth)
}

func (r *jsonReader) from(token json.Token, depth int) (*node, error) {
	if r.left--; r.left < 0 || depth > maxDepth {
		r.left = 0
		return nil, errTangled
	}
	switch t := token.(type) {
	case json.Delim:
		n := &node{list: t == '['}
		err := r.members(n, depth)
		if n.isLeaf() {
			n.text = map[bool]string{true: "[]", false: "{}"}[n.list]
		}
		return n, err
	case string:
		return &node{text: t}, nil
	case json.Number:
		return &node{text: t.String()}, nil
	case bool:
		return &node{text: map[bool]string{true: "true", false: "false"}[t]}, nil
	}
	return &node{text: "null"}, nil
}

// members reads the members of an object or array to its end.
func (r *jsonReader) members(n *node, depth int) error {
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return unexpected(err)
		}
		if d, ok := token.(json.Delim); ok && (d == ']' || d == '}') {
			return nil
		}
		name := ""
		if !n.list {
			name, _ = token.(string)
			if token, err = r.decoder.Token(); err != nil {
				return unexpected(err)
			}
		}
		kid, err := r.from(token, depth+1)
		if kid != nil {
			kid.name = name
			n.kids = append(n.kids, kid)
		}
		if err != nil {
			return err
		}
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
