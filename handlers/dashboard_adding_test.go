package handlers

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// onlyHTTPS answers every host of port.example with https, and no other.
type onlyHTTPS struct{}

func (onlyHTTPS) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" || r.URL.Host != "port.example" {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
}

// TestA1AddressWithoutScheme checks that the dashboard takes an address as people type it, that the API does so only if
// asked, and that what was refused stays in the form.
func TestA1AddressWithoutScheme(t *testing.T) {
	r := newRig(t)
	to := send(t, r, "/api/ui/add", url.Values{"urls": {" port.example/ok/one "}})
	if want := "/api/ui/items/" + idOf(t, "https://port.example/ok/one") + "?done=added"; to != want {
		t.Errorf("leads to %s", to)
	}
	w := post(t, r, "/api/ui/add", "same-origin", url.Values{"urls": {"old.example/<a>"}})
	for _, want := range []string{"if it has only http, write http://old.example", "old.example/&lt;a&gt;\n</textarea>"} {
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q is missing: %d %s", want, w.Code, w.Body)
		}
	}
	w = post(t, r, "/api/ui/add", "same-origin", url.Values{
		"urls": {"port.example/ok/two\nold.example/b\nmailto:a@b.example"}})
	if body := w.Body.String(); !strings.Contains(body, "old.example/b\nmailto:a@b.example\n</textarea>") ||
		strings.Contains(body, "two\n") {
		t.Errorf("%d %s", w.Code, body)
	}
	shows(t, r, "/api/ui/add?url=port.example/x", "port.example/x</textarea>", "Watch pages")
	shows(t, r, "/api/ui/add?text=Look+at+https://port.example/y+now", ">https://port.example/y</textarea>")
	if w := do(t, r, "POST", "/api/AddUrlDocument", `{"url":"port.example/z"}`); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "no scheme") {
		t.Errorf("the API without guessScheme: %d %s", w.Code, w.Body)
	}
	var it api.Item
	must(t, json.Unmarshal(do(t, r, "POST", "/api/AddUrlDocument", `{"url":"port.example/z","guessScheme":true}`).
		Body.Bytes(), &it))
	if it.NormalizedSource != "https://port.example/z" {
		t.Errorf("%+v", it)
	}
}

// TestA26FolderForm checks that the form for pages and folders takes globs: a wrong one, and one without a folder, is
// an error at its field, which keeps what was typed.
func TestA26FolderForm(t *testing.T) {
	r := newRig(t)
	form := func(urls, include, hidden string) url.Values {
		return url.Values{"urls": {urls}, "files.include": {include}, "files.exclude": {""}, "files.hidden": {hidden}}
	}
	for want, f := range map[string]url.Values{
		"no [ ] { }":                                form("/srv/docs", "*.md\n[a]", ""),
		"no line above is the path of a folder":     form("port.example/ok/one", "*.md", ""),
		"no line above is the path of a folder, su": form("port.example/ok/one", "", "true"),
	} {
		w := post(t, r, "/api/ui/add", "same-origin", f)
		says(t, w, http.StatusBadRequest, want, f.Get("urls")+"</textarea>", f.Get("files.include")+"</textarea>",
			`<small class="bad">`, "Not added")
	}
	to := send(t, r, "/api/ui/add", form("/srv/docs", "*.md\r\n notes/**\r\n", "true"))
	path, _, _ := strings.Cut(strings.TrimPrefix(to, "/api/ui"), "?")
	var it api.Item
	must(t, json.Unmarshal(do(t, r, "GET", "/api"+path, "").Body.Bytes(), &it))
	if f := it.Files; f == nil || strings.Join(f.Include, "|") != "*.md|notes/**" || len(f.Exclude) > 0 || !f.Hidden {
		t.Errorf("%s: %+v", to, it.Files)
	}
	send(t, r, "/api/ui/add", form("/srv/docs", "", ""))
	shows(t, r, to, "It is being read for the first time")
	settings := "/api/ui/tell?more=page&item=" + strings.TrimPrefix(path, "/items/")
	shows(t, r, settings, "*.md\nnotes/**</textarea>", `name="files.hidden" value="true" checked`)
	send(t, r, settings, url.Values{"files.include": {""}, "files.exclude": {"drafts/"}})
	it = api.Item{}
	must(t, json.Unmarshal(do(t, r, "GET", "/api"+path, "").Body.Bytes(), &it))
	if f := it.Files; f == nil || len(f.Include) > 0 || strings.Join(f.Exclude, "|") != "drafts/" || f.Hidden {
		t.Errorf("saved: %+v", it.Files)
	}
}
