package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// bareSite serves a site without a sitemap: a first page that links to three pages, of which one links to a fourth.
func bareSite(t *testing.T) string {
	t.Helper()
	links := map[string]string{"/": `<a href=/a>A</a> <a href=/b>B</a> <a href=/c>C</a>
		<a href=https://elsewhere.example/>Another site</a>`, "/a": "<a href=/a/deep>Deeper</a>", "/b": "", "/c": "",
		"/a/deep": ""}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list, ok := links[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<html lang=en><title>Quay %s</title><main><h1>Quay %[1]s</h1><p>%s</p>%s</main></html>", r.URL.Path,
			strings.Repeat("A line about the quay at "+r.URL.Path+". ", 20), list)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// oneMessage fails the test if the page reports a success and a failure at once.
func (s *stage) oneMessage(what string) {
	s.Helper()
	if good, bad := s.text(".toast"), s.text("[role=alert]"); good != "" && bad != "" {
		s.Errorf("%s: a success above a failure: %q, %q", what, good, bad)
	}
}

// TestE16SiteThatAsks adds a site without a sitemap on a phone. Its page asks what to read, with counts; the user
// chooses following links, and sees how far that is and which pages were found (E16, U6).
func TestE16SiteThatAsks(t *testing.T) {
	s := newStage(t, "POLITENESS_MAX_DELAY_MS=0", "POLITENESS_MIN_DELAY_MS=0", "SENTINEL_MAX_PER_DAY=500")
	script, address := axe(t), bareSite(t)
	phone := func() { s.do(chromedp.EmulateViewport(390, 844), emulation.SetEmulatedMedia()) }
	phone()
	s.open("/hosts")
	s.do(chromedp.SendKeys(`form[action$="/sites"] [name="url"]`, address))
	s.leave(`form[action$="/sites"] button`)
	s.open("")
	s.reads("#live-guide", "asks what to read")
	s.oneMessage("the first steps")
	s.do(chromedp.Click(`#live-guide a[href*="/hosts/"]`), chromedp.WaitReady(`#live-host [name="follow"]`))
	for _, want := range []string{"Which of these shall be read?", "3 pages", "3 after one step", "1 address left out",
		"/sitemap.xml", "HTTP 404"} {
		s.reads("#live-host", want)
	}
	s.oneMessage("the question")
	s.everybody(script, "site-question")
	phone()
	if st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{}); err != nil || st.Total() != 0 {
		t.Errorf("%d pages are watched before anybody chose them (%v)", st.Total(), err)
	}
	for _, choice := range []string{`[name="listings"]`, `[name="follow"]`, `form:has([name="follow"]) button.main`} {
		s.press("#live-host " + choice) // a click by position may meet the bar at the foot
	}
	s.eventually("the site is being read, or was", func() bool {
		text := s.text("#live-host")
		return strings.Contains(text, "The site is being read") || strings.Contains(text, "Following links")
	})
	s.oneMessage("the site is being read")
	s.eventually("all pages were found", func() bool {
		st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{})
		return err == nil && st.Items[api.StatusIndexed] == 5
	})
	s.do(chromedp.Reload()) // the page would renew itself, but only after up to 10 s
	s.reads("#live-host", "Following links: 5 pages found")
	s.oneMessage("the site was read")
	s.everybody(script, "site-followed")
	phone()
	s.do(chromedp.Click(`.tiles a[href*="/items"]`), chromedp.WaitReady("#results"))
	s.reads("#results", "Quay /a/deep")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
