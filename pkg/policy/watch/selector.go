package watch

import (
	"errors"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// ErrLarge means that selectors were not applied because the page is too large for them.
var ErrLarge = selector.ErrLarge

// parseSelector parses selectors separated by commas.
func parseSelector(text string) ([]selector.Selector, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	out, err := selector.Parse(text)
	if err != nil {
		err = fault.New(fault.Invalid, "%.100q is not a CSS selector: %.400s", text, err.Error())
	}
	return out, err
}

var (
	errOnlyPaths = fault.New(fault.Invalid, "this is not JSON, and a JSONPath finds values in JSON: use a CSS selector")
	errOnlyCSS   = fault.New(fault.Invalid, "this is JSON, and a CSS selector finds elements of pages and documents: use "+
		"a JSONPath, such as $.items[*].name")
)

// Select removes the excluded elements from the tree of a page. It returns the topmost included elements, in the
// order of the page; none if there are no include selectors. Errors: [ErrLarge], and Invalid if the rules are for
// JSON or if an include selector names several elements. An exclude selector that does finds none.
func (r *Rules) Select(root *html.Node) ([]*html.Node, error) {
	var excluded []*html.Node
	if r.otherType(len(r.include.selectors), len(r.exclude.selectors)) {
		return nil, errOnlyPaths
	}
	page := selector.On(root)
	for i := range r.exclude.selectors {
		out, err := page.Find(r.exclude.selectors[i : i+1])
		if errors.Is(err, selector.ErrAmbiguous) {
			continue // to leave out the wrong one would hide its changes
		}
		if err != nil {
			return nil, err
		}
		excluded = append(excluded, out...)
	}
	for _, n := range excluded {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return r.Included(selector.On(root))
}

// Included returns the topmost elements that the include selectors find in a page. Errors: as of [Rules.Select].
func (r *Rules) Included(page *selector.Page) ([]*html.Node, error) {
	if len(r.include.selectors) == 0 && r.Narrow() {
		return nil, errOnlyPaths
	}
	return page.Find(r.include.selectors)
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
	found, err = selector.On(root).Find(r.list.selectors)
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
