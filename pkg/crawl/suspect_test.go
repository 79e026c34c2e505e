package crawl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
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

// TestS1SuspectsAreTriedAlone checks S1: each page that was in progress when two workers died is tried alone, and only
// a page that then kills two workers is recorded as the cause. That counts as an attempt, and the page is tried again
// a day later.
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
				o.polite = policy.Politeness{MaxConcurrent: 4}
			})
			arm(r, k)
			var paths []string
			for i := range 6 {
				paths = append(paths, fmt.Sprintf("/%d", i))
				r.site.put(paths[i], text(fmt.Sprintf("v%d", i)))
			}
			r.register(false, paths...)
			for range 80 {
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
			if wait := r.item(deadly).NextCrawlAt.Sub(r.clock.now()); k.deaths != 4 || wait < 20*time.Hour {
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

// TestAZ10JobThatOnlyWaits checks AZ10: a job that waits until its deadline, and ends no check, fails. A job that stops
// earlier does not.
func TestAZ10JobThatOnlyWaits(t *testing.T) {
	for name, late := range map[string]bool{"at its deadline": true, "before its deadline": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", text("v1"))
			r.register(false, "/p")
			j := r.batch()
			leave, err := r.gate.acquire(t.Context(), true) // a suspect is tried all the time
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- j.finish(ctx) }()
			eventually(t, "picked", func() bool {
				j.mu.Lock()
				defer j.mu.Unlock()
				return len(j.progress.todo) == 0
			})
			if late {
				r.clock.pass(j.lease.Deadline().Sub(r.clock.now()))
			}
			cancel()
			if err := <-ended; errors.Is(err, errIdle) != late {
				t.Errorf("the job ends with %v", err)
			}
			leave()
			if asked := r.site.asked(); len(asked) > 0 {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

// TestAZ11SuspectWaitsForItsHostFirst checks AZ11: while a suspect waits for the pace of its host, others work.
func TestAZ11SuspectWaitsForItsHostFirst(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.polite.MinDelay = time.Second })
	r.site.put("/suspect", text("suspect"))
	job := r.suspect("/suspect")
	_, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.local("/x").Normalized})
	must(t, err)
	var free []bool // whether others may work, at each pause of the suspect
	sleep := r.sleep
	r.sleep = func(ctx context.Context, d time.Duration) error {
		leave, err := r.gate.acquire(soon(t), true)
		free = append(free, err == nil)
		leave()
		return sleep(ctx, d)
	}
	must(t, r.Process(t.Context(), job))
	if it := r.item(r.local("/suspect").Normalized); it.Status != indexed || it.Deaths != 0 {
		t.Errorf("%s, %d deaths, %s", it.Status, it.Deaths, it.ErrorMessage)
	}
	if len(free) == 0 || !free[0] {
		t.Errorf("at the suspect's pauses others may work: %v", free)
	}
}

// TestAZ11WaitsWhoeverAsks checks AZ11: an item that waits because of a death alone is put off, also when a person asks
// for a check. It stays as it was, and says why.
func TestAZ11WaitsWhoeverAsks(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.clock.pass(time.Minute)
	r.register(true, "/p")
	for range 3 {
		for _, job := range r.jobs() {
			b, err := r.reg.Jobs.Begin(t.Context(), job)
			must(t, err)
			must(t, r.reg.Jobs.NoteBegun(t.Context(), b, b.Items[0]))
		}
		r.clock.pass(3 * time.Minute) // the lock of the worker that died ends
		r.register(true, "/p")
	}
	r.site.asked()
	r.mustWork()
	it := r.item("/p")
	if asked := r.site.asked(); len(asked) > 0 || it.Status != indexed || it.Deaths != 3 || it.LockOwner != "" {
		t.Errorf("asked %q, %s, %d deaths, lock %q", asked, it.Status, it.Deaths, it.LockOwner)
	}
	if line := it.History[len(it.History)-1]; !strings.Contains(line.Why, "put off") {
		t.Errorf("the last line of its history is %q", line.Why)
	}
	r.clock.pass(time.Hour)
	_, err := r.reg.Jobs.Sweep(t.Context())
	must(t, err)
	r.mustWork()
	if it := r.item("/p"); it.Status != indexed || it.Deaths != 0 || it.Forced() || len(r.site.asked()) != 1 {
		t.Errorf("afterwards: %s, %d deaths, forced %v", it.Status, it.Deaths, it.Forced())
	}
}

// soon returns a context that ends soon.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
