package jsonpath

import (
	"strings"

	"github.com/theory/jsonpath/parser"
	"github.com/theory/jsonpath/spec"
)

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
