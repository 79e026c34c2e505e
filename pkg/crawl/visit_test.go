package crawl

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
)

// E3: a visit fetches under the rules that pages are fetched by, and says by its error who has to do
// what.
func TestE3Visit(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name string
		site map[string]page
		v    Visit
		want Visited
		kind fault.Kind // of a SiteError
		wait time.Duration
	}{
		{name: "a sitemap", site: map[string]page{"/s": page{body: "<urlset/>"}.etag("1").set("Content-Type", "text/xml")},
			want: Visited{Status: 200, Body: []byte("<urlset/>"), ETag: `"1"`, ContentType: "text/xml", FinalURL: "/s"}},
		{name: "not modified", site: map[string]page{"/s": text("v").etag("1")}, v: Visit{ETag: `"1"`},
			want: Visited{Status: 304, NotModified: true, ETag: `"1"`, FinalURL: "/s"}},
		{name: "a status", site: map[string]page{"/s": {status: 404}}, want: Visited{Status: 404, ContentType: "text/html; charset=utf-8", FinalURL: "/s"}},
		{name: "a redirect", site: map[string]page{"/s": to(302, "/t"), "/t": {body: "t"}},
			want: Visited{Status: 200, Body: []byte("t"), ContentType: "text/html; charset=utf-8", FinalURL: "/t"}},
		{name: "robots.txt", site: map[string]page{"/s": {body: "s"}, "/robots.txt": robotsTxt("User-agent: *", "Disallow: /s")}, kind: fault.Blocked},
		{name: "robots.txt behind a redirect", site: map[string]page{"/s": to(302, "/t"), "/robots.txt": robotsTxt("User-agent: *", "Disallow: /t")}, kind: fault.Blocked},
		{name: "robots.txt is broken", site: map[string]page{"/robots.txt": status(500)}, wait: -1},
		{name: "too large", site: map[string]page{"/s": {body: long}}, v: Visit{MaxBytes: 1000}, kind: fault.TooLarge},
		{name: "no answer", site: map[string]page{"/s": {hangUp: true}}, kind: fault.Unavailable},
		{name: "an address that is refused", v: Visit{URL: "http://169.254.169.254/latest"}, kind: fault.Blocked},
		{name: "no address", v: Visit{URL: "ftp://x"}, kind: fault.Invalid},
		{name: "429", site: map[string]page{"/s": status(429).set("Retry-After", "600")}, wait: 10 * time.Minute},
		{name: "503", site: map[string]page{"/s": status(503)}, wait: 5 * time.Minute},
		{name: "503 behind a redirect", site: map[string]page{"/s": to(302, "/t"), "/t": status(503)}, wait: 5 * time.Minute},
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
			got, err := r.Visit(t.Context(), tt.v)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			_, isSite := errors.AsType[*SiteError](err)
			if isSite != (tt.kind != "") || isSite && !fault.Is(err, tt.kind) {
				t.Errorf("have %v (%s), want a SiteError %q", err, fault.KindOf(err), tt.kind)
			}
			if tt.wait != 0 && (!fault.Is(err, fault.Throttled) || tt.wait > 0 && fault.RetryAfter(err) != tt.wait || fault.RetryAfter(err) <= 0) {
				t.Errorf("have %v, want to come back after %s", err, tt.wait)
			}
			if tt.kind == "" && tt.wait == 0 && err != nil {
				t.Error(err)
			}
			r.hostIsFree()
		})
	}
}

// hostIsFree fails the test if a lease is left.
func (r *rig) hostIsFree() {
	r.t.Helper()
	host := strings.TrimPrefix(r.site.URL, "http://")
	stats, err := r.reg.Stats(r.t.Context(), host)
	must(r.t, err)
	if len(stats) == 1 && !stats[0].PausedUntil.IsZero() {
		r.clock.pass(stats[0].PausedUntil.Sub(r.clock.now()))
	}
	pass, err := r.reg.Enter(r.t.Context(), r.source("/").Partition("host"), host, 0)
	must(r.t, err)
	must(r.t, r.reg.Leave(r.t.Context(), pass, registry.HostFinding{}))
}
