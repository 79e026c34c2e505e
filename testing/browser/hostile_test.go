package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// evil is a text that runs as a script wherever it is not escaped.
const evil = `"'><script>window.owned=1</script><img src=x onerror=window.owned=1>`

// inert fails the test for each page that ran a script from the data it shows.
func (s *stage) inert(paths ...string) {
	s.Helper()
	for _, path := range paths {
		s.open(path)
		var owned bool
		if s.do(chromedp.Evaluate(`window.owned === 1`, &owned)); owned {
			s.Errorf("%s ran a stranger's script", path)
		}
	}
}

// TestHostilePage checks that scripts in a page are shown only as text.
func TestHostilePage(t *testing.T) {
	s := newStage(t)
	must(t, os.WriteFile(filepath.Join(s.folder, "evil.html"), []byte(`<!doctype html><html lang="en">
<title>&lt;script&gt;window.owned=1&lt;/script&gt;</title><main><h1>&lt;img src=x onerror=window.owned=1&gt;</h1>
<p>submarine &lt;script&gt;window.owned=1&lt;/script&gt; "'&gt;&lt;svg onload=window.owned=1&gt;</p>
<a href="javascript:window.owned=1">go</a>
<img src="javascript:window.owned=1" alt="&lt;script&gt;window.owned=1&lt;/script&gt;">
<script>window.owned=1</script></main>`), 0o644))
	it, err := api.AddURL.Call(t.Context(), s.client,
		api.AddURLRequest{URL: s.site + "/evil.html?<script>window.owned=1</script>"})
	must(t, err)
	s.eventually("it is indexed", func() bool {
		found, err := api.GetItem.Call(t.Context(), s.client, api.ItemID{ID: it.ID})
		return err == nil && found.Status == "Indexed"
	})
	digest := ""
	if found, err := api.GetItem.Call(t.Context(), s.client, api.ItemID{ID: it.ID}); err == nil {
		digest = found.Captures[0].SHA256
	}
	s.inert("", "/items", "/items/"+it.ID, "/search?q=submarine&pictures=1",
		"/items/"+it.ID+"/diff?from="+digest+"&to="+digest, "/items/"+it.ID+"/rendered?from="+digest+"&to="+digest,
		"/hosts")
	s.open("/search?q=submarine")
	s.reads("#results h3", "<img")
}

// TestHostileEntryAndSite checks that scripts in an entry, and in the errors of a site, are shown only as text.
func TestHostileEntryAndSite(t *testing.T) {
	s := newStage(t)
	res, err := api.InsertEntry.Call(t.Context(), s.client, api.Entry{
		Source: "telegram", IdempotencyPolicyKey: "telegram_thought_v1", IdempotencyKeyPrimary: evil, Title: evil,
		Author: evil, URL: "javascript:window.owned=1", CleanText: "submarine " + evil,
		RetrievalExcerpt: evil, Metadata: map[string]any{evil: evil},
	})
	must(t, err)
	run, err := api.StartBackfill.Call(t.Context(), s.client, api.BackfillRequest{Sources: []string{"evil"}})
	must(t, err)
	s.eventually("the run has failed", func() bool {
		run, err = api.GetBackfill.Call(t.Context(), s.client, api.BackfillID{ID: run.ID})
		return err == nil && run.Over()
	})
	if len(run.ErrorLog) == 0 {
		t.Errorf("the run has no error: %+v", run)
	}
	s.inert("/entries", "/entries/"+res.ID, "/search?q=submarine&type=entry", "/backfill", "/backfill/"+run.ID)
	s.open("/entries/" + res.ID)
	s.reads("h1", "<script>")
	var links int
	if s.do(chromedp.Evaluate(`document.querySelectorAll('a[href^="javascript"]').length`, &links)); links > 0 {
		t.Error("a script may be followed")
	}
}
