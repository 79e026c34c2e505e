package jsonpath

import (
	"math"
	"strconv"
	"strings"

	"github.com/theory/jsonpath/parser"
	"github.com/theory/jsonpath/spec"
)

// document is a document, prepared for the walk. Values are known by their positions in its order: a value comes
// before its members, which come before the next value.
type document struct {
	nodes  []*Node
	end    []int // position after the last value within each
	sizes  []size
	kids   [][]int
	values []any // as the library takes them; nil until a filter needs them
}

// size says how large a value is, for the costs of filters.
type size struct {
	units  int // values in it, and one for every 32 bytes of their texts
	height int // levels of values in it
}

func newDocument(root *Node) *document {
	d := &document{}
	d.add(root)
	return d
}

func (d *document) add(n *Node) (at int, of size) {
	at = len(d.nodes)
	d.nodes, d.end = append(d.nodes, n), append(d.end, 0)
	d.sizes, d.kids = append(d.sizes, size{}), append(d.kids, nil)
	of = size{units: 1 + (len(n.Name)+len(n.Text))/32, height: 1}
	var kids []int
	for _, kid := range n.Kids {
		i, is := d.add(kid)
		kids = append(kids, i)
		of.units += is.units
		of.height = max(of.height, is.height+1)
	}
	d.end[at], d.sizes[at], d.kids[at] = len(d.nodes), of, kids
	return at, of
}

// value returns a value as the library takes it.
func (d *document) value(i int) any {
	if d.values == nil {
		d.values = make([]any, len(d.nodes))
		d.convert(0)
	}
	return d.values[i]
}

func (d *document) convert(i int) any {
	var v any
	switch n := d.nodes[i]; n.Kind {
	case Bool:
		v = n.Text == "true"
	case Number:
		f, _ := strconv.ParseFloat(n.Text, 64) // of a number that is too large, infinity
		v = f
	case String:
		v = n.Text
	case Array:
		list := make([]any, len(d.kids[i]))
		for j, kid := range d.kids[i] {
			list[j] = d.convert(kid)
		}
		v = list
	case Object:
		members := make(map[string]any, len(d.kids[i]))
		for _, kid := range d.kids[i] {
			members[d.nodes[kid].Name] = d.convert(kid)
		}
		v = members
	}
	d.values[i] = v
	return v
}

// run is one selection. Its functions count their steps, too.
type run struct {
	*document
	steps    *int
	noted    []*spec.PathQuery // the queries that functions of the path have as arguments
	calls    []*spec.PathQuery // the same, those of one text once
	patterns patterns
	texts    map[any]string // of parts of the path
}

// spend counts steps. It panics with errSteps if there are too many.
func (r *run) spend(n float64) {
	if *r.steps -= int(min(n, math.MaxInt32)); *r.steps < 0 {
		panic(errSteps)
	}
}

// walk returns the positions of the values that a query finds, in order.
func (r *run) walk(q *spec.PathQuery) []int {
	at := []int{0}
	for _, seg := range q.Segments() {
		at = r.segment(seg, at)
	}
	return at
}

// segment returns the positions of the values that a segment finds from others, in order.
func (r *run) segment(seg *spec.Segment, from []int) (out []int) {
	if seg.IsDescendant() {
		from = r.within(from)
	}
	hits := make([]bool, len(r.nodes))
	for _, sel := range seg.Selectors() {
		for _, i := range from {
			r.apply(sel, i, hits)
		}
	}
	r.spend(float64(len(hits)) / 8)
	for i, hit := range hits {
		if hit {
			out = append(out, i)
		}
	}
	return out
}

// within returns the given values and everything in them, each once.
func (r *run) within(from []int) (all []int) {
	next := 0
	for _, i := range from {
		for j := max(i, next); j < r.end[i]; j++ {
			all = append(all, j)
		}
		next = max(next, r.end[i])
	}
	r.spend(float64(len(all)))
	return all
}

// apply marks the members of a value that a selector finds.
func (r *run) apply(sel spec.Selector, i int, hits []bool) {
	n, kids := r.nodes[i], r.kids[i]
	r.spend(1)
	switch s := sel.(type) {
	case spec.Name:
		if n.Kind == Object {
			r.spend(float64(len(kids)))
			for _, kid := range kids {
				hits[kid] = hits[kid] || r.nodes[kid].Name == string(s)
			}
		}
	case spec.Index:
		at := int(s)
		if at < 0 {
			at += len(kids)
		}
		if n.Kind == Array && at >= 0 && at < len(kids) {
			hits[kids[at]] = true
		}
	case spec.WildcardSelector:
		r.spend(float64(len(kids)))
		for _, kid := range kids {
			hits[kid] = true
		}
	case spec.SliceSelector:
		if n.Kind == Array {
			r.slice(s, kids, hits)
		}
	case *spec.FilterSelector:
		for _, kid := range kids {
			r.spend(1 + r.cost(s, r.sizes[kid]))
			hits[kid] = hits[kid] || s.Eval(r.value(kid), r.value(0))
		}
	}
}

func (r *run) slice(s spec.SliceSelector, kids []int, hits []bool) {
	r.spend(float64(len(kids)))
	lower, upper := s.Bounds(len(kids))
	switch step := s.Step(); {
	case step > 0:
		for i := lower; i < upper; i += step {
			hits[kids[i]] = true
		}
	case step < 0:
		for i := upper; lower < i; i += step {
			hits[kids[i]] = true
		}
	}
}

// The library's > and >= are its < the other way round, also for what has no order: arrays, objects and truth values.
// Its <= and >= are false for two values that are both missing. So these comparisons are replaced by others that it
// makes as RFC 9535 §2.3.5.2.2 says: a > b by b < a, and a >= b by b < a || a == b. The library keeps the parts of a
// comparison to itself, but writes them as text.

// order replaces the comparisons of a path, also those in the arguments of its functions, which the run has noted.
func (r *run) order(path *spec.PathQuery) {
	r.ordered(path)
	for i := 0; i < len(r.noted); i++ {
		r.ordered(r.noted[i])
	}
}

// ordered replaces the comparisons in the filters of a query, and of the queries in these.
func (r *run) ordered(q *spec.PathQuery) {
	for _, seg := range q.Segments() {
		for _, sel := range seg.Selectors() {
			if f, ok := sel.(*spec.FilterSelector); ok {
				r.orderedOr(f.LogicalOr)
			}
		}
	}
}

func (r *run) orderedOr(any spec.LogicalOr) {
	for _, all := range any {
		for i, e := range all {
			switch e := e.(type) {
			case *spec.CompExpr:
				all[i] = r.orderedComparison(e)
			case *spec.ParenExpr:
				r.orderedOr(e.LogicalOr)
			case *spec.NotParenExpr:
				r.orderedOr(e.LogicalOr)
			case *spec.ExistExpr:
				r.ordered(e.PathQuery)
			case *spec.NonExistExpr:
				r.ordered(e.PathQuery)
			}
		}
	}
}

// orderedComparison returns the expression that replaces a comparison. What looks like an operator within a string of
// the path is not one: the texts before and after it are not values.
func (r *run) orderedComparison(e *spec.CompExpr) spec.BasicExpr {
	text := r.text(e)
	for _, op := range []string{" >= ", " <= ", " > "} {
		for at := strings.Index(text, op); at >= 0; at = after(text, op, at+1) {
			low, high := text[:at], text[at+len(op):]
			if op[1] == '>' {
				low, high = high, low
			}
			less, ok := r.comparison(low, "<", high)
			switch {
			case !ok:
				continue
			case op == " > ":
				return less
			}
			if equal, ok := r.comparison(low, "==", high); ok {
				return spec.Paren(spec.LogicalAnd{less}, spec.LogicalAnd{equal})
			}
		}
	}
	return e
}

// after returns the index of a text in another, from an index on; -1 if there is none.
func after(text, of string, from int) int {
	at := strings.Index(text[from:], of)
	if at < 0 {
		return at
	}
	return from + at
}

// parseSteps are the steps of parsing a byte of a comparison.
const parseSteps = 50

// comparison parses one comparison, given by the texts of its sides. It returns ok = false if they are others.
func (r *run) comparison(left, op, right string) (e *spec.CompExpr, ok bool) {
	r.spend(parseSteps * float64(len(left)+len(right)))
	q, err := parser.Parse(r.functions(), "$[?"+left+op+right+"]")
	if err != nil || len(q.Segments()) != 1 || len(q.Segments()[0].Selectors()) != 1 {
		return nil, false
	}
	f, ok := q.Segments()[0].Selectors()[0].(*spec.FilterSelector)
	if !ok || len(f.LogicalOr) != 1 || len(f.LogicalOr[0]) != 1 {
		return nil, false
	}
	e, ok = f.LogicalOr[0][0].(*spec.CompExpr)
	return e, ok
}
