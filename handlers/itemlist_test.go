package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestW11HostsOfFilters checks that a host selects the same items in lists and bulk runs, however it is written, and
// also the host of files (W11).
func TestW11HostsOfFilters(t *testing.T) {
	r := newRig(t)
	r.register("https://port.example/ok/one")
	if w := do(t, r, "POST", "/api/AddFileDocument", `{"path":"/srv/docs/Manual.pdf"}`); w.Code != http.StatusAccepted {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for host, code := range map[string]int{"port.example": 200, "PORT.Example:443": 200, "file:local": 200, "[": 400} {
		w := do(t, r, "GET", "/api/items?host="+url.QueryEscape(host), "")
		var page api.ItemPage
		must(t, json.Unmarshal(w.Body.Bytes(), &page))
		if w.Code != code || code == http.StatusOK && len(page.Items) != 1 {
			t.Errorf("list of %s: %d %s", host, w.Code, w.Body)
		}
	}
	for host, code := range map[string]int{"file:local": 202, "[": 400} {
		w := do(t, r, "POST", "/api/items/bulk", `{"op":"pause","filter":{"host":"`+host+`"}}`)
		if w.Code != code || code == http.StatusBadRequest && problemOf(t, w).Errors[0].Field != "filter.host" {
			t.Errorf("bulk run of %s: %d %s", host, w.Code, w.Body)
		}
	}
}
