package handlers

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestA11NotIndexedIsTold checks that the API, the list and the page of an item say why its content is not in the index
// (A11).
func TestA11NotIndexedIsTold(t *testing.T) {
	r := newItemsRig(t)
	id := idOf(t, pageOne)
	says(t, do(t, r, "GET", "/api/ui/items/"+id+"/experts", ""), http.StatusOK, "Indexed")
	if have := itemAt(t, r, pageOne).NotIndexed; have != "" {
		t.Errorf("an item in the index is said to be out of it: %q", have)
	}
	_, err := r.v.Registry.Items.Ignore(t.Context(), source.ID(id), func(it *registry.Item) (string, error) {
		it.Exclusion = "noindex"
		return "notIndexed", nil
	})
	must(t, err)
	if have := itemAt(t, r, pageOne).NotIndexed; have != "noindex" {
		t.Errorf("the API has %q", have)
	}
	says(t, do(t, r, "GET", "/api/ui/items/"+id, ""), http.StatusOK, "searches leave it out: noindex")
	says(t, do(t, r, "GET", "/api/ui/items", ""), http.StatusOK, "left out: noindex")
}

// TestE17UnlinkedIsTold checks that the API and the dashboard say of a page that nothing links to it any more, and of
// no other page (E17).
func TestE17UnlinkedIsTold(t *testing.T) {
	r := newRig(t)
	const lost, kept = "https://port.example/ok/one", "https://port.example/ok/two"
	for _, address := range []string{lost, kept} {
		do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register(address)))
	}
	src, err := source.DefaultRules().ParseURL(lost)
	must(t, err)
	_, err = r.v.Registry.Changes.Unlink(t.Context(), []source.Source{src}, true)
	must(t, err)
	for address, told := range map[string]bool{lost: true, kept: false} {
		id := idOf(t, address)
		if body := do(t, r, "GET", "/api/items/"+id, "").Body.String(); strings.Contains(body,
			`"unlinkedSince":"2026`) != told {
			t.Errorf("%s", body)
		}
		if body := do(t, r, "GET", "/api/ui/items/"+id, "").Body.String(); strings.Contains(body,
			"No page of its site links to this one any more") != told {
			t.Errorf("%s: told on the dashboard: %t", address, !told)
		}
	}
}
