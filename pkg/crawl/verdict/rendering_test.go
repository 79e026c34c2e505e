package verdict

import (
	"net/http"
	"testing"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestReaderOf checks that the plain answer decides whether a page is rendered: only a page that is thin, or whose
// plain answer differs from the one that its content was rendered from, needs a browser.
func TestReaderOf(t *testing.T) {
	html := fetch.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, FinalURL: "http://h.example/p"}
	pdf := html
	pdf.Header = http.Header{"Content-Type": {"application/pdf"}}
	unsent := html
	unsent.NotModified = true
	item := func(thin, plain, needless string) registry.Item {
		it := registry.Item{}
		it.RawHash, it.ContentHash, it.HTTPFinalURL, it.Thin = "raw", "content", "http://h.example/p", thin
		it.Rendering.Plain, it.Rendering.Needless = plain, needless
		return it
	}
	for _, tt := range []struct {
		name string
		it   registry.Item
		resp fetch.Response
		raw  string
		mode string
		want Reader
	}{
		{"never", item("thin", "", ""), html, "raw", options.RenderNever, ReadPlain},
		{"not modified", item("thin", "plain", ""), unsent, "", options.RenderAlways, ReadPlain},
		{"another type", item("", "", ""), pdf, "new", options.RenderAlways, ReadPlain},
		{"always", item("", "plain", ""), html, "plain", options.RenderAlways, ReadRendered},
		{"a page with text", item("", "", ""), html, "new", options.RenderThin, ReadIfThin},
		{"thin, not rendered yet", item("thin", "", ""), html, "raw", options.RenderThin, ReadRendered},
		{"thin, a browser shows no more", item("thin", "", "content"), html, "raw", options.RenderThin, ReadIfThin},
		{"rendered from the same bytes", item("", "plain", ""), html, "plain", options.RenderThin, ReadKnown},
		{"rendered from other bytes", item("", "plain", ""), html, "new", options.RenderThin, ReadRendered},
	} {
		got := Answer{Response: tt.resp, Raw: tt.raw}
		if have := (Basis{}).ReaderOf(&tt.it, got, tt.mode); have != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, have, tt.want)
		}
	}
}
