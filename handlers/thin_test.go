package handlers

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestS13ThinIsToldEverywhere checks that the API and the dashboard report a thin page with the reason (S13).
func TestS13ThinIsToldEverywhere(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"one", "shell"} {
		do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/"+name)))
	}
	for name, thin := range map[string]bool{"one": false, "shell": true} {
		id := idOf(t, "https://port.example/ok/"+name)
		var item api.Item
		must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &item))
		if item.Status != api.StatusIndexed || item.Thin != thin || strings.Contains(item.Why,
			"nothing can be read before its scripts run") != thin {
			t.Errorf("%s: %+v", name, item)
		}
		if body := do(t, r, "GET", "/api/ui/items/"+id, "").Body.String(); strings.Contains(body,
			"othing can be read before its scripts run.") != thin {
			t.Errorf("%s: on the dashboard it is thin: %t", name, !thin)
		}
	}
	if body := do(t, r, "GET", "/api/ui/items", "").Body.String(); strings.Count(body, ">needs a browser</span>") != 1 {
		t.Error("the list does not mark one item")
	}
}
