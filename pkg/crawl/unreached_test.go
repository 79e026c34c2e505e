package crawl

import (
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
)

// down stops the site. The returned function starts it again at the same address.
func (r *rig) down() (up func()) {
	r.t.Helper()
	at := strings.TrimPrefix(r.site.URL, "http://")
	r.site.Close()
	return func() {
		l, err := net.Listen("tcp", at)
		must(r.t, err)
		server := &http.Server{Handler: r.site}
		r.t.Cleanup(func() { server.Close() })
		go server.Serve(l)
	}
}

// TestA13UnreachedHost checks that the pages of a host that cannot be reached wait without a record of checks that were
// not made, fail once for it after three tries, and are checked as soon as the host answers (A13).
func TestA13UnreachedHost(t *testing.T) {
	r := newRig(t)
	all := []string{"/a", "/b", "/c"}
	for _, path := range all {
		r.site.put(path, text("of "+path))
	}
	up := r.down()
	r.register(false, all...)
	r.mustWork()
	for try := 1; try <= 4; try++ {
		for _, path := range all {
			it := r.item(path)
			lasting := try >= 3
			if it.CrawlAttempts != 0 || len(it.History) != 1 || !it.LastChecked.IsZero() ||
				(it.Status == registry.Error) != lasting || lasting != strings.Contains(it.ErrorMessage, "refused") {
				t.Fatalf("try %d: %s is %s after %d attempts: %s, %v", try, path, it.Status, it.CrawlAttempts,
					it.ErrorMessage, it.History)
			}
		}
		if told := strings.Count(r.told(), "failing"); told != map[bool]int{true: 3}[try >= 3] {
			t.Fatalf("try %d: failing was told %d times", try, told)
		}
		r.due("/a")
		r.mustWork()
	}
	up()
	r.register(true, "/b") // a person asks
	r.mustWork()
	if it := r.item("/b"); it.Status != indexed {
		t.Errorf("asked for: %s (%s)", it.Status, it.ErrorMessage)
	}
	for _, path := range all {
		if it := r.item(path); it.Status != indexed || !it.UnreachedSince.IsZero() {
			t.Errorf("%s is %s once the host answers (%s)", path, it.Status, it.ErrorMessage)
		}
	}
	if told := strings.Count(r.told(), "recovered"); told != 3 {
		t.Errorf("recovered was told %d times: %s", told, r.told())
	}
}

// TestA13AskedAgain checks that a person's check tries a host that cannot be reached at once, and at most once in ten
// seconds (A13).
func TestA13AskedAgain(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.site.put("/robots.txt", status(500))
	r.first("/p")
	began := r.clock.now()
	for range 10 {
		r.clock.pass(time.Second)
		r.register(true, "/p")
		r.mustWork()
	}
	if n, most := r.site.robotsAsked(), 2+int(r.clock.now().Sub(began)/(10*time.Second)); n > most {
		t.Errorf("%d requests within %v", n, r.clock.now().Sub(began))
	}
	r.site.put("/robots.txt", robotsTxt(""))
	again := r.clock.now()
	if it := r.force("/p"); it.Status != indexed || r.clock.now().Sub(again) > 11*time.Second {
		t.Errorf("%s after %v (%s)", it.Status, r.clock.now().Sub(again), it.ErrorMessage)
	}
	failed := slices.ContainsFunc(r.item("/p").History, func(d registry.Decision) bool { return d.What == "error" })
	if failed {
		t.Errorf("the history has checks that were not made: %v", r.item("/p").History)
	}
}

// TestA13ManyAsked checks that a person's check of many pages, as a bulk run makes it, tries a host that cannot be
// reached at once, and all of them are checked when it answers (A13).
func TestA13ManyAsked(t *testing.T) {
	r := newRig(t)
	var items []registry.Item
	all := []string{"/a", "/b", "/c"}
	for _, path := range all {
		r.site.put(path, text("of "+path))
	}
	r.site.put("/robots.txt", status(500))
	r.register(false, all...)
	r.mustWork()
	for _, path := range all {
		items = append(items, r.item(path))
	}
	tried, began := r.site.robotsAsked(), r.clock.now()
	for range 5 {
		r.clock.pass(time.Second)
		for _, got := range r.reg.Items.Check(t.Context(), items) {
			must(t, got.Err)
		}
		r.mustWork()
	}
	took := r.clock.now().Sub(began) // a check waits until the host may be tried
	if n := r.site.robotsAsked() - tried; n < 1 || n > 2+int(took/(10*time.Second)) {
		t.Errorf("the host was tried %d times within %v", n, took)
	}
	r.site.put("/robots.txt", robotsTxt(""))
	again := r.clock.now()
	for _, got := range r.reg.Items.Check(t.Context(), items) {
		must(t, got.Err)
	}
	r.mustWork()
	if took := r.clock.now().Sub(again); took > 15*time.Second {
		t.Errorf("they were checked after %v", took)
	}
	for _, path := range all {
		if it := r.item(path); it.Status != indexed {
			t.Errorf("%s is %s (%s)", path, it.Status, it.ErrorMessage)
		}
	}
}

// TestA13OneSchemeAnswers checks that a page fails by itself if its scheme cannot be reached while another answers
// (A13).
func TestA13OneSchemeAnswers(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	secure := strings.Replace(r.site.URL, "http:", "https:", 1) + "/s"
	r.register(false, secure, "/p")
	r.mustWork()
	if it := r.item(secure); it.Status != registry.Error || it.CrawlAttempts != 1 {
		t.Errorf("https: %s after %d attempts (%s)", it.Status, it.CrawlAttempts, it.ErrorMessage)
	}
	if it := r.item("/p"); it.Status != indexed {
		t.Errorf("http: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA13Outage checks that no page fails for a day where no host at all can be reached, and that this is said once
// (A13).
func TestA13Outage(t *testing.T) {
	var o outage
	begins := 0
	for i, host := range []string{"a", "b", "a", "c", "d", "c"} {
		if o.note(host, false, time.Date(2026, 3, 1, 12, i, 0, 0, time.UTC)) {
			begins++
		}
	}
	if begins != 1 || !strings.Contains(o.String(), "12:00") || o.patience() != outageFails {
		t.Errorf("it begins %d times: %s", begins, o.String())
	}
	if o.note("e", true, time.Now()); o.String() != "" || o.patience() != 0 {
		t.Errorf("a host was reached: %s", o.String())
	}
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.register(false, "/p")
	r.down()
	for _, host := range []string{"x.example", "y.example", "z.example"} {
		r.Worker.outage.note(host, false, r.clock.now())
	}
	r.mustWork()
	for range 5 {
		r.due("/p")
		r.mustWork()
	}
	if it := r.item("/p"); it.Status != registry.Pending || strings.Contains(r.told(), "failing") {
		t.Errorf("within a day: %s, told %s", it.Status, r.told())
	}
	for range 8 {
		r.due("/p")
		r.mustWork()
	}
	if it := r.item("/p"); it.Status != registry.Error {
		t.Errorf("after %v: %s", r.clock.now().Sub(it.FirstSeen), it.Status)
	}
}

// TestA13RecordsAreRequests asks for checks, lets time pass and takes the host down and up in random orders. An item
// has a new check exactly if its page was requested. Once the host is up, a person's check is right within ten seconds
// of the last try (A13).
func TestA13RecordsAreRequests(t *testing.T) {
	for seed := range uint64(*simRuns) {
		random := rand.New(rand.NewPCG(seed, 13))
		r := newRig(t)
		pages, checked := []string{"/a", "/b", "/c"}, map[string]time.Time{}
		for _, path := range pages {
			r.site.put(path, text("of "+path))
		}
		r.register(false, pages...)
		down := false
		for step := range 12 {
			r.clock.pass(time.Second)
			switch path := pages[random.IntN(3)]; random.IntN(4) {
			case 0:
				if down = !down; down {
					r.site.put("/robots.txt", status(500))
				} else {
					r.site.put("/robots.txt", robotsTxt(""))
				}
			case 1:
				r.register(false, path)
			case 2:
				r.clock.pass(11 * time.Second)
				r.register(true, path)
				r.mustWork()
				if it := r.item(path); !down && it.Status != indexed {
					t.Fatalf("seed %d, step %d: %s is asked for, and %s (%s)", seed, step, path, it.Status, it.ErrorMessage)
				}
			default:
				r.sweepAfter(time.Duration(1+random.IntN(7200)) * time.Second)
			}
			r.mustWork()
			asked := r.site.asked()
			for _, path := range pages {
				at := r.item(path).LastChecked
				requested := slices.ContainsFunc(asked, func(line string) bool { return strings.HasSuffix(line, path) })
				if requested == at.Equal(checked[path]) {
					t.Fatalf("seed %d, step %d: %s was requested: %t; last checked %s, before %s", seed, step, path, requested,
						at, checked[path])
				}
				checked[path] = at
			}
		}
		r.site.Close()
	}
}

// TestA13AskedWhileItIsTried checks that a page for which somebody asks while its host is tried in vain is checked with
// the others as soon as the host answers, and does not wait until a lock ends (A13).
func TestA13AskedWhileItIsTried(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/a", "/b"} {
		r.site.put(path, text("of "+path))
	}
	r.site.put("/robots.txt", status(500))
	asked := false
	r.site.beforeRobots = func(string) {
		if !asked {
			asked = true
			r.clock.pass(time.Second)
			r.register(true, "/b")
		}
	}
	r.register(false, "/a", "/b")
	r.mustWork()
	r.site.put("/robots.txt", robotsTxt(""))
	r.clock.pass(11 * time.Second)
	r.register(true, "/a")
	r.mustWork()
	for _, path := range []string{"/a", "/b"} {
		if it := r.item(path); !asked || it.Status != indexed {
			t.Errorf("%s is %s, locked until %s (%s)", path, it.Status, it.LockedUntil, it.ErrorMessage)
		}
	}
}
