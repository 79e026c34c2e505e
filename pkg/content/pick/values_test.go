package pick_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/pick"
)

// randomJSON makes a document of objects and arrays, whose objects have a key or none.
func randomJSON(r *rand.Rand, name string, depth int) *jsonpath.Node {
	n := &jsonpath.Node{Name: name, Kind: jsonpath.Number, Text: fmt.Sprint(r.IntN(5))}
	switch kind := r.IntN(3); {
	case depth == 0 || kind == 0:
	case kind == 1:
		n.Kind, n.Text = jsonpath.Object, ""
		for i := range 1 + r.IntN(3) {
			n.Kids = append(n.Kids, randomJSON(r, fmt.Sprintf("m%d %c", i, "abc-'\"]"[r.IntN(7)]), depth-1))
		}
	default:
		n.Kind, n.Text = jsonpath.Array, ""
		for i := range 1 + r.IntN(4) {
			kid := randomJSON(r, "", depth-1)
			if kid.Kind == jsonpath.Object && r.IntN(3) > 0 {
				id := &jsonpath.Node{Name: "id", Kind: jsonpath.String, Text: fmt.Sprintf("a\"%d", i-r.IntN(2))}
				kid.Kids = append([]*jsonpath.Node{id}, kid.Kids...)
			}
			n.Kids = append(n.Kids, kid)
		}
	}
	return n
}

// arraysIn adds the arrays of a document.
func arraysIn(n *jsonpath.Node, out []*jsonpath.Node) []*jsonpath.Node {
	if n.Kind == jsonpath.Array {
		out = append(out, n)
	}
	for _, kid := range n.Kids {
		out = arraysIn(kid, out)
	}
	return out
}

// TestPressedValuesStay checks that of random documents the path of a pressed value finds it alone; that it still does
// after an object is inserted above in any array, and after each array is reversed; or else that it says that it finds
// the value by its place.
func TestPressedValuesStay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keyed, placed := 0, 0
	for range 3000 {
		root := &jsonpath.Node{Kind: jsonpath.Object, Kids: []*jsonpath.Node{randomJSON(r, "a", 4)}}
		v := pick.ReadJSON(root)
		leaves := v.Leaves()
		n := leaves[r.IntN(len(leaves))]
		way, ok := v.Way(n)
		if !ok {
			t.Fatalf("no path finds %s %s: %s", n.Name, n.Text, way.Selector)
		}
		if way.By == pick.ByPosition {
			placed++
			continue
		}
		keyed++
		for _, array := range arraysIn(root, nil) {
			kids := array.Kids
			other := &jsonpath.Node{Kind: jsonpath.Object, Kids: []*jsonpath.Node{
				{Name: "id", Kind: jsonpath.String, Text: "new"}, {Name: n.Name, Kind: jsonpath.Number, Text: "9"}}}
			array.Kids = slices.Insert(slices.Clone(kids), 0, other)
			slices.Reverse(array.Kids[1:])
			if found, err := v.Find(way.Selector); err != nil || len(found) != 1 || found[0] != n {
				t.Fatalf("%s finds %d values, %v", way.Selector, len(found), err)
			}
			array.Kids = kids
		}
	}
	if keyed < 300 || placed < 300 {
		t.Errorf("%d by key, %d by place", keyed, placed)
	}
}
