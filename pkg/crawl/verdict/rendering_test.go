package verdict

import (
	"net/http"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

var renderedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func policyFor(mode string) (p RenderingPolicy) {
	p.Browser, p.Options.Render = true, mode
	return p
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
		p    RenderingPolicy
		want Reader
	}{
		{"never", rendered, html, policyFor(options.RenderNever), ReadPlain},
		{"another type", rendered, pdf, policyFor(options.RenderAlways), ReadPlain},
		{"always", registry.Item{}, html, policyFor(options.RenderAlways), ReadRendered},
		{"thin", registry.Item{}, html, policyFor(options.RenderThin), ReadIfThin},
		{"not set, with a browser", registry.Item{}, html, policyFor(""), ReadIfThin},
		{"not set, without a browser", registry.Item{}, html, RenderingPolicy{}, ReadPlain},
		{"rendered before, and the browser is gone", rendered, html, RenderingPolicy{}, ReadIfThin},
	} {
		if have := tt.p.ReaderOf(&tt.it, tt.resp); have != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, have, tt.want)
		}
	}
}

// TestR3NeedsBody checks when a check must get the plain answer itself, so that a browser can read it.
func TestR3NeedsBody(t *testing.T) {
	one := func(thin string, r registry.Rendering) (it registry.Item) {
		it.RawHash, it.ContentHash, it.Thin, it.Rendering = "raw", "content", thin, r
		return it
	}
	watched := policyFor("")
	watched.Options.Watch = &api.Watch{Include: []string{"#price"}}
	asked := one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9})
	asked.LastChecked, asked.CrawlIntervalSeconds = renderedAt, 24*3600
	hourly, daily := policyFor(""), policyFor("")
	hourly.Options.RenderInterval, daily.Options.RenderInterval = "1h", "1d"
	day := 24 * time.Hour
	for _, tt := range []struct {
		name string
		it   registry.Item
		p    RenderingPolicy
		want bool
	}{
		{"always", one("", registry.Rendering{}), policyFor(options.RenderAlways), true},
		{"readable", one("", registry.Rendering{}), policyFor(""), false},
		{"thin, never rendered", one("thin", registry.Rendering{}), policyFor(""), true},
		{"thin, and shows no more", one("thin", registry.Rendering{Needless: "content", At: renderedAt}),
			policyFor(""), false},
		{"thin, and showed no more long ago", one("thin", registry.Rendering{Needless: "content",
			At: renderedAt.Add(-31 * day)}), policyFor(""), true},
		{"a short page, and shows no more", one("", registry.Rendering{Needless: "content", At: renderedAt}),
			policyFor(""), false},
		{"a short page, and showed no more long ago", one("", registry.Rendering{Needless: "content",
			At: renderedAt.Add(-31 * day)}), policyFor(""), true},
		{"a short page, and watched", one("", registry.Rendering{Needless: "content", At: renderedAt}), watched, false},
		{"no text in a browser, and watched", one("thin", registry.Rendering{Needless: "content", At: renderedAt}),
			watched, true},
		{"rendered once", one("", registry.Rendering{Plain: "p", At: renderedAt}), policyFor(""), true},
		{"the same again", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 1}), policyFor(""), false},
		{"the same again, one skipped", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 1, Skipped: 1}),
			policyFor(""), true},
		{"often the same", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 99, Skipped: 14}),
			policyFor(""), false},
		{"often the same, the most skipped", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 99, Skipped: 15}),
			policyFor(""), true},
		{"the same, but long ago", one("", registry.Rendering{Plain: "p", At: renderedAt.Add(-8 * day), Same: 9}),
			policyFor(""), true},
		{"its data changes alone", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9, Apart: true}),
			policyFor(""), true},
		{"watched", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9}), watched, true},
		{"somebody asks for a check", asked, policyFor(""), true},
		{"its interval is over", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9}), hourly, true},
		{"its interval is not over", one("", registry.Rendering{Plain: "p", At: renderedAt}), daily, false},
		{"back to plain", one("", registry.Rendering{Plain: "p", At: renderedAt, Same: 9}),
			policyFor(options.RenderNever), true},
		{"plain as before", one("thin", registry.Rendering{}), policyFor(options.RenderNever), false},
	} {
		if have := tt.p.needsBody(&tt.it, renderedAt.Add(time.Hour)); have != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, have, tt.want)
		}
	}
}

// TestR3Baseline checks which readings cannot be compared with the known content.
func TestR3Baseline(t *testing.T) {
	one := func(raw, thin, plain string) (it registry.Item) {
		it.RawHash, it.Thin, it.Rendering.Plain = raw, thin, plain
		return it
	}
	always, empty := one("raw", "", "p"), one("raw", "thin", "")
	always.Rendering.Always, empty.Rendering.Needless = true, "content"
	for _, tt := range []struct {
		name     string
		it       registry.Item
		rendered bool
		mode     string
		want     bool
	}{
		{"new", one("", "", ""), true, options.RenderAlways, false},
		{"rendered again", one("raw", "", "p"), true, options.RenderAlways, false},
		{"rendered by a setting", one("raw", "", ""), true, options.RenderAlways, true},
		{"thin before there was a browser", one("raw", "thin", ""), true, "", true},
		{"it had no text in a browser either", empty, true, "", false},
		{"it has become thin", one("raw", "", ""), true, "", false},
		{"plain by a setting", one("raw", "", "p"), false, options.RenderNever, true},
		{"it has become readable", one("raw", "", "p"), false, "", false},
		{"no longer always by a setting", always, false, "", true},
	} {
		if have := policyFor(tt.mode).IsBaseline(&tt.it, tt.rendered); have != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, have, tt.want)
		}
	}
}

// TestR3Recorded checks what is known of a page after it was rendered again: what found nothing new makes renders
// rarer, and content that is not believed is not remembered.
func TestR3Recorded(t *testing.T) {
	var was registry.Item
	was.RawHash, was.Rendering = "raw", registry.Rendering{Plain: "p", Same: 2, Skipped: 3}
	same, changed := Taken{Known: true, Same: true}, Taken{Known: true}
	for _, tt := range []struct {
		name, plain string
		got         Taken
		want        registry.Rendering
	}{
		{"the same", "p", same, registry.Rendering{Plain: "p", Same: 3}},
		{"its data changed", "p", changed, registry.Rendering{Plain: "p", Apart: true}},
		{"its HTML changed", "q", changed, registry.Rendering{Plain: "q", Same: 2}},
		{"a collapse, or a failure", "q", Taken{}, registry.Rendering{Plain: "p", Same: 2}},
	} {
		tt.got.Plain = tt.plain
		seen := Seen{Shown: &registry.Rendering{Plain: tt.plain}}
		have := seen.Note(was, was, tt.got, renderedAt).Rendering
		if have.Plain != tt.want.Plain || have.Same != tt.want.Same || have.Apart != tt.want.Apart || have.Skipped != 0 {
			t.Errorf("%s: %+v, want %+v", tt.name, have, tt.want)
		}
	}
}
