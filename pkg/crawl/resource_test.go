package crawl

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestE3Resource checks E3: a resource is fetched under the same rules as pages, and the error shows what the caller
// should do.
func TestE3Resource(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name string
		site map[string]page
		v    politeness.ResourceRequest
		want politeness.Resource
		kind fault.Kind // the kind of a politeness.SiteError
		wait time.Duration
	}{
		{name: "a sitemap", site: map[string]page{"/s": page{body: "<urlset/>"}.etag("1").set("Content-Type", "text/xml")},
			want: politeness.Resource{Status: 200, Body: []byte("<urlset/>"), ETag: `"1"`, ContentType: "text/xml", FinalURL: "/s",
				Requests: 1}},
		{name: "not modified", site: map[string]page{"/s": text("v").etag("1")}, v: politeness.ResourceRequest{ETag: `"1"`},
			want: politeness.Resource{Status: 304, NotModified: true, ETag: `"1"`, FinalURL: "/s", Requests: 1}},
		{name: "a status", site: map[string]page{"/s": {status: 404}},
			want: politeness.Resource{Status: 404, ContentType: "text/html; charset=utf-8", FinalURL: "/s", Requests: 1}},
		{name: "a redirect", site: map[string]page{"/s": to(302, "/t"), "/t": {body: "t"}},
			want: politeness.Resource{Status: 200, Body: []byte("t"), ContentType: "text/html; charset=utf-8", FinalURL: "/t",
				Requests: 2}},
		{name: "robots.txt",
			site: map[string]page{"/s": {body: "s"}, "/robots.txt": robotsTxt("User-agent: *", "Disallow: /s")},
			kind: fault.Blocked},
		{name: "robots.txt behind a redirect",
			site: map[string]page{"/s": to(302, "/t"), "/robots.txt": robotsTxt("User-agent: *", "Disallow: /t")},
			kind: fault.Blocked, want: politeness.Resource{Requests: 1}},
		{name: "robots.txt is broken", site: map[string]page{"/robots.txt": status(500)}, wait: -1},
		{name: "too large", site: map[string]page{"/s": {body: long}}, v: politeness.ResourceRequest{MaxBytes: 1000},
			kind: fault.TooLarge, want: politeness.Resource{Requests: 1}},
		{name: "no answer", site: map[string]page{"/s": {hangUp: true}}, kind: fault.Unavailable,
			want: politeness.Resource{Requests: 1}},
		{name: "an address that is refused", v: politeness.ResourceRequest{URL: "http://169.254.169.254/latest"},
			kind: fault.Blocked},
		{name: "no address", v: politeness.ResourceRequest{URL: "ftp://x"}, kind: fault.Invalid},
		{name: "429", site: map[string]page{"/s": status(429).set("Retry-After", "600")}, wait: 10 * time.Minute,
			want: politeness.Resource{Requests: 1}},
		{name: "503", site: map[string]page{"/s": status(503)}, wait: 5 * time.Minute,
			want: politeness.Resource{Requests: 1}},
		{name: "503 behind a redirect", site: map[string]page{"/s": to(302, "/t"), "/t": status(503)},
			wait: 5 * time.Minute, want: politeness.Resource{Requests: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			for path, p := range tt.site {
				r.site.put(path, p)
			}
			if tt.v.URL == "" {
				tt.v.URL = r.site.URL + "/s"
			}
			if tt.want.FinalURL != "" {
				tt.want.FinalURL = r.site.URL + tt.want.FinalURL
			}
			got, err := r.FetchResource(t.Context(), tt.v)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			_, isSite := errors.AsType[*politeness.SiteError](err)
			if isSite != (tt.kind != "") || isSite && !fault.Is(err, tt.kind) {
				t.Errorf("have %v (%s), want a politeness.SiteError %q", err, fault.KindOf(err), tt.kind)
			}
			if tt.wait != 0 &&
				(!fault.Is(err, fault.Throttled) || tt.wait > 0 && fault.RetryAfter(err) != tt.wait || fault.RetryAfter(err) <= 0) {
				t.Errorf("have %v, want to come back after %s", err, tt.wait)
			}
			if tt.kind == "" && tt.wait == 0 && err != nil {
				t.Error(err)
			}
			r.hostIsFree()
		})
	}
}

// hostIsFree fails the test if a lease remains.
func (r *rig) hostIsFree() {
	r.t.Helper()
	host := strings.TrimPrefix(r.site.URL, "http://")
	stats, err := r.reg.Hosts.Stats(r.t.Context(), host)
	must(r.t, err)
	if len(stats) == 1 && !stats[0].PausedUntil.IsZero() {
		r.clock.pass(stats[0].PausedUntil.Sub(r.clock.now()))
	}
	pass, err := r.reg.Hosts.Acquire(r.t.Context(), r.source("/").Partition("host"), host, 0)
	must(r.t, err)
	must(r.t, r.reg.Hosts.Release(r.t.Context(), pass, registry.HostFinding{}))
}

// elsewhere returns a second site with another host.
func (r *rig) elsewhere() (*site, string) {
	other := newSite(r.t)
	return other, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
}

// TestE3FaultsOfAResource makes each read and write of FetchResource fail, before and after it took effect. The error
// shows that the fault was this program's own, and the caller retries. A lease that remains at a host no longer
// blocks it once it has run out.
func TestE3FaultsOfAResource(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		steps := stepsOfAResource(t, open)
		if steps < 10 {
			t.Fatalf("only %d steps", steps)
		}
		first, next := share(t, 2*steps)
		for n := first; n < 2*steps; n += next {
			s := &saboteur{nth: n/2 + 1, after: n%2 == 1}
			r := newRig(t, on(open), func(k *knobs) {
				k.store = func(inner storage.Store) storage.Store { return storagetest.Hooked(inner, s) }
			})
			other, base := r.elsewhere()
			other.put("/t", page{body: "t"})
			r.site.put("/s", to(302, base+"/t"))
			s.armed = true
			_, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"})
			s.armed = false
			if _, isSite := errors.AsType[*politeness.SiteError](err); err == nil || isSite || fault.Is(err, fault.Throttled) {
				t.Errorf("step %d (%s), after %v: %v", s.nth, s.hit, s.after, err)
			}
			r.checkInvariants()
			r.clock.pass(registryLock)
			got, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"})
			if err != nil || string(got.Body) != "t" {
				t.Errorf("step %d (%s), after %v, again: %q, %v", s.nth, s.hit, s.after, got.Body, err)
			}
		}
	})
}

// stepsOfAResource counts the reads and writes for a resource that redirects to another host, where nothing is known
// of either host.
func stepsOfAResource(t *testing.T, open opener) int {
	s := &saboteur{armed: true}
	r := newRig(t, on(open))
	other, base := r.elsewhere()
	other.put("/t", page{body: "t"})
	r.site.put("/s", to(302, base+"/t"))
	store := storagetest.Hooked(r.store, s)
	hosts := r.newHosts(r.registry(store, policy.Politeness{MaxConcurrent: 1}))
	if _, err := hosts.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"}); err != nil {
		t.Fatal(err)
	}
	return s.count
}

// TestE3ResourceOfAnUnknownHost checks E3: a host from which only resources were fetched does not count as
// registered; when it is registered, its pace continues.
func TestE3ResourceOfAnUnknownHost(t *testing.T) {
	r := newRig(t, func(k *knobs) {
		k.polite = policy.Politeness{MinDelay: 8 * time.Second, MaxDelay: 8 * time.Second, MaxConcurrent: 1}
	})
	var at []time.Time
	r.site.before = func(string) { at = append(at, r.clock.now()) }
	r.site.put("/s", page{body: "s"})
	r.site.put("/p", text("v1"))
	if _, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"}); err != nil {
		t.Fatal(err)
	}
	if stats, err := r.reg.Hosts.Stats(t.Context(), ""); err != nil || len(stats) != 0 {
		t.Errorf("the status tells of %+v, %v", stats, err)
	}
	if items, err := r.reg.Items.List(t.Context(), registry.ListQuery{Top: 10}); err != nil || len(items) != 0 {
		t.Errorf("listed are %d items, %v", len(items), err)
	}
	if it := r.first("/p"); it.Status != indexed {
		t.Fatalf("%s: %s", it.Status, it.ErrorMessage)
	}
	if _, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"}); err != nil {
		t.Fatal(err)
	}
	if len(at) != 3 || at[1].Sub(at[0]) < 8*time.Second || at[2].Sub(at[1]) < 8*time.Second {
		t.Errorf("requests at %v", at)
	}
	if stats, err := r.reg.Hosts.Stats(t.Context(), ""); err != nil || len(stats) != 1 {
		t.Errorf("the status tells of %+v, %v", stats, err)
	}
}

// TestE3ResourceWaits checks E3: FetchResource waits for a host that is free soon, and otherwise returns when to call
// again. A Crawl-delay applies from the request after the one that learns of it.
func TestE3ResourceWaits(t *testing.T) {
	for _, tt := range []struct {
		delay string
		wait  time.Duration
	}{{"15", 0}, {"60", time.Minute}} {
		r := newRig(t)
		r.site.put("/robots.txt", robotsTxt("User-agent: *", "Crawl-delay: "+tt.delay))
		r.site.put("/s", page{body: "s"})
		began := r.clock.now()
		_, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"})
		if fault.RetryAfter(err) != tt.wait || tt.wait == 0 && err != nil {
			t.Errorf("Crawl-delay %s: %v", tt.delay, err)
		}
		r.clock.pass(fault.RetryAfter(err))
		if _, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"}); err != nil {
			t.Errorf("Crawl-delay %s, later: %v", tt.delay, err)
		}
		if took := r.clock.now().Sub(began); took < 30*time.Second || took > time.Minute {
			t.Errorf("Crawl-delay %s: took %v", tt.delay, took)
		}
	}
}

// TestA11CrawlDelayOfTheFirstBatch checks A11: the Crawl-delay of a robots.txt that a batch has just read applies to
// the batch itself. Pages that it cannot request before its lock ends are fetched later.
func TestA11CrawlDelayOfTheFirstBatch(t *testing.T) {
	r := newRig(t)
	r.site.put("/robots.txt", robotsTxt("User-agent: *", "Crawl-delay: 40"))
	var at []time.Time
	r.site.before = func(string) { at = append(at, r.clock.now()) }
	paths := []string{"/a", "/b", "/c", "/d"}
	for _, path := range paths {
		r.site.put(path, text(path))
	}
	began := r.clock.now()
	r.register(false, paths...)
	r.mustWork()
	for range 10 {
		r.sweepAfter(time.Minute)
	}
	for i, t0 := range at {
		before := began // the request for robots.txt
		if i > 0 {
			before = at[i-1]
		}
		if gap := t0.Sub(before); gap < 40*time.Second {
			t.Errorf("request %d came %v after the one before", i+1, gap)
		}
	}
	for _, path := range paths {
		if it := r.item(path); it.Status != indexed || it.CrawlAttempts != 0 {
			t.Errorf("%s is %s after %d failures: %s", path, it.Status, it.CrawlAttempts, it.ErrorMessage)
		}
	}
}

// TestE3RobotsElsewhere checks E3: a robots.txt on another host is requested at that host's pace. While it is not
// available, pages wait without repeated requests.
func TestE3RobotsElsewhere(t *testing.T) {
	r := newRig(t)
	other, base := r.elsewhere()
	other.put("/robots.txt", robotsTxt("User-agent: *", "Disallow: /secret"))
	r.site.put("/robots.txt", to(301, base+"/robots.txt"))
	r.site.put("/s", page{body: "s"})
	r.site.put("/a", text("a"))
	r.site.put("/b", text("b"))
	there := strings.TrimPrefix(base, "http://")
	must(
		t,
		r.reg.Hosts.Pause(
			t.Context(),
			r.source(base+"/").Partition("host"),
			there,
			r.clock.now().Add(time.Hour),
			"HTTP 503",
		),
	)
	r.register(false, "/a", "/b")
	r.mustWork()
	for _, path := range []string{"/a", "/b"} {
		if it := r.item(path); it.Status != registry.Pending || it.CrawlAttempts != 0 || !r.held(path).After(r.clock.now()) {
			t.Errorf("%s is %s after %d attempts: %s", path, it.Status, it.CrawlAttempts, it.ErrorMessage)
		}
	}
	if _, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"}); fault.RetryAfter(
		err,
	) < 59*time.Minute {
		t.Errorf("a resource: %v", err)
	}
	if here, elsewhere := r.site.robotsAsked(), other.robotsAsked(); here != 1 || elsewhere != 0 {
		t.Errorf("robots.txt was asked for %d times, and where it is %d times", here, elsewhere)
	}
	r.clock.pass(time.Hour)
	if _, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/s"}); err != nil {
		t.Error(err)
	}
	if _, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/secret"}); !fault.Is(
		err,
		fault.Blocked,
	) {
		t.Errorf("the rules from elsewhere: %v", err)
	}
}

// TestE3RobotsBackHome checks E3: when a page redirects to another host whose robots.txt redirects back to the
// batch's own host, the batch does not block itself.
func TestE3RobotsBackHome(t *testing.T) {
	r := newRig(t)
	other, base := r.elsewhere()
	other.put("/robots.txt", to(301, r.site.URL+"/rules.txt"))
	other.put("/q", text("v1"))
	r.site.put("/rules.txt", robotsTxt("User-agent: *", "Disallow: /secret"))
	r.site.put("/p", to(302, base+"/q"))
	if it := r.first("/p"); it.Status != indexed {
		t.Errorf("%s: %s", it.Status, it.ErrorMessage)
	}
}
