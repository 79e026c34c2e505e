package handlers

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// TestU6FirstMinutes checks that an empty store asks for pages or a site, shows how the site is read and its pages
// are fetched, and leads to the first search and the first rule, which ends the guide (U6).
func TestU6FirstMinutes(t *testing.T) {
	r, _ := newSitesRig(t)
	r.v.Notify = notify.New(r.store, r.v.Feed, &receiver{}, notify.Options{}) // without rules
	r.v.Polls = sitepoll.New(r.v.Store, r.v.Registry, &quay{}, sitepoll.Options{PerDay: 10,
		Clock: func() time.Time { return r.now }})
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, &quay{}, r.v.Files, backfill.Options{Enabled: true,
		Added: r.v.Polls.Known.Added})
	shows(t, r, "/api/ui", `name="url"`)
	shows(t, r, "/api/ui/add", `name="urls"`)
	shows(t, r, "/api/ui/hosts", `action="/api/ui/sites"`)
	to := send(t, r, "/api/ui/sites", url.Values{"url": {"port.example"}, "first": {"1"}})
	shows(t, r, to, `id="live-guide"`, "port.example</a> is being read")
	shows(t, r, "/api/ui/hosts/port.example", "The site is being read", "Remove the site")
	for r.deliver(sitepoll.Queue, "/SentinelWorker") {
		r.now = r.now.Add(time.Minute)
	}
	shows(t, r, "/api/ui", "0 of 2 pages can be searched, 2 waiting")
	r.work()
	shows(t, r, "/api/ui", "2 of 2 pages can be searched", `href="/api/ui/search"`)
	shows(t, r, "/api/ui/search?q=harbour", "2 results")
	shows(t, r, "/api/ui/hosts/port.example", "Polls found 2 addresses: 2 new", "Look for new pages now")
	r.channelAndRule()
	if body := shows(t, r, "/api/ui"); strings.Contains(body, "live-guide") {
		t.Error("who has a rule is guided still")
	}
	to = send(t, r, "/api/ui/sites/port-example", url.Values{"do": {"remove"}})
	shows(t, r, to, "Its pages stay", "Add port.example")
	if w := post(t, r, "/api/ui/sites", "same-origin", url.Values{"url": {"a b"}}); w.Code != 400 {
		t.Errorf("no address: %d\n%s", w.Code, w.Body)
	}
	to = send(t, r, "/api/ui/sites", url.Values{"url": {"https://silent.example/sitemap.xml"}})
	if to != "/api/ui/hosts/silent.example" {
		t.Errorf("a site leads to %s", to)
	}
}

// TestU6SilentSite checks that the page of a site that could not be read gives the reason (U6).
func TestU6SilentSite(t *testing.T) {
	r, q := newSitesRig(t)
	r.v.Polls = sitepoll.New(r.v.Store, r.v.Registry, q, sitepoll.Options{PerDay: 10,
		Clock: func() time.Time { return r.now }})
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, q, r.v.Files, backfill.Options{Added: r.v.Polls.Known.Added})
	r.v.Notify, q.away = notify.New(r.store, r.v.Feed, &receiver{}, notify.Options{}), true
	send(t, r, "/api/ui/sites", url.Values{"url": {"https://silent.example"}})
	for r.deliver(sitepoll.Queue, "/SentinelWorker") {
		r.now = r.now.Add(time.Minute)
	}
	shows(t, r, "/api/ui", "silent.example</a> was read, and <strong>nothing was found")
	shows(t, r, "/api/ui/hosts/silent.example", "Nothing was found that lists the pages", "What was tried", "404")
}
