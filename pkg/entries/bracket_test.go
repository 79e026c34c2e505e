package entries

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// letterOf returns a newsletter as a client sends it that has made the key itself.
func letterOf(key, text string) entry.Fields {
	return entry.Fields{"source": "email", "title": "Tides", "clean_text": text,
		"idempotency_policy_key": entry.EmailNewsletter, "idempotency_key_primary": key}
}

// TestX12NewsletterKeysInBrackets checks X12: a newsletter's key is its message id, with and without <>. An insert
// finds the same entry in either form, also before stored keys of the revision before are re-keyed.
func TestX12NewsletterKeysInBrackets(t *testing.T) {
	for _, rekeyed := range []bool{false, true} {
		onStores(t, func(t *testing.T, r *rig) {
			first := r.inserted(letterOf("1@port.example", "A wall of stone."))
			id := first.Entry.Text("id")
			r.third("<1@port.example>")
			if rekeyed {
				if _, changed, _ := r.rekeyAll(false); changed != 1 {
					t.Errorf("%d changed", changed)
				}
			}
			for _, key := range []string{"1@port.example", "<1@port.example>", " <1@port.example> ", "<1@port.example>(x)"} {
				res, err := r.insert(letterOf(key, "A wall of stone."))
				must(t, err)
				if res.Action == Inserted || res.Entry.Text("id") != id ||
					res.Entry.Text("idempotency_key_primary") != "1@port.example" {
					t.Errorf("%q, re-keyed %v: %s %v", key, rekeyed, res.Action, res.Entry)
				}
			}
			changed := letterOf("<2@port.example>", "A wall of wood.")
			changed["id"] = id
			res, err := r.In(Production).Update(t.Context(), changed)
			if must(t, err); res.Entry.Text("idempotency_key_primary") != "2@port.example" {
				t.Errorf("updated: %v", res.Entry)
			}
			for _, key := range []string{"<>", "<3@port.example", "3@port.example>"} { // no ids in brackets
				if got := r.inserted(letterOf(key, "Wood.")).Entry; got.Text("idempotency_key_primary") != key {
					t.Errorf("%q became %v", key, got)
				}
			}
		})
	}
}

// third gives the one entry the third revision and a key in brackets, as a client could make it under that revision.
func (r *rig) third(key string) {
	r.Helper()
	table := r.under.Table(tableOf[Production].entries)
	var rows []storage.Entity
	for e, err := range table.Query(r.Context(), storage.Query{Partition: entry.EmailNewsletter}) {
		must(r.T, err)
		rows = append(rows, e)
	}
	for _, e := range rows {
		var err error
		if e.Key == keyRow(entry.EmailNewsletter, "p", "1@port.example") {
			_, err = table.Transact(r.Context(),
				storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: storage.AnyETag}},
				storage.Op{Kind: storage.Insert, Entity: storage.Entity{
					Key: keyRow(entry.EmailNewsletter, "p", key), Props: e.Props}})
			must(r.T, err)
		}
		if !strings.HasPrefix(e.Row, rowText) {
			continue
		}
		e.Props["idempotency_key_primary"], e.Props[revisionColumn] = key, int64(3)
		_, err = table.Transact(r.Context(), storage.Op{Kind: storage.Replace, Entity: e})
		must(r.T, err)
	}
	for _, name := range Tables() {
		for e, err := range r.under.Table(name).Query(r.Context(), storage.Query{Partition: policyRows}) {
			must(r.T, err)
			e.Props[revisionColumn] = int64(3)
			_, err = r.under.Table(name).Transact(r.Context(), storage.Op{Kind: storage.Replace, Entity: e})
			must(r.T, err)
		}
	}
}
