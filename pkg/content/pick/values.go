package pick

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// Values is the list of the lines of JSON: each value that holds no others, and each flat object of an array, with its
// members as the parts of the line.
type Values struct {
	Lines []Line

	root *jsonpath.Node
	up   map[*jsonpath.Node]*jsonpath.Node // what holds a value
	all  []*jsonpath.Node                  // by the numbers of their elements, from 1
}

// ReadJSON lists the lines of JSON.
func ReadJSON(root *jsonpath.Node) *Values {
	v := &Values{root: root, up: map[*jsonpath.Node]*jsonpath.Node{}, all: []*jsonpath.Node{nil}}
	v.walk(root, "")
	return v
}

// walk adds the lines of a value. The path has the names on the way to it.
func (v *Values) walk(n *jsonpath.Node, path string) {
	switch {
	case n.Kind != jsonpath.Array && n.Kind != jsonpath.Object:
		v.line(n, label(path, n.Text))
	case v.isEntry(n) && isFlat(n):
		l := v.line(n, label(path, shownJSON(n)))
		for _, kid := range n.Kids {
			v.up[kid] = n
			if l.More = len(l.Parts) == MaxParts; l.More {
				break
			}
			l.Parts = append(l.Parts, v.element(kid, label(kid.Name, kid.Text)))
		}
	default:
		if v.isEntry(n) && titleOf(n) != "" {
			l := v.line(n, label(path, titleOf(n)))
			l.Whole, path = false, titleOf(n)
		}
		for _, kid := range n.Kids {
			v.up[kid] = n
			v.walk(kid, below(path, kid.Name))
		}
	}
}

func (v *Values) line(n *jsonpath.Node, text string) *Line {
	v.Lines = append(v.Lines, Line{Element: v.element(n, text), Whole: true, text: text})
	return &v.Lines[len(v.Lines)-1]
}

func (v *Values) element(n *jsonpath.Node, text string) Element {
	v.all = append(v.all, n)
	return Element{N: len(v.all) - 1, Text: clip(text)}
}

// below returns the path of a member.
func below(path, name string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return name
	}
	return path + "." + name
}

func label(name, text string) string {
	if name == "" {
		return text
	}
	return name + ": " + text
}

// isEntry reports whether a value is an object of an array.
func (v *Values) isEntry(n *jsonpath.Node) bool {
	return n.Kind == jsonpath.Object && v.up[n] != nil && v.up[n].Kind == jsonpath.Array
}

// isFlat reports whether no value of an object holds others.
func isFlat(n *jsonpath.Node) bool {
	return !slices.ContainsFunc(n.Kids, func(kid *jsonpath.Node) bool { return len(kid.Kids) > 0 })
}

// shownJSON returns the beginning of what a value shows.
func shownJSON(n *jsonpath.Node) string {
	if n.Kind != jsonpath.Array && n.Kind != jsonpath.Object {
		return n.Text
	}
	var out strings.Builder
	for _, kid := range n.Kids {
		if out.Len() > enough {
			break
		}
		if out.Len() > 0 {
			out.WriteString(", ")
		}
		out.WriteString(label(kid.Name, shownJSON(kid)))
	}
	return out.String()
}

// By returns by what a path finds a value.
func (v *Values) By(n *jsonpath.Node) By { return v.pathTo(n).By }

// Leaves returns the values that hold no others, in the order of the document.
func (v *Values) Leaves() (out []*jsonpath.Node) {
	for _, n := range v.all[1:] {
		if len(n.Kids) == 0 {
			out = append(out, n)
		}
	}
	return out
}

// Array returns the closest array around a value; nil if there is none.
func (v *Values) Array(n *jsonpath.Node) *jsonpath.Node {
	if entry := v.entryOf(n); entry != nil {
		return v.up[entry]
	}
	return nil
}

// entryOf returns the value, or what is around it, that is in an array; nil if there is none.
func (v *Values) entryOf(n *jsonpath.Node) *jsonpath.Node {
	for at := n; v.up[at] != nil; at = v.up[at] {
		if v.up[at].Kind == jsonpath.Array {
			return at
		}
	}
	return nil
}

// Lists returns offers for the entries of the first arrays that are not in other ones, in the words for the arrays.
func (v *Values) Lists() (out []Offer) {
	seen := map[*jsonpath.Node]bool{}
	for _, n := range v.all[1:] {
		outer := v.Array(n)
		for up := outer; up != nil; up = v.Array(up) {
			outer = up
		}
		if outer == nil || seen[outer] || len(outer.Kids) < leastEntries || len(out) == maxLists {
			continue
		}
		seen[outer] = true
		if way, ok := v.Way(outer); ok {
			o := v.entries(outer, way)
			o.Words = way.Words
			out = append(out, o)
		}
	}
	return out
}

// entries returns the offer for all entries of an array.
func (v *Values) entries(array *jsonpath.Node, way Way) Offer {
	all := Offer{Way: Way{way.Selector + "[*]", "all entries like this one", way.By}, Scope: ScopeAll, Values: array.Kids}
	if isLinked(array.Kids) {
		all.Links = all.Selector
	}
	return all
}

// Element returns the value with a number; nil if there is none.
func (v *Values) Element(n int) *jsonpath.Node {
	if n < 1 || n >= len(v.all) {
		return nil
	}
	return v.all[n]
}

// Named returns the values that have a name or show a text: entries whose key or title it is, or else members with the
// name, or else values that show it.
func (v *Values) Named(text string) []*jsonpath.Node {
	if strings.Trim(text, " *") == "" {
		return nil
	}
	for _, is := range []func(n *jsonpath.Node) bool{
		func(n *jsonpath.Node) bool {
			return v.isEntry(n) && slices.ContainsFunc(namesOfObject(n), isLike(text))
		},
		func(n *jsonpath.Node) bool { return n.Name != "" && isLike(text)(n.Name) },
		func(n *jsonpath.Node) bool { return len(n.Kids) == 0 && isLike(text)(n.Text) },
	} {
		found := slices.DeleteFunc(slices.Clone(v.all[1:]), func(n *jsonpath.Node) bool { return !is(n) })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func isLike(text string) func(string) bool {
	return func(name string) bool { return selector.IsName(text, name) }
}

// namesOfObject returns the texts of the members that name an object.
func namesOfObject(n *jsonpath.Node) (out []string) {
	for _, key := range keyNames {
		if kid := member(n, key); kid != nil && kid.Text != "" && len(kid.Kids) == 0 {
			out = append(out, kid.Text)
		}
	}
	return out
}

// Larger returns what holds a value, if it holds others, too; nil if that is the whole document.
func (v *Values) Larger(n *jsonpath.Node) *jsonpath.Node {
	for up := v.up[n]; up != nil && up != v.root; up = v.up[up] {
		if len(up.Kids) > 1 {
			return up
		}
	}
	return nil
}

// keyNames are names of members that tell an object of an array from others, the best first: those that programs give
// before those that people do.
var keyNames = []string{"id", "_id", "uid", "uuid", "guid", "key", "slug", "sku", "code", "symbol", "isbn", "ean",
	"handle", "name", "title", "label", "url", "link", "href", "path", "email", "date"}

// titleNames are names of members that say for people what an object is.
var titleNames = []string{"name", "title", "label", "id", "key", "slug", "sku", "code", "symbol"}

func titleOf(n *jsonpath.Node) string {
	for _, name := range titleNames {
		if kid := member(n, name); kid != nil && len(kid.Kids) == 0 && kid.Text != "" {
			return clip(kid.Text)
		}
	}
	return ""
}

// member returns the only member with a name, whatever its case; nil if there is none or several.
func member(n *jsonpath.Node, name string) (found *jsonpath.Node) {
	for _, kid := range n.Kids {
		if n.Kind == jsonpath.Object && strings.EqualFold(kid.Name, name) {
			if found != nil {
				return nil
			}
			found = kid
		}
	}
	return found
}

// keyOf returns the member by which an object is found among the others of its array: each that has the member has
// another value in it. A value is not found by itself: the pressed one is no key.
func (v *Values) keyOf(n, pressed *jsonpath.Node) *jsonpath.Node {
	const longest = 120
	for _, name := range keyNames {
		key := member(n, name)
		if key == nil || key == pressed || key.Text == "" || len(key.Text) > longest ||
			key.Kind != jsonpath.String && key.Kind != jsonpath.Number {
			continue
		}
		isSame := func(o *jsonpath.Node) bool {
			other := member(o, key.Name)
			return o != n && other != nil && other.Text == key.Text
		}
		if !slices.ContainsFunc(v.up[n].Kids, isSame) {
			return key
		}
	}
	return nil
}

// pathTo returns the path to a value: by names, and by the keys of the objects in arrays; by its place where an object
// has no key.
func (v *Values) pathTo(n *jsonpath.Node) (way Way) {
	path, place, of := "", "", ""
	for at := n; at != v.root; at = v.up[at] {
		up := v.up[at]
		switch {
		case up.Kind == jsonpath.Object:
			path = memberStep(at.Name) + path
		case v.isEntry(at) && v.keyOf(at, n) != nil:
			key := v.keyOf(at, n)
			path = "[?@" + memberStep(key.Name) + "==" + literal(key) + "]" + path
			if of == "" {
				of = "the entry “" + clip(titleOrKey(at, key)) + "”"
			}
		default:
			i := slices.Index(up.Kids, at)
			path = fmt.Sprintf("[%d]%s", i, path)
			if place == "" {
				place = "the " + ordinalOf(i+1) + " entry"
			}
		}
	}
	way = Way{"$" + path, v.words(n, of, place), ByKey}
	if place != "" {
		way.By = ByPosition
	}
	return way
}

// Way returns the path to a value; ok is false if no path finds it alone.
func (v *Values) Way(n *jsonpath.Node) (way Way, ok bool) {
	way = v.pathTo(n)
	found, err := FindValues(v.root, way.Selector)
	return way, err == nil && len(found) == 1 && found[0] == n
}

func titleOrKey(n, key *jsonpath.Node) string {
	if title := titleOf(n); title != "" {
		return title
	}
	return key.Text
}

// words says by what a path finds a value.
func (v *Values) words(n *jsonpath.Node, of, place string) string {
	if place != "" {
		of = place
	}
	switch {
	case n.Name != "" && of != "":
		return "“" + clip(n.Name) + "” of " + of
	case of != "":
		return of
	}
	var names []string
	for at := n; at != nil && at.Name != ""; at = v.up[at] {
		names = append([]string{at.Name}, names...)
	}
	return "the value “" + clip(strings.Join(names, ".")) + "”"
}

// memberStep is the part of a path for a member.
func memberStep(name string) string {
	if isName(name) && !strings.Contains(name, "-") {
		return "." + name
	}
	return "[" + quoteJSON(name) + "]"
}

// literal writes a value as a path compares it.
func literal(n *jsonpath.Node) string {
	if n.Kind == jsonpath.Number {
		return n.Text
	}
	return quoteJSON(n.Text)
}

func quoteJSON(text string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can be encoded
	return strings.TrimSuffix(out.String(), "\n")
}

// FindValues returns the values of JSON that a path finds.
func FindValues(root *jsonpath.Node, path string) ([]*jsonpath.Node, error) {
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, err
	}
	return jsonpath.Select(root, []jsonpath.Path{p})
}

// Find returns the values of the document that a path finds.
func (v *Values) Find(path string) ([]*jsonpath.Node, error) { return FindValues(v.root, path) }

// Offers returns the ways to watch a value: it alone, the objects of the array that it is in, and the members of its
// name in all of them. It returns none if no path finds the value alone.
func (v *Values) Offers(n *jsonpath.Node) (out []Offer) {
	way, ok := v.Way(n)
	if !ok {
		return nil
	}
	out = append(out, Offer{Way: way, Scope: scopeOne, Values: []*jsonpath.Node{n}})
	entry := v.entryOf(n)
	if entry == nil || len(v.up[entry].Kids) < 2 {
		return out
	}
	array, ok := v.Way(v.up[entry])
	if !ok {
		return out
	}
	all := v.entries(v.up[entry], array)
	out = append(out, all)
	if v.up[n] != entry || n.Name == "" {
		return out
	}
	column := Offer{Way: Way{all.Selector + memberStep(n.Name), "“" + clip(n.Name) + "” of all entries", array.By},
		Scope: scopeColumn}
	column.Values, _ = FindValues(v.root, column.Selector)
	return append(out, column)
}

// isLinked reports whether all entries have an address.
func isLinked(entries []*jsonpath.Node) bool {
	return !slices.ContainsFunc(entries, func(e *jsonpath.Node) bool {
		names := []string{"html_url", "web_url", "permalink", "url", "link", "href"}
		return !slices.ContainsFunc(names, func(name string) bool {
			kid := member(e, name)
			return kid != nil && kid.Kind == jsonpath.String && kid.Text != ""
		})
	})
}

// TitleOf returns what an object says it is, or else the beginning of what it shows.
func TitleOf(n *jsonpath.Node) string {
	if title := titleOf(n); title != "" {
		return title
	}
	return TextOf(n)
}

// TextOf returns the beginning of what a value shows.
func TextOf(n *jsonpath.Node) string { return clip(shownJSON(n)) }

// Try edits copies of the document and says what the path of an offer finds then. An outcome is empty if the value is
// in no array.
func (v *Values) Try(n *jsonpath.Node, o Offer) (out Edits) {
	entry := v.entryOf(n)
	if entry == nil {
		return out
	}
	array := v.up[entry]
	kids := array.Kids
	defer func() { array.Kids = kids }()
	added := otherValue(entry)
	array.Kids = slices.Insert(slices.Clone(kids), slices.Index(kids, entry), added)
	out.Inserted = v.outcome(o, added)
	if len(kids) > 1 {
		array.Kids = slices.Clone(kids)
		slices.Reverse(array.Kids)
		out.Reordered = v.outcome(o, nil)
	}
	return out
}

// outcome says what a path finds in the edited document.
func (v *Values) outcome(o Offer, added *jsonpath.Node) string {
	found, _ := FindValues(v.root, o.Selector)
	wanted := map[*jsonpath.Node]bool{}
	for _, n := range o.Values {
		wanted[n] = true
	}
	return outcome(found, wanted, func(n *jsonpath.Node) bool {
		return o.Scope != scopeOne && added != nil && (n == added || slices.Contains(added.Kids, n))
	})
}

// otherValue returns a copy of a value with other texts.
func otherValue(n *jsonpath.Node) *jsonpath.Node {
	out := &jsonpath.Node{Kind: n.Kind, Name: n.Name, Text: n.Text}
	if n.Kind == jsonpath.String || n.Kind == jsonpath.Number {
		out.Text = strings.Map(otherLetter, n.Text) + "1"
	}
	for _, kid := range n.Kids {
		out.Kids = append(out.Kids, otherValue(kid))
	}
	return out
}
