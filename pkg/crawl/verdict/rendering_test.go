package verdict

import (
	"net/http"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

var renderedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func renderBasis(mode string) (b Basis) {
	b.Rules.Browser = true
	b.Options.Render = mode
	return b
}

// TestR3Reader checks which answers are read in a browser.
func TestR3Reader(t *testing.T) {
	html := fetch.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, FinalURL: "http://h.example/p"}
	pdf := html
	pdf.Header = http.Header{"Content-Type": {"application/pdf"}}
	rendered := registry.Item{}
	rendered.Rendering.Plain = "plain"
	for _, tt := range []struct {
		name string
		it   registry.Item
		resp fetch.Response
		b    Basis
		want Reader
	}{
		{"never", rendered, html, renderBasis(options.RenderNever), ReadPlain},
		{"another type", rendered, pdf, renderBasis(options.RenderAlways), ReadPlain},
		{"always", registry.Item{}, html, renderBasis(options.RenderAlways), ReadRendered},
		{"thin", registry.Item{}, html, renderBasis(options.RenderThin), ReadIfThin},
		{"not set, with a browser", registry.Item{}, html, renderBasis(""), ReadIfThin},
		{"not set, without a browser", registry.Item{}, html, Basis{}, ReadPlain},
		{"rendered before, and the browser is gone", rendered, html, Basis{}, ReadIfThin},
	} {
		if have := tt.b.ReaderOf(&tt.it, Answer{Response: tt.resp}); have != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, have, tt.want)
		}
	}
}

// TestR3NeedsBody checks when a check must get the plain answer itself, so that a browser can read it.
func TestR3NeedsBody(t *testing.T) {
	item := func(thin string, r registry.Rendering) (it registry.Item) {
		it.RawHash, it.ContentHash, it.Thin, it.Rendering = "raw", "content", thin, r
		return it
	}
	watched := renderBasis("")
	watched.Options.Watch = &options.Watch{Include: []string{"#price"}}
	hourly, daily := renderBasis(""), renderBasis("")
	hourly.Options.RenderInterval, daily.Options.RenderInterval = "1h", "1d"
	day := 24 * time.Hour
	for _, tt := range []struct {
		name string
		it   registry.Item
		b    Basis
		want bool
	}{
		{"always", item("", registry.Rendering{}), renderBasis(options.RenderAlways), true},
		{"readable", item("", registry.Rendering{}), renderBasis(""), false},
		{"thin, never rendered", item("thin", registry.Rendering{}), renderBasis(""), true},
		{"thin, and shows no more", item("thin", registry.Rendering{Needless: "content", At: renderedAt}),
			renderBasis(""), false},
		{"thin, and showed no more long ago", item("thin", registry.Rendering{Needless: "content",
			At: renderedAt.Add(-31 * day)}), renderBasis(""), true},
		{"rendered once", item("", registry.Rendering{Plain: "p", At: renderedAt}), renderBasis(""), true},
		{"the same again", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 1}), renderBasis(""), false},
		{"the same again, one skipped", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 1, Skipped: 1}),
			renderBasis(""), true},
		{"often the same", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 99, Skipped: 14}),
			renderBasis(""), false},
		{"often the same, the most skipped", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 99, Skipped: 15}),
			renderBasis(""), true},
		{"the same, but long ago", item("", registry.Rendering{Plain: "p", At: renderedAt.Add(-8 * day), Same: 9}),
			renderBasis(""), true},
		{"its data changes alone", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9, Apart: true}),
			renderBasis(""), true},
		{"watched", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9}), watched, true},
		{"its interval is over", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9}), hourly, true},
		{"its interval is not over", item("", registry.Rendering{Plain: "p", At: renderedAt}), daily, false},
		{"back to plain", item("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9}),
			renderBasis(options.RenderNever), true},
		{"plain as before", item("thin", registry.Rendering{}), renderBasis(options.RenderNever), false},
	} {
		if have := tt.b.needsBody(&tt.it, renderedAt.Add(time.Hour)); have != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, have, tt.want)
		}
	}
}

// TestR3Baseline checks which readings cannot be compared with the known content.
func TestR3Baseline(t *testing.T) {
	item := func(raw, thin, plain string) (it registry.Item) {
		it.RawHash, it.Thin, it.Rendering.Plain = raw, thin, plain
		return it
	}
	for _, tt := range []struct {
		name     string
		it       registry.Item
		rendered bool
		mode     string
		want     bool
	}{
		{"new", item("", "", ""), true, options.RenderAlways, false},
		{"rendered again", item("raw", "", "p"), true, options.RenderAlways, false},
		{"rendered by a setting", item("raw", "", ""), true, options.RenderAlways, true},
		{"thin before there was a browser", item("raw", "thin", ""), true, "", true},
		{"it has become thin", item("raw", "", ""), true, "", false},
		{"plain by a setting", item("raw", "", "p"), false, options.RenderNever, true},
		{"it has become readable", item("raw", "", "p"), false, "", false},
	} {
		if have := renderBasis(tt.mode).IsBaseline(&tt.it, tt.rendered); have != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, have, tt.want)
		}
	}
}

// TestR3Recorded checks what is known of a page after it was rendered again: what found nothing new makes renders rarer,
// and content that is not believed is not remembered.
func TestR3Recorded(t *testing.T) {
	var was registry.Item
	was.RawHash, was.Rendering = "raw", registry.Rendering{Plain: "p", Same: 2, Skipped: 3}
	taken := Outcome{Kind: schedule.Unchanged, Known: true}
	changed := Outcome{Kind: schedule.Changed, Store: true, News: News{Kind: change.Content}}
	for _, tt := range []struct {
		name, plain string
		o           Outcome
		want        registry.Rendering
	}{
		{"the same", "p", taken, registry.Rendering{Plain: "p", Same: 3}},
		{"its data changed", "p", changed, registry.Rendering{Plain: "p", Apart: true}},
		{"its HTML changed", "q", changed, registry.Rendering{Plain: "q", Same: 2}},
		{"a collapse", "q", Outcome{Kind: schedule.Collapsed}, registry.Rendering{Plain: "p", Same: 2}},
		{"a failure", "q", Failed("no"), registry.Rendering{Plain: "p", Same: 2}},
	} {
		b := renderBasis("")
		b.Shown = &registry.Rendering{Plain: tt.plain}
		have := b.noteRendering(was, was, Answer{Plain: tt.plain}, tt.o, renderedAt).Rendering
		if have.Plain != tt.want.Plain || have.Same != tt.want.Same || have.Apart != tt.want.Apart || have.Skipped != 0 {
			t.Errorf("%s: %+v, want %+v", tt.name, have, tt.want)
		}
	}
}
