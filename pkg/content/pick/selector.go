package pick

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

const (
	// maxTried limits the number of selectors that are tried on a page, and maxKept the number of those that are returned.
	maxTried, maxKept = 40, 6
	// maxAbove limits the number of elements around an element by whose names a selector may find it.
	maxAbove = 12
	// maxSteps limits the number of parts of a selector. It is less than the limit of package watch.
	maxSteps = 15
)

// Selectors returns CSS selectors that find exactly the element n in its page, those first that are the least likely to
// fail when the page changes: names that the page gives to the element or to what is around it come before positions.
// It returns none if the element is too deep in the page for any.
func Selectors(root, n *html.Node) (out []string) {
	for i, s := range candidates(n) {
		if i == maxTried || len(out) == maxKept {
			break
		}
		if found, err := Find(root, s); err == nil && len(found) == 1 && found[0] == n {
			out = append(out, s)
		}
	}
	for _, s := range positions(n) {
		if found, err := Find(root, s); err == nil && len(found) == 1 && found[0] == n && !slices.Contains(out, s) {
			return append(out, s)
		}
	}
	return out
}

// Find returns the elements of a page that a selector finds.
func Find(root *html.Node, selector string) ([]*html.Node, error) {
	rules, err := watch.Compile(watch.Spec{Include: []string{selector}})
	if err != nil {
		return nil, err
	}
	return rules.Select(root)
}

// candidates returns selectors that may find an element by names.
func candidates(n *html.Node) (out []string) {
	own := names(n)
	out = append(out, own...)
	if classes := ofKind(own, '.'); len(classes) > 1 {
		out = append(out, classes[0]+classes[1])
	}
	if isName(n.Data) {
		own = append(own, n.Data)
	}
	steps := 0
	for up := n.Parent; up != nil && up.Type == html.ElementNode && steps < maxAbove; up = up.Parent {
		steps++
		around := names(up)
		if landmarks[up.DataAtom] {
			around = append(around, up.Data)
		}
		for _, a := range around {
			for _, o := range own {
				out = append(out, a+" "+o)
			}
		}
	}
	return out
}

// landmarks are elements of which a page usually has one.
var landmarks = map[atom.Atom]bool{atom.Main: true, atom.Nav: true, atom.Header: true, atom.Footer: true, atom.H1: true}

// positions returns selectors that find an element by its position below the closest element with a name, and below
// each further one.
func positions(n *html.Node) (out []string) {
	chain := ""
	for steps := 0; n != nil && n.Type == html.ElementNode && steps < maxSteps; steps++ {
		chain = step(n) + chain
		n = n.Parent
		if n == nil || n.Type != html.ElementNode {
			return append(out, chain)
		}
		if around := names(n); len(around) > 0 {
			out = append(out, around[0]+" > "+chain)
		}
		if n.DataAtom == atom.Body || n.DataAtom == atom.Main {
			out = append(out, n.Data+" > "+chain)
		}
		chain = " > " + chain
	}
	return out
}

// step is the part of a selector that finds an element by its position among its siblings.
func step(n *html.Node) string {
	same, before, at := 0, 0, 0
	for c := n.Parent.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		at++
		if c.Data == n.Data {
			same++
		}
		if c == n {
			before = same
			if !isName(n.Data) {
				return fmt.Sprintf("*:nth-child(%d)", at)
			}
		}
	}
	if same == 1 {
		return n.Data
	}
	return fmt.Sprintf("%s:nth-of-type(%d)", n.Data, before)
}

// names returns selectors of one part by which a page names an element, the best first. Names that a program made for
// one version of the page are left out.
func names(n *html.Node) (out []string) {
	if id := dom.Attr(n, "id"); isStable(id) {
		out = append(out, "#"+id)
	}
	for _, key := range []string{"itemprop", "property"} {
		if v := dom.Attr(n, key); v != "" && isValue(v) {
			out = append(out, attribute(key, v))
		}
	}
	const most = 3 // attributes, and classes
	data := 0
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "data-") && isName(a.Key) && isValue(a.Val) && a.Namespace == "" && data < most {
			out = append(out, attribute(a.Key, a.Val))
			data++
		}
	}
	var late []string
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		switch {
		case !isStable(class) || isState(class) || len(late) > most:
		case isUtility(class):
			late = append(late, "."+class)
		case len(ofKind(out, '.')) < most:
			out = append(out, "."+class)
		}
	}
	if len(ofKind(out, '.')) == 0 {
		out = append(out, late...)
	}
	return out
}

// ofKind returns the selectors that begin with a sign.
func ofKind(selectors []string, sign byte) (out []string) {
	for _, s := range selectors {
		if s[0] == sign {
			out = append(out, s)
		}
	}
	return out
}

func attribute(key, value string) string { return "[" + key + `="` + value + `"]` }
