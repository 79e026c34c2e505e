package handlers

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestH7ChangesAreTold checks that an item is answered with its changes, and that the dashboard lists them.
func TestH7ChangesAreTold(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/one")))
	id := idOf(t, "https://port.example/ok/one")
	var item api.ItemDetail
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &item))
	if len(item.Changes) != 1 {
		t.Fatalf("%d changes", len(item.Changes))
	}
	c := item.Changes[0]
	if c.Kind != api.ChangeNew || c.SHA256 != item.Captures[0].SHA256 || c.Before != "" || c.NewShare == nil ||
		*c.NewShare != 1 || *c.WordsAdded == 0 {
		t.Errorf("%+v", c)
	}
	body := do(t, r, "GET", "/api/ui/items/"+id, "").Body.String()
	if !strings.Contains(body, "First reading") || !strings.Contains(body, "watched") {
		t.Error("the dashboard does not tell")
	}
	if body := do(t, r, "GET", "/api/metrics", "").Body.String(); !strings.Contains(body,
		`tidemark_change_kinds_total{kind="new"} 1`) {
		t.Error("it is not counted")
	}
}

// TestH9ACollapseIsTold checks that the API and the dashboard show an unconfirmed collapse of an item, and its
// reason.
func TestH9ACollapseIsTold(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/one")))
	id := idOf(t, "https://port.example/ok/one")
	it, err := r.v.Registry.Items.Find(t.Context(), source.ID(id))
	must(t, err)
	waiting, err := json.Marshal(change.Collapse{Since: it.LastChecked, Checks: 1, Left: 0.1})
	must(t, err)
	_, err = r.store.Table("IngestItems").Transact(t.Context(), storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: storage.Key{Partition: it.Partition(), Row: it.Hash()}, ETag: storage.AnyETag,
		Props: storage.Properties{"collapse": string(waiting)},
	}})
	must(t, err)
	const why = "10 % of the main content is left on 1 of 3 checks"
	var item api.Item
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &item))
	if !item.Collapsed || !strings.HasPrefix(item.Why, why) || item.Status != api.StatusIndexed {
		t.Errorf("%+v", item)
	}
	if body := do(t, r, "GET", "/api/ui/items/"+id, "").Body.String(); !strings.Contains(body, why) {
		t.Error("the dashboard does not tell")
	}
	if body := do(t, r, "GET", "/api/ui/items", "").Body.String(); strings.Count(body, ">almost empty</span>") != 1 {
		t.Error("the list does not mark the item")
	}
	w := post(t, r, "/api/ui/items/"+id, "same-origin", url.Values{"do": {"accept"}})
	if w.Header().Get("Location") != "/api/ui/items/"+id+"?done=accepted" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if it, err = r.v.Registry.Items.Find(t.Context(), source.ID(id)); err != nil || !it.Collapse.Asked {
		t.Errorf("%+v, %v", it.Collapse, err)
	}
}
