package crawl

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

const day = 24 * time.Hour

// TestA12Ladder checks A12: the interval grows with unchanged checks up to a cap, and a change resets it.
func TestA12Ladder(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	it := r.first("/p")
	have := []time.Duration{it.NextCrawlAt.Sub(it.LastChecked)}
	for range 14 {
		it = r.next("/p")
		have = append(have, it.NextCrawlAt.Sub(it.LastChecked).Round(time.Hour))
	}
	want := []time.Duration{day, day, day, 3 * day, 3 * day, 3 * day, 7 * day, 7 * day, 7 * day}
	if !slices.Equal(have[:len(want)], want) {
		t.Errorf("intervals %v, want %v", have, want)
	}
	for _, d := range have[len(want):] {
		if d > 14*day || d < 13*day {
			t.Errorf("the longest interval is %v, want 14 days at most and nearly so", d)
		}
	}
	r.site.put("/p", text("v2").etag("2"))
	if it = r.next("/p"); it.NextCrawlAt.Sub(it.LastChecked) != day || it.UnchangedChecks != 0 {
		t.Errorf("after a change: %v, %d unchanged", it.NextCrawlAt.Sub(it.LastChecked), it.UnchangedChecks)
	}
}

// gz compresses a text.
func gz(text string) string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// TestA13Failures checks A13: a failing page is data. Its checks back off, and its content in the index stays.
func TestA13Failures(t *testing.T) {
	for _, tt := range []struct {
		name string
		page page
		want string // part of the message
	}{
		{"500", status(500), "HTTP 500"},
		{"502", status(502), "HTTP 502"},
		{"403", status(403), "HTTP 403"},
		{"204", status(204), "HTTP 204"},
		{"connection closed", page{hangUp: true}, "fetch 127.0.0.1"},
		{"too large", page{body: long(20 << 10)}, "bytes"},
		{"gzip that breaks off", page{body: gz(long(500))[:20]}.set("Content-Encoding", "gzip"), "broken gzip body"},
		{"gzip that breaks off at once", page{body: "\x1f"}.set("Content-Encoding", "gzip"), "broken gzip body"},
		{"gzip with a wrong checksum",
			page{body: gz(long(500))[:len(gz(long(500)))-8] + "12345678"}.set("Content-Encoding", "gzip"),
			"broken gzip body"},
		{"deflate that breaks off", page{body: "\x78\x9c\x0a"}.set("Content-Encoding", "deflate"),
			"broken deflate body"},
		{"zstd that breaks off", page{body: "\x28\xB5\x2F"}.set("Content-Encoding", "zstd"), "broken zstd body"},
		{"brotli that breaks off", page{body: "\x1b"}.set("Content-Encoding", "br"), "broken br body"},
		{"a body shorter than its length", page{body: "tide"}.set("Content-Length", "100"), "broken body"},
		{"redirects without end", to(302, "/p"), "redirect"},
		{"redirect to a refused scheme", to(302, "file:///etc/passwd"), ""},
		{"redirect to a refused address", to(302, "http://169.254.169.254/latest/meta-data"), ""},
		{"a long location", to(302, "http://"+long(5000)+".example/"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(k *knobs) { k.fetch.MaxBytes = 10 << 10 })
			r.site.put("/p", text("v1"))
			r.first("/p")
			r.site.put("/p", tt.page)
			for i, wait := range []time.Duration{8 * time.Minute, 16 * time.Minute, 32 * time.Minute} {
				it := r.next("/p")
				if it.Status != registry.Error || it.CrawlAttempts != i+1 ||
					!strings.Contains(it.ErrorMessage, tt.want) {
					t.Fatalf("status %s, %d attempts: %s", it.Status, it.CrawlAttempts, it.ErrorMessage)
				}
				if n := len([]rune(it.ErrorMessage)); n > 1024 {
					t.Errorf("a message of %d characters", n)
				}
				if have := it.NextCrawlAt.Sub(it.LastChecked); have != wait {
					t.Errorf("attempt %d is followed by %v, want %v", i+1, have, wait)
				}
				if r.index.holds(it) != "v1" {
					t.Error("a failure empties the index")
				}
			}
			r.site.put("/p", text("v1"))
			if it := r.next("/p"); it.Status != indexed || it.CrawlAttempts != 0 || it.ErrorMessage != "" {
				t.Errorf("healed: %s, %d attempts, %q", it.Status, it.CrawlAttempts, it.ErrorMessage)
			}
		})
	}
}

// TestA13NoAnswer checks A13: a site that never answers is a failure of the page.
func TestA13NoAnswer(t *testing.T) {
	t.Run("timeout", func(t *testing.T) {
		r := newRig(t, func(k *knobs) { k.fetch.Timeout = 50 * time.Millisecond })
		done := make(chan struct{})
		defer close(done)
		r.site.before = func(string) { <-done }
		if it := r.first("/p"); it.Status != registry.Error ||
			!strings.Contains(it.ErrorMessage, "within") && !strings.Contains(it.ErrorMessage, "timeout") {
			t.Errorf("status %s (%s)", it.Status, it.ErrorMessage)
		}
	})
}

// TestA13HostIsPaused checks A13: 429 and 503 pause the whole host for the requested time, in both forms, or for a
// default. The other items of the job are given back and checked later.
func TestA13HostIsPaused(t *testing.T) {
	for _, tt := range []struct {
		name string
		code int
		when func(now time.Time) string
		want time.Duration
	}{
		{"429 in seconds", 429, func(time.Time) string { return "1800" }, 30 * time.Minute},
		{"503 with a date", 503,
			func(now time.Time) string { return now.Add(40 * time.Minute).Format(http.TimeFormat) }, 40 * time.Minute},
		{"429 without", 429, func(time.Time) string { return "" }, 5 * time.Minute},
		{"503 with nonsense", 503, func(time.Time) string { return "soon" }, 5 * time.Minute},
		{"429 for weeks", 429, func(time.Time) string { return "99999999" }, 24 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			paths := []string{"/a", "/b", "/c", "/d"}
			began := r.clock.now()
			for _, p := range paths {
				busy := status(tt.code)
				if when := tt.when(began); when != "" {
					busy = busy.set("Retry-After", when)
				}
				r.site.put(p, busy)
			}
			r.register(false, paths...)
			r.mustWork()
			if asked := r.site.asked(); len(asked) != 1 {
				t.Fatalf("asked %q, want one request", asked)
			}
			stats, err := r.reg.Hosts.Stats(t.Context(), r.item("/a").SourceHost)
			must(t, err)
			if have := stats[0].PausedUntil.Sub(began).Round(time.Second); have != tt.want {
				t.Errorf("paused for %v, want %v", have, tt.want)
			}
			if n := stats[0].Items[registry.Error]; n != btoi(tt.code == 503) {
				t.Errorf("%d items failed", n)
			}
			for _, p := range paths {
				r.site.put(p, text(p))
			}
			for r.clock.now().Before(began.Add(tt.want)) { // sweeps in between send no request
				if asked := r.site.asked(); len(asked) > 0 {
					t.Fatalf("asked %q during the pause", asked)
				}
				r.sweepAfter(tt.want / 5)
			}
			for range 15 {
				r.sweepAfter(time.Minute)
			}
			for _, p := range paths[1:] { // the first page has a backoff of its own
				if it := r.item(p); it.Status != indexed || it.CrawlAttempts != 0 {
					t.Errorf("%s is %s (%s), due %s", p, it.Status, it.ErrorMessage, it.NextCrawlAt)
				}
			}
		})
	}
}

// TestA13PausesAreNoFailures checks that answers with 429 are no failed attempts of a page until they have lasted a
// day, and that a check that a person asks for waits until the pause is over (A13).
func TestA13PausesAreNoFailures(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.site.put("/p", status(429).set("Retry-After", "3600"))
	began := r.clock.now()
	for r.clock.now().Sub(began) < 23*time.Hour {
		if it := r.force("/p"); it.CrawlAttempts != 0 || it.Status != indexed {
			t.Fatalf("after %v: %s, %d attempts", r.clock.now().Sub(began), it.Status, it.CrawlAttempts)
		}
		r.due("/p")
	}
	r.clock.pass(2 * time.Hour)
	if it := r.next("/p"); it.CrawlAttempts != 1 || it.Status != registry.Error {
		t.Errorf("after a day: %s, %d attempts", it.Status, it.CrawlAttempts)
	}
	r.site.put("/p", text("v2"))
	if it := r.next("/p"); it.Status != indexed || !it.PausedSince.IsZero() {
		t.Errorf("in the end: %s, paused since %v", it.Status, it.PausedSince)
	}
}

// TestA13PauseBehindRedirect checks A13: a 429 or 503 after a redirect pauses the host that answered, for all pages
// that redirect there, and not the host that redirected.
func TestA13PauseBehindRedirect(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		other := newSite(t)
		there := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
		other.put("/q", status(429).set("Retry-After", "1800"))
		for _, p := range []string{"/a", "/b"} {
			r.site.put(p, to(302, there+"/q"))
		}
		r.site.put("/c", text("c"))
		began := r.clock.now()
		r.register(false, "/a", "/b", "/c")
		r.mustWork()
		if asked := other.asked(); len(asked) != 1 {
			t.Errorf("the target was asked %q, want one request", asked)
		}
		if it := r.item("/c"); it.Status != indexed {
			t.Errorf("the host that redirects is held up, too: /c is %s", it.Status)
		}
		for _, p := range []string{"/a", "/b"} {
			if it := r.item(p); it.Status == indexed || it.NextCrawlAt.Before(began.Add(30*time.Minute)) {
				t.Errorf("%s is %s, due %s: %s", p, it.Status, it.NextCrawlAt, it.ErrorMessage)
			}
		}
		stats, err := r.reg.Hosts.Stats(t.Context(), strings.TrimPrefix(there, "http://"))
		must(t, err)
		if len(stats) != 1 || stats[0].PausedUntil.Sub(began).Round(time.Second) != 30*time.Minute ||
			stats[0].PauseReason != "HTTP 429" {
			t.Errorf("the target's pause: %+v", stats)
		}
		other.put("/q", text("q"))
		r.next("/a")
		r.next("/b")
		for _, p := range []string{"/a", "/b"} {
			if it := r.item(p); it.Status != indexed {
				t.Errorf("after the pause %s is %s: %s", p, it.Status, it.ErrorMessage)
			}
		}
	})
}

func (r *rig) sweepAfter(d time.Duration) {
	r.t.Helper()
	r.clock.pass(d)
	_, err := r.reg.Jobs.Sweep(r.t.Context())
	must(r.t, err)
	r.mustWork()
}

// TestA14KeepGone checks A14: the documents of Gone items stay in the index when that is configured, and the status
// is still Gone.
func TestA14KeepGone(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.crawl.KeepGone = true })
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.site.put("/p", status(410))
	for range 3 {
		r.next("/p")
	}
	if it := r.item("/p"); it.Status != registry.Gone || r.index.holds(it) != "v1" {
		t.Errorf("status %s, index %q", it.Status, r.index.holds(it))
	}
	r.index.writes()
	r.site.put("/p", text("v1"))
	if it := r.next("/p"); it.Status != indexed || len(r.index.writes()) > 0 {
		t.Errorf("back with the old content: %s", it.Status)
	}
}

// TestA14GoneIsCheckedRarely checks A14: a gone page is checked ever more rarely, even while it fails in other ways.
func TestA14GoneIsCheckedRarely(t *testing.T) {
	r := newRig(t)
	r.first("/p")
	r.next("/p")
	gone := r.next("/p")
	for i, p := range []page{status(404), status(500), status(410), status(404), status(500), status(404)} {
		r.site.put("/p", p)
		it := r.next("/p")
		wait, most := it.NextCrawlAt.Sub(it.LastChecked), it.LastChecked.Sub(gone.GoneSince)
		if wait < min(most, 13*day) || wait > 14*day || i == 5 && wait < 13*day {
			t.Errorf("%d, %v after it was gone: next check in %v", p.status, most, wait)
		}
	}
}

// TestA15ForceThatFails checks A15: after a forced check that fails, the next check is also forced, and sends no
// conditions once the site is back.
func TestA15ForceThatFails(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.site.put("/p", status(500))
		it := r.force("/p")
		if !it.Forced() || it.ReindexGeneration != 1 || it.ProcessedGeneration != 0 {
			t.Errorf("requested %v, generation %d of %d", it.ReindexRequested, it.ProcessedGeneration,
				it.ReindexGeneration)
		}
		r.site.put("/p", text("v1").etag("1"))
		r.site.asked()
		r.index.writes()
		it = r.next("/p")
		if asked := r.site.asked(); !slices.Equal(asked, []string{"GET /p"}) {
			t.Errorf("asked %q, want an unconditional GET", asked)
		}
		if it.Forced() || it.ReindexRequested || it.ProcessedGeneration != 1 ||
			!slices.Equal(r.index.writes(), []string{"put v1"}) {
			t.Errorf("still forced %v, generation %d processed", it.Forced(), it.ProcessedGeneration)
		}
	})
}

// TestIndexFailsStrangely checks that an unforeseen failure of the index is neither the pages' fault nor a reason to
// request them again: they wait for the index.
func TestIndexFailsStrangely(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.site.put("/q", text("q"))
	r.index.down = errors.New("disk full")
	r.register(false, "/p", "/q")
	r.mustWork()
	if it := r.item("/p"); it.Status != registry.Crawled || !strings.Contains(it.ErrorMessage, "disk full") ||
		it.CrawlAttempts != 0 {
		t.Errorf("status %s, %q, %d attempts", it.Status, it.ErrorMessage, it.CrawlAttempts)
	}
	r.index.down = nil
	r.site.asked()
	if it := r.next("/p"); it.Status != indexed || len(r.site.asked()) > 0 {
		t.Errorf("later: %s (%s), or asked again", it.Status, it.ErrorMessage)
	}
}

// TestA14IndexDownWhileLeaving checks A14: removal is a promise: a page that must leave the index is not reported as
// removed while the index is down.
func TestA14IndexDownWhileLeaving(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.site.put("/p", text("v2").set("X-Robots-Tag", "noindex"))
	r.index.down = errIndexDown
	r.due("/p")
	if err := r.work(); err == nil {
		t.Error("no error")
	}
	if it := r.item("/p"); it.Status != indexed {
		t.Errorf("status %s while the index still holds it", it.Status)
	}
	r.index.down = nil
	if it := r.next("/p"); it.Status != outOfScope || r.index.holds(it) != "" {
		t.Errorf("status %s, index %q", it.Status, r.index.holds(it))
	}
}

// TestA19GiveUp checks A19: a poisoned job is recorded on its items, which are tried again later.
func TestA19GiveUp(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1"))
		r.register(false, "/p")
		jobs := r.jobs()
		must(t, r.GiveUp(t.Context(), jobs[0], "given up: "+long(2000)))
		it := r.item("/p")
		if it.Status != registry.Error || last(it) != "poisoned" || it.CrawlAttempts != 1 ||
			len(it.ErrorMessage) != 1024 {
			t.Errorf("status %s, %s, %d attempts, message of %d", it.Status, last(it), it.CrawlAttempts,
				len(it.ErrorMessage))
		}
		if wait := it.NextCrawlAt.Sub(r.clock.now()); wait < 8*time.Minute || wait > schedule.Defaults().Base {
			t.Errorf("tried again after %v", wait)
		}
		if it = r.next("/p"); it.Status != indexed {
			t.Errorf("later: %s (%s)", it.Status, it.ErrorMessage)
		}
		must(t, r.GiveUp(t.Context(), jobs[0], "late"))
		if it = r.item("/p"); it.Status != indexed {
			t.Error("a late poison message spoils an item that was done after all")
		}
	})
}

// TestA13HeadDoesNotPause checks A13: a server that answers HEAD with 503 but GET with the page does not ask for a
// pause.
func TestA13HeadDoesNotPause(t *testing.T) {
	r := newRig(t)
	mute := deaf("a").etag("1").mute(503)
	r.site.put("/a", deaf("b").etag("0"))
	r.register(false, "/a")
	r.mustWork()
	r.site.put("/a", mute)
	for range 3 {
		r.next("/a")
	}
	if asked := r.site.asked(); !slices.Contains(asked, "HEAD /a if 1") {
		t.Fatalf("asked %q, want a HEAD", asked)
	}
	stats, err := r.reg.Hosts.Stats(t.Context(), r.item("/a").SourceHost)
	must(t, err)
	if it := r.item("/a"); it.Status != indexed || stats[0].PauseReason != "" {
		t.Errorf("/a is %s (%s), its host paused for %q", it.Status, it.ErrorMessage, stats[0].PauseReason)
	}
}
