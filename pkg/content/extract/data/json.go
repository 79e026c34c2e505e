package data

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// JSON reads JSON, or several JSON documents after each other. If lines is set, the text consists of JSON Lines: each
// is an item, and so is a line that is not JSON. The result ok is false if the text is not JSON.
func JSON(text string, lines bool, o Options) (doc extract.Document, ok bool) {
	root, ok := parseJSON(text, lines, o.Cut)
	if !ok {
		return doc, false
	}
	return writeJSON(root, o), true
}

// parseJSON returns the values of a text. Several documents are the items of an array.
func parseJSON(text string, lines, cut bool) (root *node, ok bool) {
	r := &jsonReader{left: maxNodes}
	root = &node{list: true, kind: jsonpath.Array}
	if lines {
		root.kids, ok = r.lines(text)
	} else {
		root.kids, ok = r.values(text, cut)
	}
	if !ok || len(root.kids) == 0 {
		return nil, false
	}
	if !lines && len(root.kids) == 1 {
		root = root.kids[0]
	}
	return root, true
}

func writeJSON(root *node, o Options) extract.Document {
	w := newWriter("application/json", o)
	if root.isLeaf() {
		w.line("", root.text)
	} else {
		w.members(root, 1, "")
	}
	return w.document(titleOf(root))
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
			values = []*node{{text: line, kind: jsonpath.String}}
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
		n := &node{list: t == '[', kind: map[json.Delim]jsonpath.Kind{'[': jsonpath.Array, '{': jsonpath.Object}[t]}
		err := r.members(n, depth)
		n.close()
		return n, err
	case string:
		return &node{text: t, kind: jsonpath.String}, nil
	case json.Number:
		return &node{text: t.String(), kind: jsonpath.Number}, nil
	case bool:
		return &node{text: map[bool]string{true: "true", false: "false"}[t], kind: jsonpath.Bool}, nil
	}
	return &node{text: "null"}, nil
}

// close ends an object or an array. If it is empty, it is shown as it is written.
func (n *node) close() {
	if n.isLeaf() {
		n.text = map[bool]string{true: "[]", false: "{}"}[n.list]
	}
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
