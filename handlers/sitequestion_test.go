package handlers

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// newWebRig returns a rig whose sites are read from a web.
func newWebRig(t *testing.T, pages map[string]any) *rig {
	t.Helper()
	r, web := newRig(t), runtest.NewWeb()
	web.Pages = pages
	clock := func() time.Time { return r.now }
	r.v.Polls = sitepoll.New(r.v.Store, r.v.Registry, web, sitepoll.Options{PerDay: 10, Clock: clock})
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, web, r.v.Files, backfill.Options{Clock: clock,
		Added: r.v.Polls.Known.Added})
	r.v.Notify = notify.New(r.store, r.v.Feed, &receiver{}, notify.Options{})
	return r
}

// readSites performs the steps of polls.
func (r *rig) readSites() {
	for r.deliver(sitepoll.Queue, "/SentinelWorker") {
		r.now = r.now.Add(time.Minute)
	}
}

// TestU6ChooseWhatToRead checks that the page of a site without a sitemap asks what to read, in a form with what was
// found, that the choice is read, that the API's answer holds the request of each choice, and that nothing green is
// said before anything was found (U6).
func TestU6ChooseWhatToRead(t *testing.T) {
	r := newWebRig(t, map[string]any{
		"https://bare.example/":         `<link rel=alternate type="application/rss+xml" href="/news.rss"><a href="/a">A</a>`,
		"https://bare.example/news.rss": "<rss><channel><item><link>https://bare.example/n</link></item></channel></rss>",
	})
	to := send(t, r, "/api/ui/sites", url.Values{"url": {"https://bare.example"}})
	if page := shows(t, r, to, "The site is being read"); strings.Contains(page, `class="flash"`) {
		t.Error("a success is reported before anything was found")
	}
	r.readSites()
	shows(t, r, to, "Which of these shall be read?", "The feed", "https://bare.example/news.rss", "1 page",
		"What was tried", "https://bare.example/sitemap.xml", "HTTP 404", "Read this sitemap")
	shows(t, r, "/api/ui", "asks what to read")
	w := post(t, r, "/api/ui/sites", "same-origin", url.Values{"url": {"https://bare.example/"}, "asked": {"1"}})
	if !strings.Contains(w.Body.String(), "choose at least one source") {
		t.Errorf("nothing is chosen: %d %s", w.Code, w.Body)
	}
	var one api.Site
	if err := json.Unmarshal(do(t, r, "GET", "/api/sites/bare-example", "").Body.Bytes(), &one); err != nil {
		t.Fatal(err)
	}
	q := one.Question
	if q == nil || len(q.Choices) != 3 || len(q.Tried) == 0 || len(q.Advice) == 0 {
		t.Fatalf("%+v", q)
	}
	body, err := json.Marshal(q.Choices[2].Send)
	if err != nil || q.Choices[2].Kind != "feed" {
		t.Fatalf("%+v, %v", q.Choices[2], err)
	}
	do(t, r, "POST", "/api/sites", string(body))
	r.readSites()
	shows(t, r, to, "Polls found 1 address: 1 new")
}

// TestE16DryRunPage checks that the form leads to a dry run, whose page shows what would be watched and why not the
// rest, and that its button adds the site (E16).
func TestE16DryRunPage(t *testing.T) {
	r := newWebRig(t, map[string]any{
		"https://tree.example/": `<a href="/a">A</a><a href="/print/a">P</a><a href="https://else.example/">E</a>` +
			`<a rel=nofollow href="/never">N</a>`,
		"https://tree.example/a": `<a href="/b">B</a><div id=root></div><script src=/app.js></script>`,
	})
	to := send(t, r, "/api/ui/sites", url.Values{"url": {"https://tree.example"}, "follow": {"true"},
		"follow.depth":     {"1"},
		"follow.addresses": {"50"}, "exclude": {"/print/"}, "dryRun": {"1"}})
	shows(t, r, to, "Dry run of tree.example", "Nothing is added")
	r.readSites()
	shows(t, r, to, "2 pages would be watched", "https://tree.example/a", "other host: else.example", "Watch these pages",
		`name="follow.addresses" value="50"`, "set follow.depth in the site file", "links that forbid following them (nofollow)",
		"https://tree.example/never", "1 page of these with", `<span>https://tree.example/a</span>`)
	if w := post(t, r, "/api/ui/sites", "same-origin", url.Values{"url": {"tree.example"}, "follow": {"true"},
		"follow.depth": {"deep"}}); w.Code != 400 {
		t.Errorf("no number: %d", w.Code)
	}
	to = send(t, r, "/api/ui/sites", url.Values{"url": {"https://tree.example"}, "follow": {"true"},
		"follow.depth": {"1"}})
	r.readSites()
	shows(t, r, to, "Following links")
}

// TestV2SettingsOfASite checks that the form of an added site shows what is set, writes only what a person changed in
// it, says what is wrong, and is not there for a site of the site file (V2).
func TestV2SettingsOfASite(t *testing.T) {
	r := newWebRig(t, map[string]any{"https://tree.example/": `<a href="/a">A</a>`})
	do(t, r, "POST", "/api/sites", `{"url":"tree.example","follow":{"depth":2},"exclude":["/print/**"]}`)
	r.readSites()
	shows(t, r, "/api/ui/hosts/tree.example", "Change what is read", "links from the first page, at most 2")
	const form = "/api/ui/sites/tree-example/settings"
	page := shows(t, r, form, `name="follow.depth" value="2"`, "/print/**", `name="follow" value="true" checked`)
	was := html.UnescapeString(regexp.MustCompile(`name="was" value="([^"]*)"`).FindStringSubmatch(page)[1])
	do(t, r, "PATCH", "/api/sites/tree-example", `{"exclude":["/other/**"]}`)
	typed, err := url.ParseQuery(was)
	if err != nil {
		t.Fatal(err)
	}
	typed.Set("was", was)
	typed.Set("follow.depth", "30")
	says(t, post(t, r, form, "same-origin", typed), 400, "must be from 1 to 20, not 30", `aria-invalid="true"`)
	typed.Set("follow.depth", "3")
	if to := send(t, r, form, typed); to != "/api/ui/hosts/tree.example?done=settings" {
		t.Error(to)
	}
	var one api.Site
	if err := json.Unmarshal(do(t, r, "GET", "/api/sites/tree-example", "").Body.Bytes(), &one); err != nil {
		t.Fatal(err)
	}
	if one.Set.Follow.Depth != 3 || len(one.Set.Exclude) != 1 || one.Set.Exclude[0] != "/other/**" {
		t.Errorf("%+v", one.Set)
	}
	file, _ := newSitesRig(t)
	shows(t, file, "/api/ui/sites/port/settings", "The site is in the site file")
}
