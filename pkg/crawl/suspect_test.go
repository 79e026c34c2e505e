package crawl

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// killer stops everything in a process as soon as it stores the body of a certain page, until another process starts.
type killer struct {
	deadly string // hexadecimal SHA-256 of the body
	dead   bool
	deaths int
}

func (k *killer) Before(_ context.Context, c storagetest.Call) error {
	if c.Op == "blob.Put" && k.deadly != "" && strings.Contains(c.Key, k.deadly) && !k.dead {
		k.dead, k.deaths = true, k.deaths+1
	}
	if k.dead {
		return errSabotage
	}
	return nil
}

func (k *killer) After(_ context.Context, _ storagetest.Call, err error) error {
	if k.dead {
		return errSabotage
	}
	return err
}

// deadlyFetch kills the process when a certain page is requested.
type deadlyFetch struct {
	politeness.Fetcher
	k    *killer
	path string
}

func (f deadlyFetch) Get(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if strings.HasSuffix(r.URL, f.path) && f.k.deadly != "" && !f.k.dead {
		f.k.dead, f.k.deaths = true, f.k.deaths+1
	}
	return f.Fetcher.Get(ctx, r)
}

// TestS1SuspectsAreTriedAlone checks S1: each page that was in progress when a worker died is tried again alone, and
// only the page that then kills a worker is recorded as the cause. That counts as an attempt, and the page is tried
// again a day later.
func TestS1SuspectsAreTriedAlone(t *testing.T) {
	const deadly = "/3"
	for name, arm := range map[string]func(r *rig, k *killer){
		"while it is kept": func(_ *rig, k *killer) {
			_, k.deadly, _ = strings.Cut(snapshot.Hash([]byte(text("v3").body)),
				":")
		},
		"while it is fetched": func(r *rig, k *killer) {
			k.deadly, r.seen.Fetcher = "no body", deadlyFetch{r.seen.Fetcher, k,
				deadly}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := &killer{}
			r := newRig(t, func(o *knobs) {
				o.store = func(s storage.Store) storage.Store { return storagetest.Hooked(s, k) }
				o.polite = registry.Politeness{MaxConcurrent: 4}
			})
			arm(r, k)
			var paths []string
			for i := range 6 {
				paths = append(paths, fmt.Sprintf("/%d", i))
				r.site.put(paths[i], text(fmt.Sprintf("v%d", i)))
			}
			r.register(false, paths...)
			for range 20 {
				k.dead = false
				_ = r.work()
				r.clock.pass(2 * time.Minute)
				_, err := r.reg.Jobs.Sweep(t.Context())
				must(t, err)
			}
			for _, p := range paths {
				it := r.item(p)
				switch {
				case p == deadly && (it.Status != registry.Error || it.CrawlAttempts != 1 || !strings.Contains(it.ErrorMessage,
					"ended the program")):
					t.Errorf("%s: %s, %d attempts, %q", p, it.Status, it.CrawlAttempts, it.ErrorMessage)
				case p != deadly && (it.Status != indexed || it.Deaths != 0 || it.CrawlAttempts != 0):
					t.Errorf("%s: %s, %d deaths, %d attempts, %q", p, it.Status, it.Deaths, it.CrawlAttempts,
						it.ErrorMessage)
				}
			}
			if wait := r.item(deadly).NextCrawlAt.Sub(r.clock.now()); k.deaths != 2 || wait < 20*time.Hour {
				t.Errorf("%d workers died, it is tried again in %s", k.deaths, wait)
			}
			k.dead, k.deadly = false, ""
			if it := r.next(deadly); it.Status != indexed || it.Deaths != 0 {
				t.Errorf("once it is harmless: %s, %d deaths, %q", it.Status, it.Deaths, it.ErrorMessage)
			}
		})
	}
}

// TestS1RestartBlamesNobody checks S1: a restart of the program in the middle of a job is not recorded against any
// page.
func TestS1RestartBlamesNobody(t *testing.T) {
	r := newRig(t)
	r.site.put("/a", text("v1"))
	r.register(false, "/a")
	for range 3 {
		for _, job := range r.jobs() {
			if b, err := r.reg.Jobs.Begin(t.Context(), job); err != nil || b == nil {
				t.Fatalf("batch %v, %v", b, err)
			}
		}
		r.clock.pass(15 * time.Minute)
		_, err := r.reg.Jobs.Sweep(t.Context())
		must(t, err)
	}
	r.mustWork()
	if it := r.item("/a"); it.Status != indexed || it.CrawlAttempts != 0 || it.Deaths != 0 {
		t.Errorf("%s, %d attempts, %d deaths, %q", it.Status, it.CrawlAttempts, it.Deaths, it.ErrorMessage)
	}
}

// TestS1AloneIsAlone checks S1: while a suspect is tried, nothing else is in progress.
func TestS1AloneIsAlone(t *testing.T) {
	g := newGate()
	leave, err := g.acquire(t.Context(), true)
	must(t, err)
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := g.acquire(soon, false); err == nil {
		t.Error("another is in work beside it")
	}
	leave()
	for range 3 {
		_, err = g.acquire(t.Context(), false)
		must(t, err)
	}
}
