package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestR3Program runs the program with a browser of its own: a page that writes its text by a script is indexed as
// people see it, new data are a change although the page's HTML is the same, what the site sent is kept beside what the
// browser showed, and a page that can be read as it is needs no browser (R3, R4).
func TestR3Program(t *testing.T) {
	s := newStage(t, "RENDER_BROWSER=auto", "container=1") // in a container, root may start Chromium
	write := func(name, text string) { must(t, os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o644)) }
	const shell = `<!doctype html><html lang=en><title>Berths</title><div id=root></div>
		<script>fetch("berths.txt").then(r => r.text()).then(t => { root.innerHTML = "<p>" + t + "</p>" })</script>`
	write("berths.html", shell)
	write("berths.txt", "The old harbour has 12 berths for boats of up to nine yards, says the harbour master.")
	write("readable.html", "<!doctype html><html lang=en><title>Quay</title><p>The quay is closed to carts at noon.</p>")
	at := s.site + "/berths.html"
	batch, err := s.client.AddURLs(t.Context(), []string{at, s.site + "/readable.html"}, api.AddOptions{})
	must(t, err)
	var it api.ItemDetail
	checked := func(i int, done func() bool) {
		t.Helper()
		s.eventually("a check", func() bool {
			it, err = api.GetItem.Call(t.Context(), s.client, api.ItemID{ID: batch.Items[i].Item.ID})
			return err == nil && it.Status == api.StatusIndexed && done()
		})
	}
	checked(0, func() bool { return true })
	if it.Thin || it.Rendered == nil || it.Rendered.Requests != 1 || it.Rendered.Missing != "" ||
		!strings.HasPrefix(it.Rendered.Browser, "Chrome/") {
		t.Errorf("thin %t, %+v", it.Thin, it.Rendered)
	}
	found, err := api.Search.Call(t.Context(), s.client, api.SearchRequest{Q: "harbour master"})
	if must(t, err); len(found.Results) != 1 {
		t.Errorf("a search finds %d pages", len(found.Results))
	}
	sent, err := s.client.SentCapture(t.Context(), it.ID, it.Captures[0])
	if must(t, err); string(sent) != shell {
		t.Errorf("the site sent %s", sent)
	}
	write("berths.txt", "The old harbour has 14 berths for boats of up to nine yards, says the harbour master.")
	_, err = s.client.AddURLs(t.Context(), []string{at}, api.AddOptions{})
	must(t, err)
	checked(0, func() bool { return it.Rendered.DataChanges })
	if len(it.Changes) != 2 || it.Changes[0].Kind != "content" {
		t.Errorf("%+v", it.Changes)
	}
	if checked(1, func() bool { return true }); it.Rendered != nil {
		t.Errorf("a readable page: %+v", it.Rendered)
	}
}
