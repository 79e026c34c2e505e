package crawl

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// wideWeb answers for any host and scheme, which a site on loopback cannot.
type wideWeb struct {
	mu     sync.Mutex
	pages  map[string]string         // URL → body
	naming map[string]string         // URL → the canonical that its page names
	moved  map[string]fetch.Redirect // by URL
	before func(url string)
}

func (w *wideWeb) Robots(context.Context, fetch.RobotsRequest) (robots.Reply, error) {
	return robots.Reply{Status: http.StatusNotFound}, nil
}

func (w *wideWeb) Get(_ context.Context, r fetch.Request) (fetch.Response, error) {
	if w.before != nil {
		w.before(r.URL)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	hop, moved := w.moved[r.URL]
	if moved {
		r.URL = hop.Location
	}
	body, ok := w.pages[r.URL]
	resp := fetch.Response{Status: http.StatusOK, FinalURL: r.URL, Header: http.Header{"Content-Type": {"text/html"}}}
	if moved {
		resp.Redirects, resp.Permanent = []fetch.Redirect{hop}, true
	}
	switch etag := fmt.Sprintf("%q", body); {
	case !ok:
		resp.Status = http.StatusNotFound
	case r.ETag == etag:
		resp.Status, resp.NotModified = http.StatusNotModified, true
	default:
		resp.Body = []byte(text(body).body)
		if to, named := w.naming[r.URL]; named {
			resp.Body = []byte(naming(to, body).body)
		}
		resp.Header.Set("ETag", etag)
	}
	return resp, nil
}

// wide returns a rig that checks pages of any host.
func wide(t *testing.T, adjust ...func(*knobs)) (*rig, *wideWeb) {
	r, w := newRig(t, adjust...), &wideWeb{pages: map[string]string{}}
	r.seen.Fetcher = w
	return r, w
}

const (
	apexS, wwwS = "https://h.example/p", "https://www.h.example/p"
	apex, www   = "http://h.example/p", "http://www.h.example/p"
)

// TestA16VariantsAreShownOnce checks A16: URL variants of the same content are found once, in whatever order they
// were registered, and the best variant is the one found.
func TestA16VariantsAreShownOnce(t *testing.T) {
	for _, tt := range []struct{ name, order, shown string }{
		{"https first", apexS + " " + apex, apexS},
		{"http first", apex + " " + apexS, apexS},
		{"www last", apex + " " + www, apex},
		{"www first", www + " " + apex, apex},
		{"https and www", wwwS + " " + www, wwwS},
		{"https before the host without www", apex + " " + wwwS + " " + www + " " + apexS, apexS},
		{"all, worst first", www + " " + apex + " " + wwwS + " " + apexS, apexS},
		{"all, best first", apexS + " " + wwwS + " " + apex + " " + www, apexS},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, together := range []bool{false, true} {
				r, w := wide(t)
				urls := strings.Fields(tt.order)
				for _, u := range urls {
					w.pages[u] = "v1"
				}
				if together {
					r.register(false, urls...)
				}
				for _, u := range urls {
					r.look(u)
				}
				r.rest(urls)
				if got := r.shown(); got != tt.shown {
					t.Errorf("together %v: shown %q, want %q", together, got, tt.shown)
				}
				for _, u := range urls {
					it := r.item(u)
					if u != tt.shown &&
						(r.aliasOf(it) != tt.shown || it.Status != outOfScope || !strings.Contains(it.ErrorMessage,
							"same content as http")) {
						t.Errorf("together %v: %s is %s, alias of %q: %s", together, u, it.Status, r.aliasOf(it),
							it.ErrorMessage)
					}
				}
			}
		})
	}
}

// rest lets time pass until every page has had the chance to see what the others have become.
func (r *rig) rest(urls []string) {
	r.t.Helper()
	for range 3 {
		for _, u := range urls {
			r.next(u)
		}
	}
}

// TestA16VariantComesBack checks A16: when the page in the index leaves it, for whatever reason, its URL variant is
// back within minutes, and not only when its own check is due, which may be in two weeks.
func TestA16VariantComesBack(t *testing.T) {
	for name, leave := range map[string]func(*rig, *wideWeb){
		"gone": func(r *rig, w *wideWeb) {
			delete(w.pages, apexS)
			for range 3 {
				r.look(apexS)
			}
		},
		"removed": func(r *rig, _ *wideWeb) {
			_, err := r.reg.Items.Remove(r.t.Context(), r.source(apexS).ID())
			must(r.t, err)
			r.mustWork()
		},
	} {
		r, w := wide(t)
		w.pages[apexS], w.pages[apex] = "v1", "v1"
		r.first(apexS)
		r.first(apex)
		for r.item(apex).NextCrawlAt.Sub(r.clock.now()) < 7*day {
			r.next(apex)
			r.next(apexS)
		}
		leave(r, w)
		if wait := r.item(apex).NextCrawlAt.Sub(r.clock.now()); wait > 10*time.Minute {
			t.Errorf("%s: the variant comes in %s", name, wait)
		}
		if r.next(apex); r.shown() != apex {
			t.Errorf("%s: shown is %q", name, r.shown())
		}
	}
}

// TestA16VariantsThatDiffer checks A16: the content decides whether variants are one page, not the address. It is
// compared again whenever it changes.
func TestA16VariantsThatDiffer(t *testing.T) {
	r, w := wide(t)
	w.pages[apexS], w.pages[apex] = "v1", "other"
	r.look(apexS)
	r.look(apex)
	steps := []struct{ secure, plain, shown string }{
		{"v1", "other", apex + " " + apexS},
		{"v1", "v1", apexS},
		{"v2", "v2", apexS},
		{"v3", "v2", apex + " " + apexS},
		{"v3", "v3", apexS},
	}
	for _, s := range steps {
		w.pages[apexS], w.pages[apex] = s.secure, s.plain
		r.rest([]string{apexS, apex})
		if got := r.shown(); got != s.shown {
			t.Errorf("%s and %s: shown %q, want %q", s.secure, s.plain, got, s.shown)
		}
	}
	delete(w.pages, apexS)
	for range 3 {
		r.next(apexS)
	}
	r.rest([]string{apex})
	if got := r.shown(); got != apex {
		t.Errorf("the one that stood for both is gone: shown %q", got)
	}
	w.pages[apexS] = "v3"
	r.rest([]string{apexS, apex})
	if got := r.shown(); got != apexS {
		t.Errorf("and is back: shown %q", got)
	}
}

// TestA16VariantsChangeTogether checks A16: URL variants change together. Whichever is checked first, the other is
// checked, too, and soon one of them stands for both again.
func TestA16VariantsChangeTogether(t *testing.T) {
	r, w := wide(t)
	w.pages[apexS], w.pages[apex] = "v1", "v1"
	r.look(apexS)
	r.look(apex)
	r.look(apexS)
	w.pages[apexS], w.pages[apex] = "v2", "v2"
	if r.look(apex); r.shown() != apex+" "+apexS {
		t.Errorf("shown %q before anybody looked at the other", r.shown())
	}
	r.clock.pass(schedule.Defaults().ErrorBase)
	r.sweepAfter(time.Minute)
	if it := r.item(apexS); r.shown() != apexS || r.index.holds(it) != "v2" {
		t.Errorf("shown %q, with %q", r.shown(), r.index.holds(it))
	}
}

// TestA16VariantsAtOnce checks A16: two workers that check URL variants at the same time never take both out of the
// index.
func TestA16VariantsAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, pair := range [][2]string{{www, apex}, {apexS, wwwS}} { // on two hosts, so in two jobs
			for _, again := range []bool{false, true} {
				r, w := wide(t, on(open))
				w.pages[pair[0]], w.pages[pair[1]] = "v1", "v1"
				if again {
					w.pages[pair[1]] = "other"
					r.look(pair[0])
					r.look(pair[1])
					w.pages[pair[0]], w.pages[pair[1]] = "v2", "v2"
				}
				r.clock.pass(1)
				r.register(true, pair[:]...)
				r.atOnce(w)
				if r.shown() == "" {
					t.Errorf("again %v: nobody stands for %v", again, pair)
				}
				r.rest(pair[:])
				if want := strings.Replace(pair[0], "www.", "", 1); r.shown() != want {
					t.Errorf("again %v: shown %q, want %q", again, r.shown(), want)
				}
			}
		}
	})
}

// TestA16FaultsOfWaking checks A16: whichever step of a page's first check fails, the variant that is to stand behind
// the page is checked soon.
func TestA16FaultsOfWaking(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		eachFault(t, func(s *saboteur) {
			r, w := wide(t, on(open), func(k *knobs) {
				k.store = func(inner storage.Store) storage.Store { return storagetest.Hooked(inner, s) }
			})
			w.pages[apex], w.pages[apexS] = "v1", "v1"
			r.look(apex)
			r.register(false, apexS)
			s.armed = true
			_ = r.Process(t.Context(), r.jobs()[0])
			s.armed = false
			r.checkInvariants()
			for range 8 {
				r.sweepAfter(4 * time.Minute)
			}
			if r.shown() != apexS {
				t.Errorf("step %d (%s), after %v: shown %q", s.nth, s.hit, s.after, r.shown())
			}
		})
	})
}

// TestA16FaultsOfHandingOver checks A16: whichever step fails in the check that removes a page from the index, its
// URL variant is back soon.
func TestA16FaultsOfHandingOver(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		eachFault(t, func(s *saboteur) {
			r, w := wide(t, on(open), func(k *knobs) {
				k.crawl.Schedule.GoneAfter = 1
				k.store = func(inner storage.Store) storage.Store { return storagetest.Hooked(inner, s) }
			})
			w.pages[apex], w.pages[apexS] = "v1", "v1"
			r.first(apexS)
			r.first(apex)
			r.next(apex)
			r.register(false, apexS)
			delete(w.pages, apexS)
			s.armed = true
			_ = r.Process(t.Context(), r.jobs()[0])
			s.armed = false
			r.checkInvariants()
			for range 12 {
				r.sweepAfter(4 * time.Minute)
			}
			if r.shown() != apex {
				t.Errorf("step %d (%s), after %v: shown %q", s.nth, s.hit, s.after, r.shown())
			}
		})
	})
}

// atOnce processes the two jobs of the queue. Both pages are fetched before either is compared.
func (r *rig) atOnce(w *wideWeb) {
	r.t.Helper()
	jobs := r.jobs()
	if len(jobs) != 2 {
		r.t.Fatalf("%d jobs", len(jobs))
	}
	var both, done sync.WaitGroup
	both.Add(2)
	w.before = func(string) { both.Done(); both.Wait() }
	for _, job := range jobs {
		done.Go(func() {
			if err := r.Process(r.t.Context(), job); err != nil {
				r.t.Error(err)
			}
		})
	}
	done.Wait()
	w.before = nil
}

// readCounter counts point reads.
type readCounter struct{ n int }

func (c *readCounter) Before(_ context.Context, call storagetest.Call) error {
	if call.Op == "table.Get" {
		c.n++
	}
	return nil
}

func (c *readCounter) After(_ context.Context, _ storagetest.Call, err error) error { return err }

// TestA16Costs checks A16: compared with a check that knows nothing of variants, a check costs no more point reads
// while a page does not change, and at most two more when it is first indexed.
func TestA16Costs(t *testing.T) {
	const plain = "http://127.0.0.1:1/p" // has no URL variants
	for _, tt := range []struct {
		url                       string
		first, unchanged, changed int
	}{
		{apexS, 2, 0, 0}, {wwwS, 2, 0, 1}, {apex, 2, 0, 1}, {www, 2, 0, 2},
	} {
		count := func(url string) (reads [3]int) {
			c := &readCounter{}
			r, w := wide(t, func(k *knobs) {
				k.store = func(s storage.Store) storage.Store { return storagetest.Hooked(s, c) }
			})
			for i, version := range []string{"v1", "v1", "v2"} {
				w.pages[url] = version
				c.n = 0
				r.look(url)
				reads[i] = c.n
			}
			return reads
		}
		base, have := count(plain), count(tt.url)
		want := [3]int{base[0] + tt.first, base[1] + tt.unchanged, base[2] + tt.changed}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s: point reads at the first, an unchanged and a changed check (-want +have):\n%s", tt.url, diff)
		}
	}
}
