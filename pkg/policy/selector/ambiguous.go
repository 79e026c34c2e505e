package selector

import (
	"fmt"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// ErrAmbiguous is the kind of the error that several elements have a name that is for one. The error names them.
var ErrAmbiguous = fault.New(fault.Invalid, "a name is for one element")

// refuse notes that several elements have a name that is for one.
func (p *Page) refuse(what, name string) {
	if p.ambiguous == nil {
		p.ambiguous = fmt.Errorf("%w: two or more %s are named %s: add another text of it, or name what it stands in",
			ErrAmbiguous, what, name)
	}
}

// ones are the elements that have matched a part with a name so far, and the headings under which elements stand.
type ones map[test]*one

type one struct {
	elements []*html.Node
	heading  *heading
}

// note notes that an element matches a part of the selector. It is inner if an element around it does, too: then it is
// the same thing.
func (w *walk) note(part int, n *html.Node, inner bool) {
	for i := range w.sel.chain[part].tests {
		var key test
		switch t := w.sel.chain[part].tests[i].(type) {
		case *named:
			key = t
		case *under:
			key = t
		default:
			continue
		}
		if w.ones == nil {
			w.ones = ones{}
		}
		o := w.ones[key]
		if o == nil {
			o = &one{}
			w.ones[key] = o
		}
		if t, is := key.(*under); is {
			h := t.heading(w.page, n)
			if o.heading != nil && o.heading != h {
				w.page.refuse("headings", written([]pattern{t.text}))
			}
			o.heading = h
		} else if !inner {
			o.elements = append(o.elements, n)
		}
	}
}

// dropHidden chooses the element of each name that is not hidden beside others that are. It reports whether it has left
// out others, and notes if there are several.
func (w *walk) dropHidden() (has bool) {
	for key, o := range w.ones {
		if len(o.elements) < 2 {
			continue
		}
		var shown []*html.Node
		for _, n := range o.elements {
			if !w.page.within(n, isHidden) {
				shown = append(shown, n)
			}
		}
		if len(shown) != 1 {
			w.page.refuse(nounOf(o.elements[0]), written(*key.(*named)))
			continue
		}
		for _, n := range o.elements {
			if n != shown[0] {
				if w.out == nil {
					w.out = map[*html.Node]bool{}
				}
				w.out[n], has = true, true
			}
		}
	}
	return has
}

// within reports whether a condition holds for an element or one around it.
func (p *Page) within(n *html.Node, is func(*html.Node) bool) bool {
	for ; n != nil && p.steps >= 0; n = n.Parent {
		if p.steps--; is(n) {
			return true
		}
	}
	return false
}

// nounOf is the word for elements like n.
func nounOf(n *html.Node) string {
	switch {
	case IsRow(n):
		return "rows"
	case IsCell(n):
		return "cells"
	case level(n) > 0:
		return "headings"
	case n.DataAtom == atom.Table:
		return "tables"
	case IsEntry(n):
		return "entries"
	}
	return "parts"
}
