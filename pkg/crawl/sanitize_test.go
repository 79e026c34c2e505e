package crawl

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/registry"
)

// TestOddHeadersHarmNobody checks that a page with headers that no row could store does not prevent the findings of
// other pages from being stored.
func TestOddHeadersHarmNobody(t *testing.T) {
	for _, tt := range []struct{ name, header, value string }{
		{"ETag that is no text", "ETag", "\"\xe9\xff\""},
		{"Last-Modified that is no date", "Last-Modified", "caf\xe9"},
		{"Content-Type of 100 KB", "Content-Type", "text/html; x=" + strings.Repeat("a", 100_000)},
		{"media type of 20 KB", "Content-Type", "text/" + strings.Repeat("a", 20_000)},
		{"Link of 50 KB", "Link", strings.Repeat("<a>, ", 10_000)},
		{"unknown encoding", "Content-Encoding", "\xe9\xff"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/good", text("good"))
			r.site.put("/odd", text("odd").set(tt.header, tt.value))
			r.site.put("/fine", text("fine"))
			r.register(false, "/good", "/odd", "/fine")
			r.mustWork()
			for _, p := range []string{"/good", "/fine"} {
				if it := r.item(p); it.Status != registry.Indexed {
					t.Errorf("%s is %s: %s", p, it.Status, it.ErrorMessage)
				}
			}
			if it := r.item("/odd"); it.Status == registry.Pending || !it.NextCrawlAt.After(r.clock.now()) {
				t.Errorf("the odd page is %s, due %s", it.Status, it.NextCrawlAt)
			}
		})
	}
}

func TestBodyInUnknownEncodingIsNotText(t *testing.T) {
	r := newRig(t)
	r.site.put("/x", page{body: "\x01\x02\x03\xff" + strings.Repeat("\x00", 99), header: http.Header{
		"Content-Type": {"text/html"}, "Content-Encoding": {"rot13"}}})
	if it := r.first("/x"); it.Status != registry.Error || !strings.Contains(it.ErrorMessage, "rot13") {
		t.Errorf("%s: %s", it.Status, it.ErrorMessage)
	}
}

// TestRedirectsKeepNoSecrets checks that secrets in the targets of redirects are not stored in rows.
func TestRedirectsKeepNoSecrets(t *testing.T) {
	r := newRig(t)
	target := "/final?sv=2024&se=2030&sr=b&sp=r&sig=SECRETSECRET"
	r.site.put("/hop", page{status: http.StatusFound, header: http.Header{"Location": {target}}})
	r.site.put("/final", text("final").set("ETag", `"1"`))
	it := r.first("/hop")
	if it.Status != registry.Indexed || len(it.HTTPRedirectChain) != 1 {
		t.Fatalf("%s %v: %s", it.Status, it.HTTPRedirectChain, it.ErrorMessage)
	}
	all := strings.Join(it.HTTPRedirectChain, " ") + it.HTTPFinalURL + it.FetchSource + it.ErrorMessage
	for _, d := range it.History {
		all += d.Why
	}
	if strings.Contains(all, "SECRET") {
		t.Errorf("a signature is kept: %s", all)
	}
}

func TestLongRedirectsAreBounded(t *testing.T) {
	r := newRig(t)
	r.site.put(
		"/hop",
		page{status: http.StatusFound, header: http.Header{"Location": {"/final?" + strings.Repeat("x", 8000)}}},
	)
	r.site.put("/final", text("final"))
	if it := r.first("/hop"); it.Status == registry.Pending {
		t.Errorf("the page is %s", it.Status)
	}
}

// TestA13PauseOfARedirectsTarget checks A13: a pause that another host asks for, after a redirect, does not pause
// this host.
func TestA13PauseOfARedirectsTarget(t *testing.T) {
	r := newRig(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/robots.txt" {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer other.Close()
	r.site.put("/away", page{status: http.StatusFound, header: http.Header{"Location": {other.URL + "/busy"}}})
	r.site.put("/here", text("here"))
	r.register(false, "/away", "/here")
	r.mustWork()
	if it := r.item("/here"); it.Status != registry.Indexed {
		t.Errorf("a page of this host is %s", it.Status)
	}
	stats, err := r.reg.Hosts.Stats(t.Context(), r.item("/here").SourceHost)
	must(t, err)
	if !stats[0].PausedUntil.IsZero() {
		t.Errorf("this host is paused until %s", stats[0].PausedUntil)
	}
}
