package crawl

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
)

func robotsTxt(lines ...string) page {
	return page{body: strings.Join(lines, "\n")}.set("Content-Type", "text/plain")
}

var disallowP = robotsTxt("User-agent: tidemark", "Disallow: /p")

// TestA11Disallowed checks A11: a page that robots.txt disallows is not requested, and leaves the index until it is
// allowed again.
func TestA11Disallowed(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	r.site.put("/other", text("other"))
	r.first("/p")
	r.site.put("/robots.txt", disallowP)
	it := r.next("/p")
	if it.Status != outOfScope || it.HTTPRobotsAllowed || it.ErrorMessage == "" || r.index.holds(it) != "" {
		t.Errorf("status %s, allowed %v, message %q, index %q", it.Status, it.HTTPRobotsAllowed, it.ErrorMessage,
			r.index.holds(it))
	}
	if it := r.first("/other"); it.Status != indexed {
		t.Errorf("a page that is allowed: %s (%s)", it.Status, it.ErrorMessage)
	}
	if want := []string{"GET /p", "GET /other"}; !slices.Equal(r.site.log, want) {
		t.Errorf("asked %q, want %q", r.site.log, want)
	}
	r.site.put("/robots.txt", status(404))
	if it = r.next("/p"); it.Status != indexed || !it.HTTPRobotsAllowed || r.index.holds(it) != "v1" {
		t.Errorf("allowed again: status %s, allowed %v, index %q", it.Status, it.HTTPRobotsAllowed, r.index.holds(it))
	}
}

// TestA11DisallowedAndForced checks A11: a forced check does not override robots.txt.
func TestA11DisallowedAndForced(t *testing.T) {
	r := newRig(t)
	r.site.put("/robots.txt", disallowP)
	r.site.put("/p", text("v1"))
	r.first("/p")
	if it := r.force("/p"); it.Status != outOfScope || it.Forced() {
		t.Errorf("status %s, still forced %v", it.Status, it.Forced())
	}
	if asked := r.site.asked(); len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
}

// TestA11RobotsIsCached checks A11: one robots.txt serves all pages until it expires; then it is requested with its
// validators.
func TestA11RobotsIsCached(t *testing.T) {
	r := newRig(t)
	r.site.put("/robots.txt", disallowP.etag("r").set("Cache-Control", "max-age=3600"))
	for _, path := range []string{"/a", "/b", "/c"} {
		r.site.put(path, text(path))
		r.first(path)
		r.clock.pass(10 * time.Minute)
	}
	if n := r.site.robotsAsked(); n != 1 {
		t.Errorf("robots.txt was asked %d times within its hour", n)
	}
	r.next("/a") // a day later, 304
	r.site.put("/p", text("p"))
	if it := r.first("/p"); it.Status != outOfScope {
		t.Errorf("a 304 to robots.txt lost the rules: %s", it.Status)
	}
	if n := r.site.robotsAsked(); n != 1 {
		t.Errorf("robots.txt was asked %d times", n)
	}
}

// TestA11RobotsMissingOrBroken checks A11: without robots.txt everything is allowed. While it cannot be fetched
// nothing is allowed, and nothing is removed.
func TestA11RobotsMissingOrBroken(t *testing.T) {
	for _, tt := range []struct {
		name    string
		robots  page
		fetched bool
	}{
		{"404", status(404), true},
		{"403", status(403), true},
		{"401", status(401), true},
		{"500", status(500), false},
		{"503", status(503), false},
		{"429", status(429), false},
		{"connection closed", page{hangUp: true}, false},
		{"redirected to a good one", to(301, "/rules"), true},
		{"redirects without end", to(301, "/robots.txt"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/rules", robotsTxt("User-agent: *", "Disallow: /elsewhere"))
			r.site.put("/robots.txt", tt.robots)
			r.site.put("/p", text("v1"))
			it := r.first("/p")
			if fetched := slices.Contains(r.site.asked(), "GET /p"); fetched != tt.fetched {
				t.Fatalf("fetched %v, want %v (%s)", fetched, tt.fetched, it.ErrorMessage)
			}
			if tt.fetched {
				return
			}
			if it.Status != registry.Pending || it.CrawlAttempts != 0 || !r.held("/p").After(r.clock.now()) {
				t.Errorf("status %s (%s), %d attempts, the host waits until %v", it.Status, it.ErrorMessage,
					it.CrawlAttempts, r.held("/p"))
			}
			r.site.put("/robots.txt", robotsTxt(""))
			if it = r.next("/p"); it.Status != indexed {
				t.Errorf("later: %s (%s)", it.Status, it.ErrorMessage)
			}
			if late := r.clock.now().Sub(it.FirstSeen); late > 5*time.Hour {
				t.Errorf("tried again only after %v", late)
			}
		})
	}
}

// TestA11RobotsBreaksLater checks A11: when robots.txt fails later, its stored copy stays in force, and the index is
// not changed.
func TestA11RobotsBreaksLater(t *testing.T) {
	r := newRig(t)
	r.site.put("/robots.txt", robotsTxt("User-agent: *", "Disallow: /secret"))
	r.site.put("/p", text("v1"))
	r.site.put("/secret", text("secret"))
	r.first("/p")
	r.site.put("/robots.txt", status(500))
	r.site.put("/p", text("v2"))
	if it := r.next("/p"); it.Status != indexed || r.index.holds(it) != "v2" {
		t.Errorf("status %s (%s), index %q", it.Status, it.ErrorMessage, r.index.holds(it))
	}
	if it := r.first("/secret"); it.Status != outOfScope {
		t.Errorf("the copy's rule is forgotten: %s", it.Status)
	}
	r = newRig(t) // and a copy that allowed all, because robots.txt did not exist
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.site.put("/robots.txt", status(500))
	if it := r.next("/p"); it.Status != indexed || r.index.holds(it) != "v1" || it.NextCrawlAt.After(r.clock.now()) {
		t.Errorf("status %s (%s), index %q, due %v", it.Status, it.ErrorMessage, r.index.holds(it), it.NextCrawlAt)
	}
}

// TestA11Redirects checks A11: robots.txt applies to the target of a redirect, on the same host and on another.
func TestA11Redirects(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		r := newRig(t)
		base, other := "", r.site
		if elsewhere {
			other = newSite(t)
			base = strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
		}
		other.put("/robots.txt", robotsTxt("User-agent: *", "Disallow: /secret"))
		other.put("/secret", text("secret"))
		r.site.put("/p", text("v1"))
		if it := r.first("/p"); it.Status != indexed {
			t.Fatalf("%s (%s)", it.Status, it.ErrorMessage)
		}
		r.site.put("/p", to(302, base+"/secret"))
		it := r.next("/p")
		if it.Status != outOfScope || it.HTTPRobotsAllowed || r.index.holds(it) != "" {
			t.Errorf("elsewhere %v: status %s (%s), allowed %v, index %q", elsewhere, it.Status, it.ErrorMessage,
				it.HTTPRobotsAllowed, r.index.holds(it))
		}
		if slices.Contains(other.asked(), "GET /secret") {
			t.Errorf("elsewhere %v: the target was requested", elsewhere)
		}
		other.put("/open", text("v2"))
		r.site.put("/p", to(302, base+"/open"))
		if it = r.next("/p"); it.Status != indexed || r.index.holds(it) != "v2" {
			t.Errorf("elsewhere %v, allowed: %s (%s), index %q", elsewhere, it.Status, it.ErrorMessage,
				r.index.holds(it))
		}
	}
}

// TestA11RedirectToUnknownRules checks A11: a page that redirects to a host whose robots.txt cannot be fetched waits
// for it, and is not excluded.
func TestA11RedirectToUnknownRules(t *testing.T) {
	r := newRig(t)
	other := newSite(t)
	base := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	other.put("/q", text("v1"))
	other.put("/robots.txt", status(500))
	r.site.put("/p", to(302, base+"/q"))
	it := r.first("/p")
	if it.Status != registry.Pending || slices.Contains(other.asked(), "GET /q") {
		t.Fatalf("status %s (%s)", it.Status, it.ErrorMessage)
	}
	other.put("/robots.txt", status(404))
	if it = r.next("/p"); it.Status != indexed {
		t.Errorf("later: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA11CrawlDelay checks A11: the Crawl-delay of robots.txt is kept between the pages of the next batches.
func TestA11CrawlDelay(t *testing.T) {
	r := newRig(t)
	r.site.put("/robots.txt", robotsTxt("User-agent: *", "Crawl-delay: 7"))
	var at []time.Time
	r.site.before = func(string) { at = append(at, r.clock.now()) }
	r.site.put("/a", text("a"))
	r.first("/a") // learns the delay
	at = nil
	r.clock.pass(time.Hour)
	for _, path := range []string{"/b", "/c", "/d"} {
		r.site.put(path, text(path))
	}
	r.register(false, "/b", "/c", "/d")
	r.mustWork()
	for i := 1; i < len(at); i++ {
		if gap := at[i].Sub(at[i-1]); gap < 7*time.Second {
			t.Errorf("request %d came %v after the one before", i+1, gap)
		}
	}
	if len(at) != 3 {
		t.Errorf("%d requests, want 3", len(at))
	}
	r.index.down = errIndexDown
	r.clock.pass(time.Hour)
	r.site.put("/b", text("b2"))
	r.force("/b") // leaves the page pending
	r.index.down = nil
	r.next("/b") // sends no request, so it learns nothing about the delay
	at = nil
	r.site.put("/e", text("e"))
	r.site.put("/f", text("f"))
	r.register(false, "/e", "/f")
	r.mustWork()
	if len(at) != 2 || at[1].Sub(at[0]) < 7*time.Second {
		t.Errorf("a pending index that was written lost the delay: requests at %v", at)
	}
}

// TestBlockedAddress checks A11: an address that may not be requested is recorded as the page's error.
func TestBlockedAddress(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.fetch.AllowHosts = nil })
	r.site.put("/p", text("v1"))
	if it := r.first("/p"); it.Status != registry.Error || it.ErrorMessage == "" {
		t.Errorf("status %s (%s)", it.Status, it.ErrorMessage)
	}
	if asked := append(r.site.asked(), make([]string, r.site.robotsAsked())...); len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
}
