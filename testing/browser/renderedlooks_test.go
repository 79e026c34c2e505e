package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestR3RenderedLooks checks that the page of an item that a browser read, and the costs of that on the machine page,
// can be used by everybody, also on a phone (R3).
func TestR3RenderedLooks(t *testing.T) {
	s := newStage(t, "RENDER_BROWSER=auto", "container=1") // in a container, root may start Chromium
	script := axe(t)
	page := `<!doctype html><html lang=en><title>Berths</title><div></div>
		<script>document.querySelector("div").innerHTML = "<p>The old harbour has 12 berths for boats of nine yards.</p>";
		navigator.sendBeacon("/seen")</script>`
	must(t, os.WriteFile(filepath.Join(s.folder, "berths.html"), []byte(page), 0o644))
	batch, err := s.client.AddURLs(t.Context(), []string{s.site + "/berths.html"}, api.AddOptions{})
	must(t, err)
	s.eventually("a check", func() bool {
		it, err := api.GetItem.Call(t.Context(), s.client, api.ItemID{ID: batch.Items[0].Item.ID})
		return err == nil && it.Status == api.StatusIndexed && it.Rendered != nil
	})
	s.open("/items/" + batch.Items[0].Item.ID + "/experts")
	s.reads(`section[aria-labelledby="browser"]`, "reports of use: 1")
	s.everybody(script, "rendered-item")
	s.open("/machine")
	s.reads(`section[aria-labelledby="renders"]`, "1 page rendered")
	s.everybody(script, "rendered-machine")
}
