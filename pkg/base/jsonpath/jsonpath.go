// Package jsonpath selects values of a JSON document by paths of RFC 9535, in bounded time for any path and any
// document.
//
// # What is selected
//
// A path finds a set of values. [Select] returns them in the order of the document, each once. RFC 9535 lists a value
// as often as it is found; people who choose a part of a document do not want it twice. If an object has several
// members of a name, a name finds all of them, and a filter sees the last.
//
// Blanks around a path are ignored. A function that takes a regular expression is refused if it is given another
// literal, with which the RFC selects nothing.
//
// # Bounds
//
// Paths are written by users, and documents by strangers. Either can make a path expensive: lists of values grow with
// a power of the document for paths such as $..*..*, and filters may read the whole document once for each value. So
// this package walks the segments of a path itself, and keeps sets instead of lists: a segment costs at most one
// visit of each value for each of its selectors. The expressions of filters are those of the library. Before each of
// them is evaluated, the walk counts the most that it may cost for that value (see [cost]). When the sum exceeds
// [maxSteps], the path is given up as a whole. Regular expressions are those of RE2, of a bounded size, also where
// they come from the document.
//
// Alternatives considered: the library's own walk has no bounds. XPath and jq, which other programs use for this,
// have been holes in their security: jq reads the environment and files, and XPath functions have read files and run
// code.
package jsonpath

import (
	"errors"
	"strings"

	jp "github.com/theory/jsonpath"
	"github.com/theory/jsonpath/parser"
	"github.com/theory/jsonpath/spec"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Kind is the type of a value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Node is a value of a document.
type Node struct {
	Kind Kind
	Name string  // of a member of an object
	Text string  // of a value that is neither an array nor an object, as written; of a string, its content
	Kids []*Node // of an array or an object
}

// MaxPath bounds the bytes of a path.
const MaxPath = 2000

// Path is a path that is known to be correct. It is safe for concurrent use.
type Path struct{ text string }

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// Holder returns the path of what holds the values of a path, which is the path without its last segment. The root has
// no holder: then ok is false.
func (p Path) Holder() (holder Path, ok bool) {
	q, err := parse(p.text, &run{})
	if err != nil || len(q.Segments()) == 0 {
		return Path{}, false
	}
	return Path{spec.Query(true, q.Segments()[:len(q.Segments())-1]...).String()}, true
}

// Is reports whether the text of a rule is meant as a path: it begins with $, as no CSS selector does.
func Is(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "$") }

// Parse parses a path. Errors: Invalid, with what is wrong and where.
func Parse(text string) (Path, error) {
	text = strings.TrimSpace(text)
	if len(text) > MaxPath {
		return Path{}, fault.New(fault.Invalid, "a JSONPath has %d bytes; at most %d are allowed", len(text), MaxPath)
	}
	if _, err := parse(text, &run{}); err != nil {
		why := strings.TrimPrefix(err.Error(), jp.ErrPathParse.Error()+": ")
		return Path{}, fault.New(fault.Invalid, "%.100q is not a JSONPath (RFC 9535): %.200s", text, why)
	}
	return Path{text}, nil
}

// parse parses a path, whose functions report to a run.
func parse(text string, r *run) (*spec.PathQuery, error) { return parser.Parse(r.functions(), text) }

// maxSteps limits the steps of a selection: visits of values, most of them.
const maxSteps = 10_000_000

// ErrLarge means that a path was given up.
var ErrLarge = fault.New(fault.TooLarge, "the path needs too much time for this document: name more of the way to the "+
	"values, or compare less in its filters")

// errSteps ends a run from within the library, which has no other way to stop.
var errSteps = errors.New("jsonpath: too many steps")

// Select returns the values that the paths find, in the order of the document and each once. Errors: [ErrLarge].
func Select(root *Node, paths []Path) (found []*Node, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == errSteps: //nolint:errorlint // the value itself
			found, err = nil, ErrLarge
		default: // the library fails on a document: this is data, too
			found, err = nil, fault.New(fault.Invalid, "the path cannot be applied to this document: %.200v", p)
		}
	}()
	d, steps := newDocument(root), maxSteps
	all := make([]bool, len(d.nodes))
	for _, p := range paths {
		r := &run{document: d, steps: &steps}
		q, err := parse(p.text, r)
		if err != nil {
			return nil, err // Unreachable: a Path has been parsed before.
		}
		r.order(q)
		for _, i := range r.walk(q) {
			all[i] = true
		}
	}
	for i, yes := range all {
		if yes {
			found = append(found, d.nodes[i])
		}
	}
	return found, nil
}
