package handlers

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fetch"
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
