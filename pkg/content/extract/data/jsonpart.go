package data

import (
	"cmp"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// ValueSelector finds the watched part of JSON.
type ValueSelector interface {
	// SelectValues returns the values that are wanted and those to leave out, in the order of the document.
	SelectValues(root *jsonpath.Node) (wanted, out []*jsonpath.Node, err error)
	// Narrow reports whether only the wanted values are read, and not the whole document.
	Narrow() bool
}

// JSONPart reads the values of JSON that a selector finds, and returns their number. A value in another one that is
// found counts as a part of it. Several documents, such as JSON Lines, are the items of an array. The result ok is
// false if the text is not JSON. Errors: those of the selector.
func JSONPart(text string, lines bool, o Options, sel ValueSelector) (doc extract.Document, found int, ok bool,
	err error) {
	root, ok := parseJSON(text, lines, o.Cut)
	if !ok {
		return doc, 0, false, nil
	}
	source := map[*jsonpath.Node]*node{}
	wanted, out, err := sel.SelectValues(root.tree(source))
	if err != nil {
		return doc, 0, true, err
	}
	outside := map[*node]bool{}
	for _, n := range out {
		outside[source[n]] = true
	}
	if sel.Narrow() {
		chosen := map[*node]bool{}
		for _, n := range wanted {
			chosen[source[n]] = true
		}
		root = together(root.topmost(chosen, outside, nil))
		found = len(root.kids)
	}
	if root.without(outside); outside[root] || root.isLeaf() && root.text == "" {
		return newWriter("application/json", o).document(), found, true, nil
	}
	return writeJSON(root, o), found, true, nil
}

// Tree returns JSON as paths see it. Several documents, such as JSON Lines, are the items of an array. The result ok is
// false if the text is not JSON.
func Tree(text string, lines bool) (root *jsonpath.Node, ok bool) {
	parsed, ok := parseJSON(text, lines, false)
	if !ok {
		return nil, false
	}
	return parsed.tree(map[*jsonpath.Node]*node{}), true
}

// tree returns a value as paths see it, and notes the source of each of its values.
func (n *node) tree(source map[*jsonpath.Node]*node) *jsonpath.Node {
	out := &jsonpath.Node{Kind: n.kind, Name: n.name, Text: n.text}
	source[out] = n
	for _, kid := range n.kids {
		out.Kids = append(out.Kids, kid.tree(source))
	}
	return out
}

// topmost adds the chosen values that are not within others, and not outside.
func (n *node) topmost(chosen, outside map[*node]bool, all []*node) []*node {
	switch {
	case outside[n]:
	case chosen[n]:
		all = append(all, n)
	default:
		for _, kid := range n.kids {
			all = kid.topmost(chosen, outside, all)
		}
	}
	return all
}

// without removes what is outside from a value.
func (n *node) without(outside map[*node]bool) {
	if len(outside) == 0 || n.isLeaf() {
		return
	}
	kept := n.kids[:0]
	for _, kid := range n.kids {
		if !outside[kid] {
			kid.without(outside)
			kept = append(kept, kid)
		}
	}
	n.kids = kept
	n.close()
}

// together returns one value that holds the chosen ones: an array if none of them has a name.
func together(chosen []*node) *node {
	root := &node{list: true, kids: chosen}
	for _, n := range chosen {
		if n.name != "" {
			root.list = false
		}
	}
	for i, n := range chosen {
		if !root.list && n.name == "" && !n.isLeaf() {
			named := *n
			named.name = cmp.Or(nameOf(n), "item")
			chosen[i] = &named
		}
	}
	return root
}
