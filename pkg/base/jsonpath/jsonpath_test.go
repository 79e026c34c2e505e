package jsonpath_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jp "github.com/theory/jsonpath"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
)

// store is the document of RFC 9535 §1.5.
const store = `{"store":{"book":[
 {"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95},
 {"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99},
 {"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99},
 {"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings","isbn":"0-395-19395-8",
  "price":22.99}],"bicycle":{"color":"red","price":399}}}`

// treeOf returns a document as this package takes it, and as the library does. Names are sorted, because the
// library's maps have no order.
func treeOf(t testing.TB, text string) (*jsonpath.Node, any) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return nodeOf("", value), value
}

func nodeOf(name string, value any) *jsonpath.Node {
	n := &jsonpath.Node{Name: name}
	switch v := value.(type) {
	case nil:
	case bool:
		n.Kind, n.Text = jsonpath.Bool, fmt.Sprint(v)
	case float64:
		n.Kind, n.Text = jsonpath.Number, strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		n.Kind, n.Text = jsonpath.String, v
	case []any:
		n.Kind = jsonpath.Array
		for _, kid := range v {
			n.Kids = append(n.Kids, nodeOf("", kid))
		}
	case map[string]any:
		n.Kind = jsonpath.Object
		names := []string{}
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			n.Kids = append(n.Kids, nodeOf(name, v[name]))
		}
	}
	return n
}

// placesOf returns the normalized path of each value.
func placesOf(n *jsonpath.Node, at string, places map[*jsonpath.Node]string) map[*jsonpath.Node]string {
	places[n] = at
	for i, kid := range n.Kids {
		if n.Kind == jsonpath.Array {
			placesOf(kid, fmt.Sprintf("%s[%d]", at, i), places)
		} else {
			placesOf(kid, fmt.Sprintf("%s['%s']", at, kid.Name), places)
		}
	}
	return places
}

func find(t testing.TB, root *jsonpath.Node, paths ...string) (places []string, err error) {
	t.Helper()
	var parsed []jsonpath.Path
	for _, text := range paths {
		p, err := jsonpath.Parse(text)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, p)
	}
	found, err := jsonpath.Select(root, parsed)
	all := placesOf(root, "$", map[*jsonpath.Node]string{})
	for _, n := range found {
		places = append(places, all[n])
	}
	return places, err
}

// W24: TestW24ExamplesOfTheRFC checks the examples of RFC 9535 §1.5, and that values come in the order of the
// document, each once.
func TestW24ExamplesOfTheRFC(t *testing.T) {
	root, _ := treeOf(t, store)
	for path, want := range map[string]int{
		"$.store.book[*].author": 4, "$..author": 4, "$.store.*": 2, "$.store..price": 5, "$..book[2]": 1,
		"$..book[2].author": 1, "$..book[2].publisher": 0, "$..book[-1]": 1, "$..book[0,1]": 2, "$..book[:2]": 2,
		"$..book[?@.isbn]": 2, "$..book[?@.price<10]": 2, "$..*": 27, "$": 1, "$['store']['bicycle']": 1,
		"$..book[?match(@.author, 'J.*')].title": 1, "$..book[?search(@.title, 'of')]": 3,
		"$..book[?length(@.title) > 15].price": 2, "$.store[?count(@.*) == 4]": 1, "$..book[::-2]": 2,
		"$..book[?@.price == $.store.book[0].price]": 1, "$..book[?!@.isbn && (@.price > 9 || @.price < 1)]": 1,
		"$..[?@[?@.isbn]]": 1, "$.store[?value(@..color) == 'red']": 1, "$..book[0,0,0]": 1,
	} {
		found, err := find(t, root, path)
		if err != nil || len(found) != want {
			t.Errorf("%s: %d values, want %d: %v %v", path, len(found), want, err, found)
		}
	}
	found, err := find(t, root, "$..book[1].price", "$.store.bicycle.color", "$..price")
	want := []string{"$['store']['bicycle']['color']", "$['store']['bicycle']['price']",
		"$['store']['book'][0]['price']", "$['store']['book'][1]['price']", "$['store']['book'][2]['price']",
		"$['store']['book'][3]['price']"}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// W24: TestW24BadPaths checks that errors say what is wrong and where.
func TestW24BadPaths(t *testing.T) {
	for path, want := range map[string]string{
		"":                               "unexpected end of input",
		"price":                          "at position 1",
		"$.a b":                          "at position 4",
		"$.items[?@.price >]":            "at position 19",
		"$[?nope(@)]":                    "unknown function nope() at position 4",
		"$[?length(@.a, @.b) > 1]":       "function length() expected 1 argument but found 2 at position",
		"$[?match(@.a, '(')]":            "function match() error parsing regexp: missing closing ): `(` at position",
		"$[?search(@.a, '(.{99}){99}')]": "function search() ",
		"$[?match(@.a, 1)]":              "takes a text as its second argument",
		"$.a" + strings.Repeat("[0]", jsonpath.MaxPath): "at most",
	} {
		_, err := jsonpath.Parse(path)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%.40s: %v, want %q", path, err, want)
		}
	}
	for text, want := range map[string]bool{"$.a": true, " $": true, ".price": false, "a[href$='x']": false} {
		if jsonpath.Is(text) != want {
			t.Errorf("%q is a path: %v", text, !want)
		}
	}
}

// W24: TestW24SameAsTheLibrary checks, for random documents and paths, that the bounded walk finds the values that
// the library finds.
func TestW24SameAsTheLibrary(t *testing.T) {
	some := 0
	rapid.Check(t, func(rt *rapid.T) {
		text, _ := json.Marshal(anyValue(rt, 3))
		path := "$"
		for range rapid.IntRange(1, 4).Draw(rt, "segments") {
			path += anySegment(rt)
		}
		root, value := treeOf(t, string(text))
		library, ok := byLibrary(path, value)
		if !ok {
			rt.Skip("the library fails on a regular expression that is not there")
		}
		found, err := find(t, root, path)
		if err != nil {
			rt.Fatal(path, err)
		}
		some += len(found)
		for _, place := range found {
			if !library[place] {
				rt.Errorf("%s of %s finds %s", path, text, place)
			}
			delete(library, place)
		}
		if len(library) > 0 {
			rt.Errorf("%s of %s does not find %v", path, text, library)
		}
	})
	if some == 0 {
		t.Error("the paths find nothing")
	}
}

// byLibrary returns the places that the library finds. It is not ok if the library panics, as version 0.12.3 does if
// the second argument of match or search is nothing.
func byLibrary(path string, value any) (places map[string]bool, ok bool) {
	defer func() { ok = recover() == nil }()
	places = map[string]bool{}
	for _, located := range jp.MustParse(path).SelectLocated(value) {
		places[located.Path.String()] = true
	}
	return places, true
}

// W24: TestW24NothingMatchesNothing checks that a text or a regular expression that the document lacks matches nothing
// (RFC 9535 §2.4.6 and 7), and that other values are still found.
func TestW24NothingMatchesNothing(t *testing.T) {
	root, _ := treeOf(t, `[{"a":"x"},{"b":"x"},{"a":"xy","b":"x"},{}]`)
	for path, want := range map[string]string{
		"$[?search(@.a, @.b)]": "[$[2]]", "$[?match(@.a, @.b)]": "[]", "$[?!search(@.a, @.b)]": "[$[0] $[1] $[3]]",
	} {
		if found, err := find(t, root, path); err != nil || fmt.Sprint(found) != want {
			t.Errorf("%s finds %v, %v; want %s", path, found, err, want)
		}
	}
}

func anySegment(t *rapid.T) string {
	return rapid.SampledFrom([]string{".a", ".b", "..a", "..*", ".*", "[0]", "[-1]", "[0:2]", "[::-2]", "[1,0,'a']",
		"..[0]",
		"[?@.a]", "[?@.a > 1]", "..[?@.b == 'x']", "[?@.a == $.b]", "[?@ == 'x' || !@.a]", "[?count(@..*) > 2]",
		"[?match(@.b, 'x.?')]", "[?@[?@.a]]", "[?length(@) == 2]", "[?search(@.a, @.b)]", "['b',?@.b]",
	}).Draw(t, "segment")
}

func anyValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case kind < 2 && depth > 0:
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return anyValue(t, depth-1) }), 0, 3).Draw(t, "list")
	case kind < 4 && depth > 0:
		return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}),
			rapid.Custom(func(t *rapid.T) any { return anyValue(t, depth-1) }), 0, 3).Draw(t, "object")
	case kind == 5:
		return rapid.SampledFrom([]any{true, false, nil}).Draw(t, "value")
	case kind%2 == 0:
		return rapid.SampledFrom([]string{"x", "xy", "z"}).Draw(t, "text")
	}
	return rapid.IntRange(0, 2).Draw(t, "number")
}

// W24: TestW24ExpensivePathsEnd checks that paths whose lists grow with a power of the document, or whose filters
// read it for each value, are given up, and that useful paths of a large document are not.
func TestW24ExpensivePathsEnd(t *testing.T) {
	items := make([]any, 30_000)
	for i := range items {
		items[i] = map[string]any{"id": i, "name": fmt.Sprint("Lamp ", i), "tags": []any{"a", "b"}, "price": i % 100}
	}
	text, _ := json.Marshal(map[string]any{"items": items, "best": map[string]any{"price": 7}})
	large, _ := treeOf(t, string(text))
	deep, _ := treeOf(t, strings.Repeat(`[1,{"a":`, 30)+"2"+strings.Repeat("}]", 30))
	for path, good := range map[string]bool{
		"$..price": true, "$.items[*].name": true, "$.items[?@.price > 90].name": true, "$..*..*..*..*..*..*": true,
		"$.items[?@.price == $.best.price].id": true, "$.items[?match(@.name, 'Lamp 1.*')]": true,
		"$.items[?count(@.tags.*) == 2].name": true, "$" + strings.Repeat("[*,*,*,*,*]", 30): true,
		"$.items[?@.id > 1 && search(@.name, '9{3}')]": true,
		"$.items[?$..price]":                           false,
		"$.items[?count($..price) > 1]":                false,
		"$.items[?@[?count($..*) > 1]]":                false,
		"$..*[?@..*..*..*..*]":                         false,
		"$.items[?search(@.name, @.name)]":             false, // each of them is compiled
	} {
		if _, err := find(t, large, path); (err == nil) != good || !good && err != jsonpath.ErrLarge {
			t.Errorf("%.40s: %v", path, err)
		}
	}
	for _, path := range []string{"$[?@" + strings.Repeat("..*", 40) + "]", "$[?@" + strings.Repeat("[*,*,*,*]", 30) + "]",
		"$[?count(@" + strings.Repeat("..[*,*]", 30) + ") > 1]"} {
		if _, err := find(t, deep, path); err != jsonpath.ErrLarge {
			t.Errorf("%.40s: %v", path, err)
		}
	}
	two := "$..*[?count(@[?@.a]) > 1 || count(@[?count(@.*) > 1]) > 1]"
	if _, err := find(t, deep, two); err != nil {
		t.Errorf("functions with filters: %v", err)
	}
}

// FuzzSelect checks that no path and no document makes a selection panic or find a value twice.
func FuzzSelect(f *testing.F) {
	for _, path := range []string{"$..book[?@.price < 10 && match(@.title, 'S.*')]", "$[?value(@..a) == length($.b)]",
		"$['a',1,::2]", "$[?!(@.a || !@.b)]", `$["\ud83d\ude00"]`, "$[?search(@.a, @.b)]"} {
		f.Add(path, store)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		p, err := jsonpath.Parse(path)
		if err != nil {
			return
		}
		found, err := jsonpath.Select(nodeOf("", value), []jsonpath.Path{p, p})
		if err != nil && err != jsonpath.ErrLarge {
			t.Errorf("%q: %v", path, err)
		}
		seen := map[*jsonpath.Node]bool{}
		for _, n := range found {
			if seen[n] {
				t.Errorf("%q finds a value twice", path)
			}
			seen[n] = true
		}
	})
}

// TestHolder checks which path leads to what holds the values of a path.
func TestHolder(t *testing.T) {
	for path, want := range map[string]string{"$.item.price": `$["item"]`, "$.a['b.c']": `$["a"]`, "$..price": "$",
		"$[?@.x == '].y'].z": `$[?@["x"] == "].y"]`, "$.a[1,2]": `$["a"]`, "$": ""} {
		p, err := jsonpath.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		holder, ok := p.Holder()
		if ok != (want != "") || holder.String() != want {
			t.Errorf("%s: %q, %t, want %q", path, holder, ok, want)
		}
		if _, err := jsonpath.Parse(holder.String()); ok && err != nil {
			t.Errorf("%s: the holder is no path: %v", path, err)
		}
	}
}

// W24: TestW24UnusualPaths checks what RFC 9535 says of paths that are seldom written: nothing and null, numbers, the
// ends of slices, the types of functions, and text that only looks like a path.
func TestW24UnusualPaths(t *testing.T) {
	const document = `{"n":[{"a":1,"b":1.0},{"a":null},{"b":null},{"a":"x","b":"x"},{"a":[1,[2]],"b":[1,[2]]},
		{"a":{"x":1,"y":2},"b":{"y":2,"x":1}},{"a":false},{"a":-0,"b":0},{"a":100,"b":1e2},{}],
		"s":[0,1,2,3,4,5],"t":["ab","a\u2028c","a\nc","☺☺","","a\\xc","^ab"],"o":{"k":1,"\"":2,"☺":3,"a.b":4}}`
	root, _ := treeOf(t, document)
	for path, want := range map[string]string{
		"$.n[?@.a==@.b]": "0 3 4 5 7 8 9", "$.n[?@.a!=@.b]": "1 2 6",
		"$.n[?@.a<@.b]": "", "$.n[?@.a==null]": "1", "$.n[?@.a]": "0 1 3 4 5 6 7 8", "$.n[?!@.a]": "2 9",
		"$.n[?@.a<=null]": "1", "$.n[?@.a==1e0]": "0", "$.n[?@.a==-0]": "7", "$.n[?@.b==100]": "8",
		"$.n[?@.a>=false]": "6", "$.n[?@.a>'a']": "3", "$.n[?@.zz==@.yy]": "0 1 2 3 4 5 6 7 8 9",
		"$.n[?length(@.a)==2]": "4 5", "$.n[?length(@.a)==@.zz]": "0 1 2 6 7 8 9", "$.n[?count(@.*)==0]": "9",
		"$.n[?count(@['a','b'])==1]": "1 2 6", "$.n[?value(@..x)==1]": "", "$.n[?value(@.a.x)==1]": "5",
		"$.n[?(@.a==1||@.a==100)&&@.b]": "0 8", "$.n[?!(@.a||@.b)]": "9", "$.n[?@.a==1 || @.a=='x' && @.b=='y']": "0",
		"$.s[-2:]": "4 5", "$.s[:-4]": "0 1", "$.s[4:1:-1]": "2 3 4", "$.s[::-3]": "2 5",
		"$.s[1:5:0]": "", "$.s[9:]": "",
		"$.s[-9:2]": "0 1", "$.s[5:0:-2]": "1 3 5", "$.s[-1,0]": "0 5", "$.s[-7]": "", "$.s[?@>2 && @<5]": "3 4",
		"$.s[9007199254740991]": "", "$.s[0:9007199254740991:5]": "0 5",
		"$.s [ 1 , 2 ]": "1 2", "$.s[1\t:\n3]": "1 2",
		"$.t[?match(@,'a.c')]": "1", "$.t[?match(@,'a[^b]*')]": "1 2 5", "$.t[?length(@)==2]": "0 3",
		"$.t[?search(@,'\\\\\\\\')]": "5", "$.t[?match(@,'')]": "4", "$.t[?@=='\\u263A\\u263a']": "3",
		"$.t[?match(@,'\\\\p{Lu}*')]": "4", "$.t[?search(@,'[.]')]": "", "$.t[?match(@,'(ab|ab.*)')]": "0",
	} {
		found, err := find(t, root, path)
		var at []string
		for _, place := range found {
			at = append(at, strings.TrimSuffix(place[strings.LastIndex(place, "[")+1:], "]"))
		}
		if got := strings.Join(at, " "); got != want || err != nil {
			t.Errorf("%s finds %q (%v), want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"$[01]", "$[-0]", "$[9007199254740992]", "$[1:2:3:4]",
		"$.1", "$.&", "$.", "$..", "$. a", "$[]",
		"$['a' 'b']", "$[0,]", "$['\u0001']", "$['\\x']", "$['\\ud800']", "$[\"a']", "$[?@.a==1.]", "$[?@.a==.1]",
		"$[?@.a==01]", "$[?@.a==+1]", "$[?true]", "$[?1==1==1]", "$[?@.*==0]", "$[?@..a==0]",
		"$[?@[0,1]==0]", "$[?!@.a==1]",
		"$[?length(@.a)]", "$[?length(@.*)>1]", "$[?count(1)>1]", "$[?count('a')>1]", "$[?match(@.a,'a')==true]",
		"$[?match(@.a)]", "$[?value(@.*)]", "$[?length (@.a)>1]", "$[?LENGTH(@.a)>1]",
		"$[?@.a=1]", "$[?@.a=='a' and @.b]",
		"$[?(@.a]", "$[?@.a&@.b]", "$[? ]", "a", "@.a", "$a", "$[?@.a==TRUE]", "$[?@.a==[1]]", "$[?@.a=={}]"} {
		if _, err := jsonpath.Parse(path); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
}
