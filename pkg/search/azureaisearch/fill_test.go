package azureaisearch

import (
	"net/http"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

func begun(t *testing.T, ix *Index) string {
	t.Helper()
	name, err := ix.Begun(t.Context())
	must(t, err)
	return name
}

// A19: an index has the same name for all callers until it is recorded as filled, and another name when it is created
// again. The marker is invisible to searches.
func TestA19Begun(t *testing.T) {
	ix, server := created(t, 0)
	second := open(t, server, 0)
	must(t, second.Create(t.Context()))
	name := begun(t, ix)
	if name == "" || begun(t, second) != name {
		t.Errorf("%q here, %q there", name, begun(t, second))
	}
	must(t, ix.Put(t.Context(), page("a", "one")))
	server.Refresh()
	if begun(t, ix) != name {
		t.Error("a page that was put makes the index full")
	}
	for range 2 {
		must(t, ix.Filled(t.Context(), name))
		if have := begun(t, second); have != name && have != "" {
			t.Errorf("before the mark is seen: %q", have)
		}
		server.Refresh()
	}
	if begun(t, ix) != "" || begun(t, second) != "" {
		t.Error("the index forgot that it is filled")
	}
	marked(t, ix)
	_, err := ix.service.call(t.Context(), request{method: http.MethodDelete}, nil)
	must(t, err)
	must(t, ix.Create(t.Context()))
	if again := begun(t, ix); again == "" || again == name {
		t.Errorf("made again: %q, before %q", again, name)
	}
}

// C5, A19: an index must be filled again whenever the model differs from that of its vectors, even for a model that
// was used before. Each time it has another name.
func TestA19BegunByModel(t *testing.T) {
	server := aisearch.New(t)
	seen := map[string]bool{"": true}
	for _, model := range []string{"", "a", "b", "a", "b", ""} {
		ix, err := Open(Options{Endpoint: server.URL, Index: "pages", Key: aisearch.Key, Dimensions: 3, Model: model,
			Client: quick()})
		must(t, err)
		must(t, ix.Create(t.Context()))
		name := begun(t, ix)
		if seen[name] {
			t.Errorf("model %q: the name %q was there before", model, name)
		}
		seen[name] = true
		must(t, ix.Filled(t.Context(), name))
		server.Refresh()
		if begun(t, ix) != "" {
			t.Errorf("model %q: not filled", model)
		}
	}
}

// marked checks that an index with the page a of one chunk does not show its marker.
func marked(t *testing.T, ix *Index) {
	t.Helper()
	if n, err := ix.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("%d pages, %v", n, err)
	}
	if ids, err := ix.IDs(t.Context(), "", 10); len(ids) != 1 || err != nil {
		t.Errorf("ids %v, %v", ids, err)
	}
	for _, text := range []string{"filled", "marker", "one"} {
		found, err := ix.Search(t.Context(), search.Query{Text: text, Top: 10, Facets: true})
		must(t, err)
		if want := map[bool]int{true: 1}[text == "one"]; found.Count != want || len(found.Results) != want ||
			len(found.Facets.Hosts) != want {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

// TestFaultsOfFilled checks that when the marker cannot be written, or the answer is lost, the worst result is that
// the index is filled once more.
func TestFaultsOfFilled(t *testing.T) {
	for _, after := range []bool{false, true} {
		ix, server := created(t, 0)
		name := begun(t, ix)
		server.Fail(aisearch.Fault{Op: "index", Status: http.StatusInternalServerError, After: after, Times: 10})
		if err := ix.Filled(t.Context(), name); err == nil {
			t.Fatal("no error")
		}
		server.Refresh()
		if have := begun(t, ix); (have == "") != after || have != "" && have != name {
			t.Errorf("after %v: %q, before %q", after, have, name)
		}
	}
}
