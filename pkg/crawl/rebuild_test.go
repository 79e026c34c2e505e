package crawl

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// rebuilds returns the rebuild service over the worker's view of a store.
func (r *rig) rebuilds(store storage.Store) *rebuild.Service {
	reg := r.registry(store, policy.Politeness{MaxConcurrent: 1})
	s := rebuild.New(
		store,
		reg,
		snapshot.New(store),
		rebuild.Options{
			Clock:      r.clock.now,
			Collisions: index.NewManifests(store).Collisions,
			Version:    r.o.Version,
			Token:      func() string { return "t" },
		},
	)
	must(r.t, r.store.Queue(rebuild.Queue).Create(r.t.Context()))
	return s
}

// steps receives the visible messages of steps.
func (r *rig) steps() (bodies [][]byte) {
	r.t.Helper()
	q := r.store.Queue(rebuild.Queue)
	got, err := q.Receive(r.t.Context(), 32, time.Minute)
	must(r.t, err)
	for _, m := range got {
		bodies = append(bodies, m.Body)
		must(r.t, q.Delete(r.t.Context(), m))
	}
	return bodies
}

// finish performs steps, jobs and sweeps until a run is done.
func (r *rig) finish(s *rebuild.Service, id string) rebuild.Run {
	r.t.Helper()
	for range 60 {
		for _, body := range r.steps() {
			must(r.t, s.Step(r.t.Context(), body))
		}
		r.mustWork()
		run, err := s.Get(r.t.Context(), id)
		must(r.t, err)
		if run.State == rebuild.Done {
			return run
		}
		r.clock.pass(30 * time.Second)
		_, err = r.reg.Jobs.Sweep(r.t.Context())
		must(r.t, err)
		_, err = s.RequeueStalled(r.t.Context())
		must(r.t, err)
	}
	r.t.Fatal("the rebuild does not end")
	return rebuild.Run{}
}

func (r *rig) rebuild(scope rebuild.Scope) rebuild.Run {
	r.t.Helper()
	s := r.rebuilds(r.store)
	run, err := s.Start(r.t.Context(), scope)
	must(r.t, err)
	return r.finish(s, run.ID)
}

// loseIndex empties the index, as if its file had been deleted.
func (r *rig) loseIndex() {
	r.index.mu.Lock()
	defer r.index.mu.Unlock()
	clear(r.index.pages)
	r.index.log = nil
}

func (r *rig) nobodyAsked() {
	r.t.Helper()
	if asked, robots := r.site.asked(), r.site.robotsAsked(); len(asked) > 0 || robots > 0 {
		r.t.Errorf("the site was asked: %q and %d times for robots.txt", asked, robots)
	}
}

// harbour fills the site with a page of every status and checks them all. The index then has ok, kept and failing.
func harbour(r *rig) {
	r.t.Helper()
	paths := []string{"/ok", "/failing", "/noindex", "/forbidden", "/gone", "/never", "/unread"}
	for _, p := range paths {
		r.site.put(p, text(p))
	}
	r.site.put("/noindex", text("/noindex").set("X-Robots-Tag", "noindex"))
	r.site.put("/never", status(500))
	r.site.put("/unread", page{body: "\x00\x01\x02"}.set("Content-Type", "application/x-unknown"))
	r.register(false, paths...)
	r.mustWork()
	r.site.put("/failing", status(500))
	r.site.put("/gone", status(410))
	r.site.put("/robots.txt", robotsTxt("User-agent: *", "Disallow: /forbidden"))
	for range 4 {
		r.sweepAfter(26 * time.Hour)
	}
	r.site.asked()
	r.site.robotsAsked()
}

// bearing is the part of an item that a rebuild must not change.
type bearing struct {
	Status                      registry.Status
	Message, Interval, Exclude  string
	Next, Checked, Changed      time.Time
	Unchanged, Attempts, Missed int
	Hash, InIndex               string
}

func (r *rig) bearing(path string) bearing {
	it := r.item(path)
	return bearing{
		it.Status, it.ErrorMessage, fmt.Sprint(it.CrawlIntervalSeconds), it.Exclusion, it.NextCrawlAt, it.LastChecked,
		it.LastChanged,
		it.UnchangedChecks, it.CrawlAttempts, it.MissingChecks, it.ContentHash, r.index.holds(it),
	}
}

// TestB5RebuildOfALostIndex checks A19, B5: a lost index is filled from the snapshots. No site is asked, and nothing
// else about the items changes, neither their schedule nor what is known of their sites.
func TestB5RebuildOfALostIndex(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		harbour(r)
		paths := []string{"/ok", "/failing", "/noindex", "/forbidden", "/gone", "/never", "/unread"}
		var want, have []bearing
		for _, p := range paths {
			want = append(want, r.bearing(p))
		}
		stats, err := r.reg.Hosts.Stats(t.Context(), "")
		must(t, err)
		r.loseIndex()
		run := r.rebuild(rebuild.Scope{})
		r.nobodyAsked()
		for _, p := range paths {
			have = append(have, r.bearing(p))
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("-before +after\n%s", diff)
		}
		if want[0].InIndex == "" || want[1].InIndex == "" || want[1].Status != registry.Error ||
			want[3].Status != outOfScope ||
			want[4].Status != registry.Gone {
			t.Errorf("the test has not set up what it should: %+v", want)
		}
		if run.Items != 7 || run.Marked != 3 { // ok, failing, and unread, which another version may be able to read
			t.Errorf("%d items, %d marked", run.Items, run.Marked)
		}
		if diff := cmp.Diff([]int{stats[0].Checks, stats[0].Errors, 0}, r.rates()); diff != "" {
			t.Errorf("rates -before +after\n%s", diff)
		}
		rows, err := r.store.Table(snapshot.RunsTable).Get(t.Context(), storage.Key{Partition: "run", Row: run.ID})
		if err != nil || rows.Props["normalizationVersion"] != lineage.Current.String() ||
			rows.Props["reprocessingOfRunId"] != "run" {
			t.Errorf("B1, B5: %v (%v)", rows.Props, err)
		}
	})
}

func (r *rig) rates() []int {
	stats, err := r.reg.Hosts.Stats(r.t.Context(), "")
	must(r.t, err)
	return []int{stats[0].Checks, stats[0].Errors, stats[0].Rebuilding}
}

// TestB5RebuildReprocesses checks B5: items read under older rules are read again under the present ones, which does
// not count as a change of theirs.
func TestB5RebuildReprocesses(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	was := r.first("/p")
	old := storage.Properties{
		"normalizationVersion": "http_snapshot_url_v1_text_v0",
		"contentHash":          "sha256:old",
		"indexedHash":          "sha256:old",
		"textHash":             "sha256:old",
	}
	_, err := r.store.Table(registry.DefaultTable).
		Transact(t.Context(), storage.Op{Kind: storage.Merge, Entity: storage.Entity{
			Key: storage.Key{Partition: was.Partition(), Row: was.Hash()}, ETag: storage.AnyETag, Props: old,
		}})
	must(t, err)
	r.site.asked()
	r.site.robotsAsked()
	r.rebuild(rebuild.Scope{})
	r.nobodyAsked()
	it := r.item("/p")
	if it.NormalizationVersion != was.NormalizationVersion || it.ContentHash != was.ContentHash ||
		it.TextHash != was.TextHash ||
		it.IndexedHash != was.ContentHash ||
		!it.LastChanged.Equal(was.LastChanged) ||
		!it.NextCrawlAt.Equal(was.NextCrawlAt) {
		t.Errorf("have %+v", it)
	}
	if !slices.ContainsFunc(
		it.History,
		func(d registry.Decision) bool { return d.What == "reprocessed" && strings.Contains(d.Why, "text_v0") },
	) {
		t.Errorf("history %+v", it.History)
	}
	r.next("/p")
	if asked := r.site.asked(); !slices.Equal(asked, []string{"GET /p if 1"}) {
		t.Errorf("afterwards asked %q", asked)
	}
}

// TestRebuildAsksSites checks which pages a rebuild requests from the site, depending on its flags and on what is
// stored.
func TestRebuildAsksSites(t *testing.T) {
	all := []string{
		"GET /failing",
		"GET /gone",
		"GET /never",
		"GET /noindex",
		"GET /ok",
		"GET /unread",
	} // not /forbidden
	for _, tt := range []struct {
		name    string
		scope   rebuild.Scope
		prepare func(r *rig)
		asked   []string
	}{
		{"refetch", rebuild.Scope{Refetch: true}, nil, []string{"GET /failing", "GET /ok", "GET /unread"}},
		{"force", rebuild.Scope{Force: true}, nil, []string{"GET /gone", "GET /never", "GET /noindex"}},
		{"both", rebuild.Scope{Force: true, Refetch: true}, nil, all},
		{"a snapshot is gone", rebuild.Scope{}, func(r *rig) { r.dropBody("/ok") }, []string{"GET /ok"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			harbour(r)
			if tt.prepare != nil {
				tt.prepare(r)
			}
			r.loseIndex()
			r.rebuild(tt.scope)
			asked := r.site.asked()
			slices.Sort(asked)
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Errorf("asked -want +have\n%s", diff)
			}
			if r.index.holds(r.item("/ok")) == "" {
				t.Error("the index lacks what it had")
			}
			if it := r.item("/forbidden"); it.Status != outOfScope {
				t.Errorf("forbidden: %s", it.Status)
			}
		})
	}
}

func (r *rig) dropBody(path string) {
	hex := strings.TrimPrefix(r.item(path).RawHash, "sha256:")
	must(r.t, r.store.Container(snapshot.Container).Delete(r.t.Context(), "sha256/"+hex[:2]+"/"+hex[2:4]+"/"+hex))
}

// TestRebuildOfManyHosts checks that a run over several hosts in many steps, and a run of a single host, report exact
// numbers.
func TestRebuildOfManyHosts(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		var hosts []string
		for i := range 3 {
			other := newSite(t)
			host := strings.TrimPrefix(other.URL, "http://")
			hosts = append(hosts, host)
			for j := range 40 * i {
				path := fmt.Sprintf("/p%d", j)
				other.put(path, text(fmt.Sprintf("%d%s", i, path)))
				s := r.site
				r.site = other
				r.register(false, path)
				r.site = s
			}
			t.Cleanup(func() {
				if asked := other.asked(); len(asked) > 40*i {
					t.Errorf("%s was asked %d times for %d pages", host, len(asked), 40*i)
				}
			})
		}
		r.mustWork()
		if n := len(r.index.pages); n != 120 {
			t.Fatalf("%d pages", n)
		}
		r.loseIndex()
		r.clock.pass(time.Second)
		if run := r.rebuild(rebuild.Scope{Host: hosts[1]}); run.Items != 40 || run.Marked != 40 ||
			len(r.index.pages) != 40 {
			t.Errorf("one host: %+v, %d in the index", run, len(r.index.pages))
		}
		r.clock.pass(time.Second)
		if run := r.rebuild(rebuild.Scope{}); run.Items != 120 || run.Marked != 120 || len(r.index.pages) != 120 {
			t.Errorf("all: %+v, %d in the index", run, len(r.index.pages))
		}
	})
}

// TestRebuildOfARedirectedPage checks that a rebuild resolves a redirected page's links against the address that
// answered.
func TestRebuildOfARedirectedPage(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", to(http.StatusFound, "/deep/q"))
	r.site.put("/deep/q", pictures(`<img src=crane.jpg alt=Crane>`))
	was := r.first("/p")
	images := slices.Clone(r.index.pages[string(was.ID)].Images)
	r.loseIndex()
	r.rebuild(rebuild.Scope{})
	it := r.item("/p")
	if diff := cmp.Diff(images, r.index.pages[string(it.ID)].Images); diff != "" || it.ImagesHash != was.ImagesHash ||
		len(images) != 1 {
		t.Errorf("-before +after\n%s", diff)
	}
}

// TestRebuildOfFiles checks A3, A19: files are rebuilt like pages. A file that is too large to be stored is not read
// again.
func TestRebuildOfFiles(t *testing.T) {
	s := newShelf(t, 1000)
	s.write("a.md", "# Tide gauge\n\nThe float hangs in a well.\n")
	s.write("large.md", long(5000))
	a, large := s.check("a.md"), s.check("large.md")
	s.loseIndex()
	must(t, os.Remove(s.path("a.md")))
	s.clock.pass(time.Second)
	if run := s.rebuild(rebuild.Scope{}); run.Items != 2 || run.Marked != 1 {
		t.Errorf("%+v", run)
	}
	have, err := s.reg.Items.Find(t.Context(), a.ID)
	must(t, err)
	if s.index.holds(have) != "Tide gauge" || have.Status != indexed || have.ErrorMessage != "" {
		t.Errorf("status %s (%s), index %q", have.Status, have.ErrorMessage, s.index.holds(have))
	}
	if have, err = s.reg.Items.Find(t.Context(), large.ID); err != nil || have.RawHash != large.RawHash ||
		have.Status != registry.Crawled {
		t.Errorf("too large: %s, %s (%v)", have.Status, have.RawHash, err)
	}
}
