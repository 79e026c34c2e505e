package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// TestG1SettingsOfFields checks that items and tags take fields in the API and in the dashboard's form, that a wrong
// one is refused with its name, and that the form keeps what it shows (G1).
func TestG1SettingsOfFields(t *testing.T) {
	r := newItemsRig(t)
	id := idOf(t, pageOne)
	for _, to := range []struct{ method, path, name string }{{"PATCH", "/api/items/" + id, ""},
		{"POST", "/api/tags", `"name":"sea",`}} {
		body := func(path string) string {
			return `{` + to.name + `"watch":{"fields":{"price":{"from":"css","path":"` + path + `","type":"money"}}}}`
		}
		says(t, do(t, r, to.method, to.path, body("p >")), http.StatusBadRequest, `"field":"watch.fields.price.path"`)
		says(t, do(t, r, to.method, to.path, body(".price")), http.StatusOK, `"path":".price"`)
	}
	form := "/api/ui/tell?more=page&item=" + id
	const line = "price:money=css:.price"
	says(t, do(t, r, "GET", form, ""), http.StatusOK, line+"</textarea>")
	for _, bad := range []string{"=css:p", "price:money=css:p >"} {
		says(t, post(t, r, form, "same-origin", url.Values{"watch.fields": {bad}, "watch.exclude": {".kept"}}),
			http.StatusBadRequest, ".kept", "Values of the page", "aria-invalid")
	}
	post(t, r, form, "same-origin", url.Values{"watch.fields": {line + "\r\nstock=declared:availability"}})
	it := itemAt(t, r, pageOne)
	if it.Watch == nil || it.Watch.Fields["price"].Path != ".price" || it.Watch.Fields["stock"].From != "declared" ||
		it.Effective.From["watch.fields.stock"] != "item" {
		t.Errorf("set: %+v", it.Watch)
	}
	post(t, r, form, "same-origin", url.Values{"tags": {"sea"}})
	if it := itemAt(t, r, pageOne); it.Watch != nil || it.Effective.From["watch.fields.price"] != "tag sea" {
		t.Errorf("cleared: %+v, %v", it.Watch, it.Effective.From)
	}
}

// readFields makes checks of an item find prices, and text that begins as a formula does.
func readFields(t *testing.T, r *rig, id string) {
	t.Helper()
	var known field.Known
	for i, euros := range []string{"79", "", "84.5"} {
		price := field.Result{Name: "price", State: field.Disappeared,
			Evidence: field.Evidence{Source: field.CSS, At: ".price"}}
		if euros != "" {
			price.State, price.Evidence.Excerpt = field.Found, euros+" €"
			price.Value = field.Value{Type: field.Money, Number: field.Decimal(euros), Currency: "EUR"}
		}
		note := field.Result{Name: "note", State: field.Found, Value: field.Value{Type: field.Text, Text: "=1+1"}}
		var entries []field.Entry
		known, _, entries = known.See(field.Reading{Results: []field.Result{price, note},
			UnreadData: jsonld.Unread{Blocks: 2, Why: "it ends too early", Excerpt: `{"a`},
			Keys:       map[string]string{"price": "k", "note": "k"}, Capture: "sha256:" + strings.Repeat("a", 64),
			At: r.now.Add(time.Duration(i) * time.Hour)})
		t.Log(entries)
		must(t, registry.NewFieldLog(r.store).Add(t.Context(), source.ID(id), entries))
	}
	knowFields(t, r, known)
}

// knowFields stores what is known of the fields of the first page.
func knowFields(t *testing.T, r *rig, known field.Known) {
	t.Helper()
	columns := row.Of[struct {
		Fields field.Known `col:"fields,gzip"`
	}]()
	table := r.store.Table(registry.DefaultTable)
	for e, err := range table.Query(t.Context(), storage.Query{}) {
		must(t, err)
		if e.Props["normalizedSource"] != pageOne || e.Props["status"] == nil {
			continue
		}
		v := struct {
			Fields field.Known `col:"fields,gzip"`
		}{known}
		_, err := table.Transact(t.Context(), storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: e.Key,
			ETag: e.ETag, Props: columns.Encode(&v)}})
		must(t, err)
	}
}

// TestG1FieldsOfItems checks what the API says of the fields of an item and of their history, as JSON and as CSV (G1).
func TestG1FieldsOfItems(t *testing.T) {
	r := newItemsRig(t)
	id := idOf(t, pageOne)
	says(t, do(t, r, "GET", "/api/items/"+id+"/fields/price", ""), http.StatusNotFound, "no field of this page")
	readFields(t, r, id)
	it := itemAt(t, r, pageOne)
	have := it.Fields["price"]
	if have.Value != 84.5 || have.Currency != "EUR" || have.Text != "84.50 EUR" || have.State != "value" || !have.Asked ||
		have.First.Value != 79. || have.Lowest.Text != "79 EUR" || have.Highest.Value != 84.5 || have.Entries != 3 ||
		have.Evidence.From != "css" || have.Evidence.Path != ".price" || have.Evidence.Text != "84.5 €" ||
		have.Evidence.Capture != strings.Repeat("a", 64) {
		t.Errorf("have %+v", have)
	}
	if u := it.UnreadData; u == nil || *u != (api.UnreadData{Blocks: 2, Why: "it ends too early", Text: `{"a`}) {
		t.Errorf("have %+v", u)
	}
	var log strings.Builder
	for _, step := range []struct{ name, path string }{
		{"G1 the history of a price", "/fields/price"}, {"G1 the newest entry", "/fields/price?top=1"},
		{"G1 the history as CSV", "/fields/price?format=csv"}, {"G1 text that is no formula", "/fields/note?format=csv"},
		{"G1 no such field", "/fields/cost"}, {"G1 no such format", "/fields/price?format=xml"},
	} {
		w := do(t, r, "GET", "/api/items/"+id+step.path, "")
		body := w.Body.String()
		if strings.Contains(w.Header().Get("Content-Type"), "json") {
			body = pretty(t, w.Body.Bytes())
		}
		fmt.Fprintf(&log, "=== %s\nGET /api/items/%s%s\n\n%d %s\n%s\n\n", step.name, id, step.path, w.Code,
			w.Header().Get("Content-Type"), strings.ReplaceAll(body, "\r\n", "\n"))
	}
	golden(t, "fields.golden", log.String())
}

// TestG1NamesOfFields checks that a field has a history in the API and pages in the dashboard whatever its name is, and
// that names that could not stand in an address are refused when they are defined (G1).
func TestG1NamesOfFields(t *testing.T) {
	r := newItemsRig(t)
	id := idOf(t, pageOne)
	names := []string{"salePrice", "Version No", "version no", "50% off", "%2F", "%2f", "x?y#z", "a..b", ".x", "Größe"}
	reading := field.Reading{Keys: map[string]string{}, At: r.now, Capture: "sha256:" + strings.Repeat("a", 64)}
	for _, name := range names {
		reading.Keys[name] = "k"
		reading.Results = append(reading.Results, field.Result{Name: name, State: field.Found,
			Value: field.Value{Type: field.Text, Text: "value of " + name}})
	}
	known, _, _ := field.Known{}.See(reading)
	knowFields(t, r, known)
	for _, name := range names {
		escaped := url.PathEscape(name)
		says(t, do(t, r, "GET", "/API/items/"+id+"/Fields/"+escaped, ""), http.StatusOK, `"value of `+name+`"`)
		says(t, do(t, r, "GET", "/api/ui/items/"+id+"/fields/"+escaped, ""), http.StatusOK, ">value of "+name+"<")
		says(t, do(t, r, "GET", "/api/ui/items/"+id+"/csv/"+escaped, ""), http.StatusOK, "value of "+name)
		says(t, do(t, r, "GET", "/api/ui/items/"+id+"/experts", ""), http.StatusOK, "/items/"+id+"/fields/"+escaped+`"`)
	}
	for _, name := range []string{"a/b", "a//b", "a/", "..", ".", " a", `a\b`} {
		wanted := `{"watch":{"fields":{` + strconv.Quote(name) + `:{"from":"css","path":"p","type":"text"}}}}`
		says(t, do(t, r, "PATCH", "/api/items/"+id, wanted), http.StatusBadRequest, "is not a field name")
		says(t, post(t, r, "/api/ui/tell?more=page&item="+id, "same-origin", url.Values{"watch.fields": {name +
			"//:text=css:p"}}), http.StatusBadRequest, "is not a field name", "aria-invalid")
	}
}

// TestG1PreviewOfTheSettings checks that the form of the settings shows what the typed fields and those of the typed
// tags would read in the last capture, keeps what was typed, saves nothing, and says what is wrong (G1).
func TestG1PreviewOfTheSettings(t *testing.T) {
	r := newItemsRig(t)
	form := "/api/ui/tell?more=page&item=" + idOf(t, pageOne)
	do(t, r, "POST", "/api/tags", `{"name":"sea","watch":{"fields":{"head":{"from":"css","path":"h1","type":"text"}}}}`)
	typed := url.Values{"do": {"preview"}, "tags": {"sea, unknown"}, "every": {"3h"},
		"watch.fields": {"first=css:p\r\nnone:money=css:.no"}}
	page := post(t, r, form, "same-origin", typed)
	says(t, page, http.StatusOK, `id="tried"`, "Nothing is saved yet", "first: <b>The harbour", "head: <b>one",
		`none: <span class="bad">gone`, `name="every" value="3h"`, "first=css:p")
	if it := itemAt(t, r, pageOne); it.Watch != nil || it.Interval != nil || len(it.Fields) > 0 {
		t.Errorf("something is saved: %+v", it)
	}
	typed.Set("watch.fields", "first=css:p >")
	says(t, post(t, r, form, "same-origin", typed), http.StatusBadRequest, "first=css:p >", "aria-invalid",
		"Values of the page")
}

// TestG3LastValueThatDisappeared checks that the API has the last value of a field that has disappeared (G3).
func TestG3LastValueThatDisappeared(t *testing.T) {
	r := newItemsRig(t)
	var known field.Known
	value := field.Value{Type: field.Money, Number: "79", Currency: "EUR"}
	for i, price := range []field.Result{{State: field.Disappeared}, {State: field.Found, Value: value},
		{State: field.Disappeared}, {State: field.Disappeared}} {
		price.Name = "price"
		known, _, _ = known.See(field.Reading{Results: []field.Result{price}, Keys: map[string]string{"price": "k"},
			At: r.now.Add(time.Duration(i) * time.Hour)})
		knowFields(t, r, known)
		want := map[bool]string{true: "79 EUR"}[i > 1]
		if have := itemAt(t, r, pageOne).Fields["price"]; have.Last != want || (have.State == "disappeared") != (i != 1) {
			t.Errorf("after check %d: %+v; want %q as the last value", i, have, want)
		}
	}
}
