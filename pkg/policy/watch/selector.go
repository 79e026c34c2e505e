package watch

import (
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
)

// selector is a chain of parts, with a combinator before each part but the first.
type selector struct {
	chain []compound
}

// compound is a part of a selector that matches one element.
type compound struct {
	combinator byte // combinator before this part: ' ', '>', '+' or '~'; 0 for the first part
	sel        cascadia.Sel
	siblings   bool // the part examines all siblings of an element
}

// pseudos contains the supported pseudo-classes, and whether each examines siblings.
var pseudos = map[string]bool{
	"root": false, "empty": false, "not": false, "containsown": false, "first-child": true, "last-child": true,
	"only-child": true, "first-of-type": true, "last-of-type": true, "only-of-type": true, "nth-child": true,
	"nth-last-child": true, "nth-of-type": true, "nth-last-of-type": true,
}

// parseSelector parses selectors separated by commas.
func parseSelector(text string) (out []selector, err error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	bad := func(why string) error {
		return fault.New(fault.Invalid, "%.100q is not a CSS selector: %.200s", text, why)
	}
	for _, one := range split(text, ',') {
		var sel selector
		for _, p := range parts(one) {
			sibling, why := checkPseudos(p.text)
			if why != "" {
				return nil, bad(why)
			}
			parsed, err := cascadia.Parse(p.text)
			if err != nil {
				return nil, bad(err.Error())
			}
			sel.chain = append(sel.chain, compound{p.combinator, parsed, sibling})
		}
		if len(sel.chain) == 0 || len(sel.chain) > maxChain {
			return nil, bad("a selector has 1 to 16 parts")
		}
		out = append(out, sel)
	}
	return out, nil
}

// scan calls the given function for each byte of a selector that is neither escaped nor in a string, brackets or
// parentheses.
func scan(text string, at func(i int, c byte)) {
	depth := 0
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case depth == 0:
			at(i, c)
		}
	}
}

func split(text string, by byte) (out []string) {
	start := 0
	scan(text, func(i int, c byte) {
		if c == by {
			out, start = append(out, text[start:i]), i+1
		}
	})
	return append(out, text[start:])
}

// partOf is the text of a compound, with the combinator before the compound.
type partOf struct {
	combinator byte
	text       string
}

// parts splits a selector at its combinators. A misplaced combinator leaves an empty part.
func parts(text string) (out []partOf) {
	text = strings.TrimSpace(text)
	start, combinator := 0, byte(0)
	end := func(i int) {
		part := strings.TrimSpace(text[start:i])
		if part == "" && combinator == ' ' {
			return // these blanks are next to another combinator
		}
		out = append(out, partOf{combinator, part})
	}
	scan(text, func(i int, c byte) {
		switch c {
		case ' ', '\t', '\n', '\r', '\f':
			c = ' '
		case '>', '+', '~':
		default:
			return
		}
		blank := strings.TrimSpace(text[start:i]) == ""
		switch {
		case c == ' ' && blank && combinator != 0:
		case blank && combinator == ' ':
			combinator = c
		default:
			end(i)
			combinator = c
		}
		start = i + 1
	})
	end(len(text))
	return out
}

// checkPseudos reports whether a pseudo-class in a compound examines all siblings. If a pseudo-class is not
// supported, it returns the reason.
func checkPseudos(text string) (siblings bool, why string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
		case '"', '\'':
			if n := strings.IndexByte(text[i+1:], c); n >= 0 {
				i += n + 1
			}
		case '[':
			if n := closing(text[i:]); n > 0 {
				i += n
			}
		case ':':
			name := strings.ToLower(text[i+1:])
			if n := strings.IndexFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }); n >= 0 {
				name = name[:n]
			}
			all, known := pseudos[name]
			if !known {
				return false, "the pseudo-class :" + name + " is not supported; supported are " + supported
			}
			siblings = siblings || all
			if name == "not" && len(parts(inner(text[i+1+len(name):]))) > 1 {
				return false, ":not takes a selector of one part"
			}
		}
	}
	return siblings, ""
}

// supported lists the pseudo-classes for people.
var supported = func() string {
	var names []string
	for name := range pseudos {
		names = append(names, ":"+name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}()

// closing returns the position after the brackets at the beginning of a text, or 0 if they are not closed.
func closing(text string) int {
	end, quote := 0, byte(0)
	for i := 1; i < len(text) && end == 0; i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ']':
			end = i
		}
	}
	return end
}

// inner returns the content of the parentheses at the beginning of a text.
func inner(text string) string {
	text = strings.TrimPrefix(text, "(")
	if i := strings.LastIndexByte(text, ')'); i >= 0 {
		text = text[:i]
	}
	return text
}

// maxSteps limits the number of siblings that are examined for one page.
const maxSteps = 20_000_000

// ErrLarge means that selectors were not applied because the page is too large for them.
var ErrLarge = fault.New(fault.TooLarge,
	"the page is too large for a selector that counts siblings, such as :nth-child")

var (
	errOnlyPaths = fault.New(fault.Invalid, "this is a web page, and a JSONPath finds values in JSON: use a CSS selector")
	errOnlyCSS   = fault.New(fault.Invalid, "this is JSON, and a CSS selector finds elements of web pages: use a "+
		"JSONPath, such as $.items[*].name")
)

// Select removes the excluded elements from the tree of a page. It returns the topmost included elements, in the
// order of the page; none if there are no include selectors. Errors: [ErrLarge], and Invalid if the rules are for
// JSON.
func (r *Rules) Select(root *html.Node) ([]*html.Node, error) {
	if r.otherType(len(r.include.selectors), len(r.exclude.selectors)) {
		return nil, errOnlyPaths
	}
	steps := maxSteps
	out, err := find(root, r.exclude.selectors, &steps)
	if err != nil {
		return nil, err
	}
	for _, n := range out {
		n.Parent.RemoveChild(n)
	}
	return find(root, r.include.selectors, &steps)
}

// otherType reports whether the rules that choose what is watched are for another type of document, given the numbers
// of those that are for this type.
func (r *Rules) otherType(include, exclude int) bool {
	if r.Narrow() {
		return include == 0
	}
	return r.Selects() && exclude == 0
}

// SelectValues returns the values of JSON that are included, and those that are excluded. Errors:
// [jsonpath.ErrLarge], and Invalid if the rules are for web pages.
func (r *Rules) SelectValues(root *jsonpath.Node) (wanted, out []*jsonpath.Node, err error) {
	if r.otherType(len(r.include.paths), len(r.exclude.paths)) {
		return nil, nil, errOnlyCSS
	}
	if wanted, err = jsonpath.Select(root, r.include.paths); err == nil {
		out, err = jsonpath.Select(root, r.exclude.paths)
	}
	return wanted, out, err
}

// Lists reports whether the page is a list whose entries are watched.
func (r *Rules) Lists() bool { return r.list != nil }

// Links returns the elements of a page that are the links to the entries of a list, or hold them. The result named is
// false if no rule names them. Errors: [ErrLarge], and Invalid if the rules are for JSON.
func (r *Rules) Links(root *html.Node) (found []*html.Node, named bool, err error) {
	if r.list == nil || r.list.empty() {
		return nil, false, nil
	}
	if len(r.list.selectors) == 0 {
		return nil, true, errOnlyPaths
	}
	steps := maxSteps
	found, err = find(root, r.list.selectors, &steps)
	return found, true, err
}

// ListPaths returns what finds the entries of a list in JSON: the paths of the list, or else of the watched part. It
// is nil if nothing names them.
func (r *Rules) ListPaths() func(root *jsonpath.Node) ([]*jsonpath.Node, error) {
	if r.list == nil || r.list.empty() && r.include.empty() {
		return nil
	}
	chosen := *r.list
	if chosen.empty() {
		chosen = r.include
	}
	return func(root *jsonpath.Node) ([]*jsonpath.Node, error) {
		if len(chosen.paths) == 0 {
			return nil, errOnlyCSS
		}
		return jsonpath.Select(root, chosen.paths)
	}
}

// find returns the topmost elements that match one of the selectors, in the order of the page.
func find(root *html.Node, selectors []selector, steps *int) (out []*html.Node, err error) {
	if len(selectors) == 0 {
		return nil, nil
	}
	found := map[*html.Node]bool{}
	for i := range selectors {
		w := walk{sel: &selectors[i], found: found, steps: steps}
		if w.below(root, 0, 0); *steps < 0 {
			return nil, ErrLarge
		}
	}
	return topmost(root, found, nil), nil
}

func topmost(n *html.Node, found map[*html.Node]bool, out []*html.Node) []*html.Node {
	if found[n] {
		return append(out, n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out = topmost(c, found, out)
	}
	return out
}

// walk matches one selector. The matches at an element are a set of bits. Bit i means that the first i+1 parts of the
// selector match, the last of them at the element itself.
type walk struct {
	sel   *selector
	found map[*html.Node]bool
	steps *int
}

// below searches for matches below the node n. It needs the bits of n alone (parent), and the bits of n and of all
// its ancestors (above).
func (w *walk) below(n *html.Node, above, parent uint32) {
	children := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		children++
	}
	var before, earlier uint32 // bits of the previous sibling, and of all siblings before this one
	for c := n.FirstChild; c != nil && *w.steps >= 0; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		here := w.at(c, children, above, parent, before, earlier)
		if here>>(len(w.sel.chain)-1) != 0 {
			w.found[c] = true // the matching element includes everything below it
		} else {
			w.below(c, above|here, here)
		}
		before, earlier = here, earlier|here
	}
}

// at returns the bits of an element.
func (w *walk) at(n *html.Node, siblings int, above, parent, before, earlier uint32) (here uint32) {
	for i, part := range w.sel.chain {
		needs := ^uint32(0)
		switch part.combinator {
		case ' ':
			needs = above
		case '>':
			needs = parent
		case '+':
			needs = before
		case '~':
			needs = earlier
		}
		if i > 0 && needs>>(i-1)&1 == 0 {
			continue
		}
		if part.siblings {
			if *w.steps -= siblings; *w.steps < 0 {
				return 0
			}
		}
		if part.sel.Match(n) {
			here |= 1 << i
		}
	}
	return here
}
