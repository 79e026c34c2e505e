package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	opsmemory "github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

// suspect makes two workers of another host die, and returns the job that tries its page again, alone.
func (r *rig) suspect(path string) registry.Job {
	r.t.Helper()
	r.register(false, r.local(path).Normalized)
	r.die()
	r.die()
	return r.job(registry.JobQueue)
}

// die begins all checks of the jobs in the queue as a worker does that then dies, and lets time pass until their items
// are in the queue again.
func (r *rig) die() {
	r.t.Helper()
	for _, job := range r.jobs() {
		b, err := r.reg.Jobs.Begin(r.t.Context(), job)
		if must(r.t, err); b == nil {
			r.t.Fatal("no batch")
		}
		for _, it := range b.Items {
			must(r.t, r.reg.Jobs.NoteBegun(r.t.Context(), b, it))
		}
	}
	r.clock.pass(time.Hour)
	_, err := r.reg.Jobs.Sweep(r.t.Context())
	must(r.t, err)
}

// eventually waits, in real time, until a condition holds.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("after ten seconds: not %s", what)
			return
		}
	}
}

// TestS1SuspectBesideNewHosts checks S1: while a suspect waits to be alone, the first pages of a host finish,
// although they need a request for a page that does not exist, and other pages of the host wait. The suspect waits
// for no page that had not begun before.
func TestS1SuspectBesideNewHosts(t *testing.T) {
	for _, permits := range []int{1, 4} {
		t.Run(fmt.Sprint(permits), func(t *testing.T) {
			r := newRig(t, softly, func(k *knobs) {
				k.crawl.Behind, k.polite = 4, policy.Politeness{MaxConcurrent: 2 * permits} // a job has half
			})
			r.site.lost = sorry
			r.site.put("/suspect", text("suspect"))
			suspect, all := r.suspect("/suspect"), paths(6*permits)
			for i, p := range all {
				r.site.put(p, text(fmt.Sprint("v", i)))
			}
			r.register(false, all...)
			var begun atomic.Int64
			r.site.before = func(path string) { // answers the first pages once the suspect waits
				if slices.Contains(all, path) && begun.Add(1) <= int64(permits) {
					eventually(t, "a suspect that waits", r.gate.wanted)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 2)
			host := r.job(registry.JobQueue)
			go func() { ended <- r.Process(ctx, host) }()
			eventually(t, "as many requests as are permitted", func() bool { return begun.Load() == int64(permits) })
			go func() { ended <- r.Process(ctx, suspect) }()
			eventually(t, "the end of both jobs", func() bool { return len(ended) == 2 })
			cancel()
			must(t, errors.Join(<-ended, <-ended))
			for _, p := range append(all, r.local("/suspect").Normalized) {
				if it := r.item(p); it.Status != indexed || it.Deaths != 0 {
					t.Errorf("%s: %s, %d deaths, %s", p, it.Status, it.Deaths, it.ErrorMessage)
				}
			}
			probes, asked := r.probes()
			if at := slices.Index(asked, "GET /suspect"); at != permits || probes != 2 {
				t.Errorf("%d pages before the suspect, want %d; two hosts were asked for %d pages that cannot exist",
					at, permits, probes)
			}
		})
	}
}

// batch begins one job with all items that wait in the queue.
func (r *rig) batch() *job {
	r.t.Helper()
	var all registry.Job
	for i, message := range r.jobs() {
		if i == 0 {
			all = message
			continue
		}
		all.Items = append(all.Items, message.Items...)
	}
	b, err := r.reg.Jobs.Begin(r.t.Context(), all)
	if must(r.t, err); b == nil {
		r.t.Fatal("no batch")
	}
	return r.newJob(b, func() {})
}

// permitted reports whether a permit is free.
func permitted(j *job) bool {
	soon, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	release, err := j.lease.Permit(soon)
	release()
	return err == nil
}

// busy makes the host of a job ask for a pause, in its answer to another request.
func (r *rig) busy(j *job) {
	r.t.Helper()
	web := r.seen.Fetcher
	defer func() { r.seen.Fetcher = web }()
	r.seen.Fetcher = tired{web}
	it := r.item("/0")
	got, o, err := j.lease.Asker(nil).Get(r.t.Context(), &it, verdict.Basis{Rules: r.rules()}, r.o.Setting)
	if must(r.t, err); got.Response.Status != http.StatusTooManyRequests {
		r.t.Errorf("the host does not ask for a pause: %v", o)
	}
}

// tired is a web that always asks for a pause.
type tired struct{ politeness.Fetcher }

func (tired) Get(_ context.Context, r fetch.Request) (fetch.Response, error) {
	return fetch.Response{Status: http.StatusTooManyRequests, FinalURL: r.URL}, nil
}

// TestS1PickedAndNotBegun checks S1: an item that was picked, but may no longer begin when it gets a permit, is given
// back unchanged. An item that needs no request begins all the same, unless the batch is at its end.
func TestS1PickedAndNotBegun(t *testing.T) {
	for name, tt := range map[string]struct {
		end     func(r *rig, j *job)
		removed bool
	}{
		"the host asks for a pause": {func(r *rig, j *job) { r.busy(j) }, true},
		"the budget is spent":       {func(_ *rig, j *job) { j.lease.Received(j.batch.Left.Bytes) }, true},
		"the lock ends soon": {func(r *rig, j *job) {
			r.clock.pass(j.lease.Deadline().Sub(r.clock.now()) - 30*time.Second)
		}, false},
		"the batch has failed": {func(_ *rig, j *job) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.progress.failed = errSabotage
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(k *knobs) { k.crawl.Behind = 4 })
			all := paths(8)
			for i, p := range all {
				r.site.put(p, text(fmt.Sprint("v", i)))
			}
			r.first("/7")
			r.site.asked()
			r.register(false, all[:7]...)
			removed := r.item("/7").ID
			_, err := r.reg.Items.Remove(t.Context(), removed)
			must(t, err)
			j := r.batch()
			items := len(j.batch.Items)
			picked := func() int {
				j.mu.Lock()
				defer j.mu.Unlock()
				return items - len(j.progress.todo)
			}
			var once sync.Once
			r.site.before = func(string) {
				once.Do(func() {
					eventually(t, "four picked", func() bool { return picked() == 4 })
					tt.end(r, j)
				})
			}
			j.run(t.Context())
			if n, want := picked(), 1+one(tt.removed); n != want || !permitted(j) || r.gate.wanted() {
				t.Errorf("%d items are not among those to do, want %d; all permits are free: %v", n, want, permitted(j))
			}
			must(t, j.commit(t.Context(), true))
			if asked := r.site.asked(); len(asked) != 1 {
				t.Errorf("asked for %q", asked)
			}
			for _, p := range all[:7] {
				if it := r.item(p); it.LockOwner != "" || it.CrawlAttempts != 0 || it.Deaths != 0 {
					t.Errorf("%s is not as it was: %+v", p, it)
				}
			}
			if _, err := r.reg.Items.Find(t.Context(), removed); fault.Is(err, fault.NotFound) != tt.removed {
				t.Errorf("what is to be removed: %v", err)
			}
		})
	}
}

// waitsInOrder lists the things that a check waits for, in order: how the test uses up each of them, and what a check
// holds while it waits for it.
var waitsInOrder = []struct {
	name  string
	take  func(r *rig, j *job) (free func())
	asked int // pages requested by then
	has   string
}{
	{"gate", func(r *rig, _ *job) func() {
		leave, err := r.gate.acquire(r.t.Context(), true)
		must(r.t, err)
		return leave
	}, 0, "gate"}, // held by the test
	{"permit", func(r *rig, j *job) func() {
		release, err := j.lease.Permit(r.t.Context())
		must(r.t, err)
		return release
	}, 0, "gate permit"},
	{"body", func(r *rig, _ *job) func() {
		leave, err := r.o.Room.Large(r.t.Context())
		must(r.t, err)
		return leave
	}, 1, "gate permit body"},
	{"work", func(r *rig, _ *job) func() {
		leave, err := r.o.Room.Work(r.t.Context(), 1<<30)
		must(r.t, err)
		return leave
	}, 1, "gate permit body work"},
	{"turn", func(r *rig, j *job) func() { // another check of the host asks for a page that cannot exist
		o, err := politeness.OriginOf(r.site.URL)
		must(r.t, err)
		answer, ended := make(chan struct{}), make(chan error, 1)
		r.site.before = func(path string) {
			if path != "/p" {
				<-answer
			}
		}
		other := r.hosts.Lease(j.batch).Asker(func(context.Context) error { return nil })
		prober := other.Prober(r.o.Version, func(ctx context.Context, resp fetch.Response) (extract.Document, error, error) {
			doc, err := r.o.Documents.Extract(ctx, resp.Body, resp.Header.Get("Content-Type"), resp.FinalURL, extract.Limits{})
			return doc, nil, err
		})
		go func() {
			_, err := prober.Current(r.t.Context(), o)
			ended <- err
		}()
		eventually(r.t, "asked", func() bool { return r.site.count() == 1 })
		return func() {
			close(answer)
			must(r.t, <-ended)
		}
	}, 2, "gate permit body work"},
	{"commit", func(r *rig, j *job) func() {
		r.site.before = func(path string) {
			if path != "/p" {
				j.mu.Lock()
			}
		}
		return j.mu.Unlock
	}, 2, ""},
	{"pace", func(r *rig, _ *job) func() {
		over, sleep := make(chan struct{}), r.sleep
		r.sleep = func(ctx context.Context, d time.Duration) error {
			<-over
			return sleep(ctx, d)
		}
		return func() { close(over) }
	}, 0, "gate permit"},
}

// has lists the things in the order of waits that a check, or the test, holds.
func (r *rig) has(j *job) string {
	var has []string
	note := func(name string, free bool) {
		if !free {
			has = append(has, name)
		}
	}
	free := r.gate.s.TryAcquire(everybody)
	if note("gate", free); free {
		r.gate.s.Release(everybody)
	}
	note("permit", permitted(j))
	leave, err := r.o.Room.LargeNow(r.t.Context())
	if note("body", err == nil); err == nil {
		leave()
	}
	soon, cancel := context.WithTimeout(r.t.Context(), 5*time.Millisecond)
	defer cancel()
	leave, err = r.o.Room.Work(soon, 1<<30)
	if note("work", err == nil); err == nil {
		leave()
	}
	return strings.Join(has, " ")
}

// TestS1OrderOfWaits checks S1: a check that waits for something holds nothing that comes later in the order, so no
// two checks wait for each other.
func TestS1OrderOfWaits(t *testing.T) {
	for _, tt := range waitsInOrder {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, softly, func(k *knobs) {
				k.polite.MinDelay, k.crawl.Room = time.Second, opsmemory.NewRoom(256<<20, 20<<20)
			})
			r.site.put("/p", page{body: text("v1").body + long(opsmemory.Small)})
			r.register(false, "/p")
			j := r.batch()
			free := tt.take(r, j)
			ended := make(chan error, 1)
			go func() {
				j.run(t.Context())
				ended <- j.commit(t.Context(), true)
			}()
			there := func() bool { return r.site.count() == tt.asked && r.has(j) == tt.has }
			eventually(t, "there", there)
			time.Sleep(50 * time.Millisecond)
			if has := r.has(j); !there() || len(ended) > 0 {
				t.Errorf("it does not stay there: %d pages were asked for, taken are %q", r.site.count(), has)
			}
			free()
			must(t, <-ended)
			if it := r.item("/p"); it.Status != indexed || r.has(j) != "" {
				t.Errorf("%s: %s; taken are %q", it.Status, it.ErrorMessage, r.has(j))
			}
			r.wantProbes(1, "the first page")
		})
	}
}

// TestS1OrderIsDocumented checks S1: the documentation has the same order of waits.
func TestS1OrderIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/architecture.md")
	must(t, err)
	_, section, _ := strings.Cut(string(doc), "\n**What a check waits for.**")
	section, _, _ = strings.Cut(section, "\n**")
	var want, names []string
	for i, w := range waitsInOrder {
		want = append(want, fmt.Sprintf("%d %s", i+1, w.name))
	}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| (\w+) \|`).FindAllStringSubmatch(section, -1) {
		names = append(names, m[1]+" "+m[2])
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-tested +documented\n%s", diff)
	}
}

// TestS2LargePageForPagesThatDoNotExist checks S2: a check that holds memory for work on a document does not wait for
// memory for a large body.
func TestS2LargePageForPagesThatDoNotExist(t *testing.T) {
	r := newRig(t, softly, func(k *knobs) { k.crawl.Room = opsmemory.NewRoom(256<<20, 20<<20) })
	r.site.lost = page{body: sorry.body + long(opsmemory.Small)}
	r.site.put("/p", text("v1"))
	leave, err := r.o.Room.Large(t.Context())
	must(t, err)
	if it := r.first("/p"); it.Status != indexed {
		t.Errorf("without memory: %s: %s", it.Status, it.ErrorMessage)
	}
	leave()
	r.wantProbes(1, "without memory")
	r.clock.pass(10 * time.Minute) // the fingerprint is requested again by then
	r.site.put("/p", text("v2"))
	r.look("/p")
	r.wantProbes(1, "with memory")
	r.site.put("/q", r.site.lost)
	if it := r.first("/q"); it.MissingChecks != 1 {
		t.Errorf("the page that does not exist is not known: %s", it.Status)
	}
}

// TestX18NoMemoryIsNoError checks that a page that waits for memory until its worker's time is over waits for the next
// job, and is not an error, whatever the memory is for (X18).
func TestX18NoMemoryIsNoError(t *testing.T) {
	for name, take := range map[string]func(*opsmemory.Room) (func(), error){
		"body": func(m *opsmemory.Room) (func(), error) { return m.Large(t.Context()) },
		"work": func(m *opsmemory.Room) (func(), error) { return m.Work(t.Context(), 1<<30) },
	} {
		r := newRig(t, func(k *knobs) { k.crawl.Room = opsmemory.NewRoom(256<<20, 20<<20) })
		r.site.put("/p", page{body: text("v1").body + long(opsmemory.Small)})
		leave, err := take(r.o.Room)
		must(t, err)
		r.register(false, "/p")
		j := r.batch()
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		j.run(short)
		cancel()
		if j.progress.failed != nil {
			t.Errorf("%s: the job fails: %v", name, j.progress.failed)
		}
		must(t, j.commit(t.Context(), true))
		if it := r.item("/p"); it.Status != registry.Pending || it.ErrorMessage != "" {
			t.Errorf("%s: %s: %s", name, it.Status, it.ErrorMessage)
		}
		leave()
		if it := r.next("/p"); it.Status != indexed {
			t.Errorf("%s: then %s: %s", name, it.Status, it.ErrorMessage)
		}
	}
}
