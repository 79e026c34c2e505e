package jsonpath

import (
	"strings"

	"github.com/theory/jsonpath/spec"
)

// bill is what the costs of an expression follow from: how large the current value is, and what all functions of the
// path together cost for it, and for the whole document.
type bill struct {
	of              size
	calls, rootCall float64
}

// twice is how often a comparison that was replaced evaluates a function (see [run.order]).
const twice = 2

// cost returns the most steps that the expression of a filter can take for a value of a size. The library does not
// show the arguments of a function, so each filter is taken to call all functions of the path.
func (r *run) cost(f *spec.FilterSelector, of size) float64 {
	b, root := bill{of: of}, bill{of: r.sizes[0]}
	for _, q := range r.calls { // the arguments of a function were noted after those of the functions in them
		here, whole := twice*r.costQuery(q, b), twice*r.costQuery(q, root)
		b.calls, b.rootCall = b.calls+here, b.rootCall+whole
		root.calls, root.rootCall = b.rootCall, b.rootCall
	}
	return r.costFilter(f, b)
}

func (r *run) costFilter(f *spec.FilterSelector, b bill) float64 {
	return 1 + b.calls + r.costOr(f.LogicalOr, b)
}

func (r *run) costOr(any spec.LogicalOr, b bill) (sum float64) {
	for _, all := range any {
		for _, e := range all {
			sum += r.costExpr(e, b)
		}
	}
	return sum
}

func (r *run) costExpr(e spec.BasicExpr, b bill) float64 {
	switch e := e.(type) {
	case *spec.ParenExpr:
		return 1 + r.costOr(e.LogicalOr, b)
	case *spec.NotParenExpr:
		return 1 + r.costOr(e.LogicalOr, b)
	case *spec.ExistExpr:
		return r.costQuery(e.PathQuery, b)
	case *spec.NonExistExpr:
		return r.costQuery(e.PathQuery, b)
	case *spec.CompExpr:
		return r.costComparison(e, b)
	}
	return 1
}

// costComparison returns the cost of a comparison. Two values that are both of the document may be large. They are
// compared until they differ, so the smaller of them decides.
func (r *run) costComparison(e *spec.CompExpr, b bill) float64 {
	text := r.text(e)
	here, root := strings.Count(text, "@"), strings.Count(text, "$")
	switch {
	case here+root < 2:
		return 2
	case here > 0:
		return 2 + float64(b.of.units)
	}
	return 2 + float64(r.sizes[0].units)
}

// text returns the text of a part of the path, which the library makes anew each time.
func (r *run) text(e interface{ String() string }) string {
	text, known := r.texts[e]
	if !known {
		if r.texts == nil {
			r.texts = map[any]string{}
		}
		text = e.String()
		r.texts[e] = text
	}
	return text
}

// costQuery returns the most steps of a query in a filter. The library keeps lists, in which a value may stand
// several times: once for each selector that finds it, and after a descendant segment once for each value around it.
func (r *run) costQuery(q *spec.PathQuery, b bill) float64 {
	if strings.HasPrefix(r.text(q), "$") {
		b = bill{r.sizes[0], b.rootCall, b.rootCall}
	}
	units, height := float64(b.of.units), float64(b.of.height)
	sum, length, times := 1.0, 1.0, 1.0 // length of the list, and how often a value may stand in it
	for _, seg := range q.Segments() {
		selectors, one := float64(len(seg.Selectors())), !seg.IsDescendant()
		times *= selectors
		if seg.IsDescendant() {
			times *= height
			sum += times * units * height // each level copies what the levels below have found
		}
		for _, sel := range seg.Selectors() {
			switch s := sel.(type) {
			case spec.Name, spec.Index:
				continue
			case *spec.FilterSelector:
				sum += times * units * r.costFilter(s, b)
			}
			one = false
		}
		sum += length * selectors
		if length = times * units; one {
			length = min(length, times)
		}
		sum += length
	}
	return sum
}
