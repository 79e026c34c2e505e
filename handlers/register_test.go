package handlers

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestS13AddRefusesWhatIsNeverFetched checks that an address that can never be fetched is refused when it is added,
// and not left Pending (S13).
func TestS13AddRefusesWhatIsNeverFetched(t *testing.T) {
	r := newRig(t)
	web, err := fetch.New(fetch.Config{UserAgent: "Tidemark/1", AllowHosts: []string{"10.1.2.3"}})
	must(t, err)
	r.v.Admit = web.Admit
	const refused = "url: 192.168.1.1 is not a public address, so it would never be fetched: if the host is yours, add " +
		"192.168.1.1 to CRAWL_ALLOW_HOSTS and start again"
	for _, written := range []string{"https://192.168.1.1/", "https://0xC0A80101/x"} {
		w := do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+written+`"}`)
		var p api.Problem
		must(t, json.Unmarshal(w.Body.Bytes(), &p))
		if w.Code != http.StatusBadRequest || p.Detail != refused || len(p.Errors) != 1 || p.Errors[0].Field != "url" {
			t.Errorf("%s: %d %+v", written, w.Code, p)
		}
	}
	w := do(t, r, "POST", "/api/AddUrlDocument",
		`{"urls":["http://localhost/","http://10.1.2.3/","https://port.example/ok/one"]}`)
	var batch api.AddURLBatch
	must(t, json.Unmarshal(w.Body.Bytes(), &batch))
	if w.Code != http.StatusAccepted || !strings.Contains(batch.Items[0].Error, "localhost is a name of this machine") ||
		batch.Items[1].Item == nil || batch.Items[2].Item == nil {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestX4FormsAreKept checks that addresses are requested in the form in which peoplegive them, one or many (X4).
// An address without a scheme has such a form, too.
func TestX4FormsAreKept(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/one/"}`)
	do(t, r, "POST", "/api/AddUrlDocument",
		`{"urls":["https://port.example/q?z=1&a=2","https://port.example/n?utm_source=x"]}`)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"port.example/typed/","guessScheme":true}`)
	do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["port.example/many/"],"guessScheme":true}`)
	for address, want := range map[string]string{
		"https://port.example/typed": "https://port.example/typed/",
		"https://port.example/many":  "https://port.example/many/",
		"https://port.example/one/":  "https://port.example/one/", "https://port.example/n": "",
		"https://port.example/q?a=2&z=1": "https://port.example/q?z=1&a=2",
	} {
		src, err := source.DefaultRules().ParseURL(address)
		must(t, err)
		it, err := registry.New(r.store, registry.Options{}).Items.Find(t.Context(), src.ID())
		if err != nil || it.FetchSource != want {
			t.Errorf("%s is requested as %q, want %q (%v)", address, it.FetchSource, want, err)
		}
	}
}
