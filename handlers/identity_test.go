package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// rooted returns the identity that a page had under url_v1 when its host was written with the dot of the root.
func rooted(t *testing.T, url string) source.Source {
	t.Helper()
	s, err := source.DefaultRules().ParseURL(url)
	must(t, err)
	host := s.Host + "."
	s.Normalized = strings.Replace(s.Normalized, s.Host, host, 1)
	s.Display, s.Host = s.Normalized, host
	return s
}

func get[T any](t *testing.T, r *rig, path string) (v T) {
	t.Helper()
	w := do(t, r, "GET", path, "")
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	must(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

// TestZ1OldIDsLeadOn checks that the id of a moved item leads to its successor, which lists its captures, and that a
// search finds only the new id (Z1).
func TestZ1OldIDsLeadOn(t *testing.T) {
	r := newRig(t)
	url := "https://port.example/ok/one"
	old, id := rooted(t, url), idOf(t, url)
	must(t, r.v.Registry.Items.Register(t.Context(), []source.Source{old}, registry.RegisterOptions{})[0].Err)
	r.work()
	before := get[api.CapturePage](t, r, "/api/items/"+string(old.ID())+"/captures")

	if w := do(t, r, "POST", "/api/migrate", `{"dryRun":true}`); w.Code != http.StatusAccepted ||
		!strings.Contains(w.Body.String(), "https://port.example./ok/one becomes "+url) {
		t.Fatalf("dry run: %d %s", w.Code, w.Body)
	}
	if w := do(t, r, "GET", "/api/items/"+string(old.ID()), ""); w.Code != http.StatusOK {
		t.Errorf("after the dry run: %d %s", w.Code, w.Body)
	}
	var m api.Migration
	must(t, json.Unmarshal(do(t, r, "POST", "/api/migrate", `{}`).Body.Bytes(), &m))
	if m.Status != api.MigrationCurrent || len(m.Steps) != 1 || m.Steps[0].Changed != 1 {
		t.Errorf("migration %+v", m)
	}
	for range 2 {
		r.now = r.now.Add(11 * time.Minute)
		do(t, r, "POST", "/CrawlTimer", `{"Data":{},"Metadata":{}}`)
		r.work()
	}

	w := do(t, r, "GET", "/api/items/"+string(old.ID())+"?code=key", "")
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/api/items/"+id+"?code=key" {
		t.Fatalf("the old id: %d to %q, %s", w.Code, w.Header().Get("Location"), w.Body)
	}
	it := get[api.ItemDetail](t, r, "/api/items/"+id)
	if it.Status != "Indexed" || len(it.FormerIDs) != 1 || it.FormerIDs[0] != string(old.ID()) || len(it.Captures) != 1 ||
		it.Captures[0].CanonicalURI != old.Normalized {
		t.Errorf("it goes on as %+v", it)
	}
	for _, either := range []string{id, string(old.ID())} {
		captures := get[api.CapturePage](t, r, "/api/items/"+either+"/captures")
		if fmt.Sprint(captures) != fmt.Sprint(before) {
			t.Errorf("captures of %s: %+v, before %+v", either, captures, before)
		}
		if w := do(t, r, "GET", "/api/items/"+either+"/captures/"+captures.Captures[0].SHA256, ""); w.Code != http.StatusOK {
			t.Errorf("the capture under %s: %d", either, w.Code)
		}
	}
	found := get[api.SearchResponse](t, r, "/api/Search?q=harbour")
	if found.Count != 1 || found.Results[0].ID != id {
		t.Errorf("found %+v", found)
	}
}
