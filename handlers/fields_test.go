package handlers

import (
	"net/http"
	"net/url"
	"testing"
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
	form := "/api/ui/items/" + id + "/settings"
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
