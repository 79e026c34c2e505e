package handlers

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// upload returns a form that carries a file, as a browser sends it.
func upload(t *testing.T, path, content string, fields map[string]string) *http.Request {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		must(t, form.WriteField(name, value))
	}
	file, err := form.CreateFormFile("file", "list")
	must(t, err)
	_, err = file.Write([]byte(content))
	must(t, err)
	must(t, form.Close())
	r := httptest.NewRequestWithContext(t.Context(), "POST", path, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// TestW12DashboardImport checks that a list is pasted or uploaded, and that the page of its import reports the
// outcome (W12).
func TestW12DashboardImport(t *testing.T) {
	r := newRig(t)
	says(t, do(t, r, "GET", "/api/ui/import", ""), http.StatusOK, "Import a list", "multipart/form-data")
	w := post(t, r, "/api/ui/import", "same-origin", url.Values{"content": {someBookmarks}})
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/api/ui/import/list-") {
		t.Fatalf("%d to %q\n%s", w.Code, to, w.Body)
	}
	says(t, do(t, r, "GET", to, ""), http.StatusOK, "read as bookmarks", "<b>2</b><span>added", "<b>1</b><span>refused",
		"<b>1</b><span>already known", "javascript:alert(1)", "it is no address of a page in the web")
	harmless(t, r, to)
	r.now = r.now.Add(1e9)
	w = httptest.NewRecorder()
	r.ServeHTTP(w, upload(t, "/api/ui/import", pageOne+"\nhttps://port.example/ok/three\n", nil))
	says(t, do(t, r, "GET", w.Header().Get("Location"), ""), http.StatusOK, "read as csv", "<b>1</b><span>added",
		"<b>1</b><span>already known")
	for _, path := range []string{"/api/ui", "/api/ui/items"} {
		if body := do(t, newRig(t), "GET", path, "").Body.String(); !strings.Contains(body, `href="/api/ui/import"`) {
			t.Errorf("%s of an empty store has no link", path)
		}
	}
}

// TestW12DashboardImportRefused checks that a refused list is shown again with the reason, also when it is too large
// (W12).
func TestW12DashboardImportRefused(t *testing.T) {
	r := newRig(t)
	says(t, post(t, r, "/api/ui/import", "same-origin", url.Values{"content": {"<opml>"}, "format": {"opml"}}),
		http.StatusBadRequest, "<opml></textarea>", `value="opml" selected`, `class="bad">`, "the list has no addresses, read as opml")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, upload(t, "/api/ui/import", "{", map[string]string{"format": "jsonl"}))
	says(t, w, http.StatusBadRequest, "choose the file again", `class="bad">`)
	w = httptest.NewRecorder()
	r.ServeHTTP(w, upload(t, "/api/ui/import", strings.Repeat("x", wire.MaxBody), nil))
	says(t, w, http.StatusRequestEntityTooLarge, "more than 4 MiB")
}

// TestW12DashboardImportLarge checks that the characters which JSON may escape do not make a list count as longer
// (W12).
func TestW12DashboardImportLarge(t *testing.T) {
	r := newRig(t)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, upload(t, "/api/ui/import", `<dl><dt><a href="`+pageOne+`">`+strings.Repeat("<p>", wire.MaxBody/6), nil))
	if w.Code != http.StatusSeeOther {
		t.Errorf("%d\n%.2000s", w.Code, w.Body)
	}
}

// TestW12DashboardExport checks that the list of items is exported with its present filter (W12).
func TestW12DashboardExport(t *testing.T) {
	r := newItemsRig(t)
	_, doc := dashboardPage(t, r, "/api/ui/items?tag=sea")
	for _, text := range []string{"CSV", "JSON Lines"} {
		w := do(t, r, "GET", links(doc)[text], "")
		if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, pageOne) ||
			strings.Contains(body, pageTwo) {
			t.Errorf("%s: %d %s", text, w.Code, body)
		}
	}
}

// TestL4UploadNeedsTheToken checks that a form with a file is accepted only from pages of the session (L4).
func TestL4UploadNeedsTheToken(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeWrite)
	for token, want := range map[string]int{keys.FormToken(c.Value): http.StatusSeeOther, "": http.StatusForbidden} {
		r := upload(t, "/api/ui/import", pageOne, map[string]string{"token": token})
		r.AddCookie(c)
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != want {
			t.Errorf("token %q: %d, want %d", token, w.Code, want)
		}
	}
}
