package handlers

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

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
			"no page of its site links to this one any more") != told {
			t.Errorf("%s: told on the dashboard: %t", address, !told)
		}
	}
}
