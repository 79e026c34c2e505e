package crawl

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// saboteur makes the nth write fail, before or after it took effect. Reads fail, too, if the test asks for that.
type saboteur struct {
	mu    sync.Mutex
	armed bool
	nth   int // which of the counted calls fails, from 1
	after bool
	count int
	hit   string // the call that failed
}

var errSabotage = fault.New(fault.Unavailable, "sabotaged")

func counts(op string) bool {
	return op == "table.Transact" || op == "blob.Put" || op == "table.Get" || op == "blob.Get" || op == "table.Query" ||
		op == "index"
}

func (s *saboteur) Before(_ context.Context, c storagetest.Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.armed || !counts(c.Op) {
		return nil
	}
	if s.count++; s.count == s.nth && !s.after {
		s.hit = c.Op + " " + c.Name
		return errSabotage
	}
	return nil
}

func (s *saboteur) After(_ context.Context, c storagetest.Call, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed && counts(c.Op) && s.count == s.nth && s.after && s.hit == "" {
		s.hit = c.Op + " " + c.Name
		return errSabotage
	}
	return err
}

// shakyIndex fails like the store, but with an error that is not an outage; other tests cover outages.
type shakyIndex struct {
	*bookIndex
	s *saboteur
}

func (x shakyIndex) Put(ctx context.Context, pages ...search.Page) error {
	return x.around(ctx, func() error { return x.bookIndex.Put(ctx, pages...) })
}

func (x shakyIndex) Remove(ctx context.Context, id string, held *search.Contents) error {
	return x.around(ctx, func() error { return x.bookIndex.Remove(ctx, id, held) })
}

func (x shakyIndex) around(ctx context.Context, do func() error) error {
	call := storagetest.Call{Op: "index"}
	if x.s.Before(ctx, call) != nil {
		return fmt.Errorf("index sabotaged before")
	}
	if x.s.After(ctx, call, do()) != nil {
		return fmt.Errorf("index sabotaged after")
	}
	return nil
}

// result is the state that must be the same with and without a fault.
type result struct {
	Status, Message, Index string
	Alias, Note            string
	Form                   string // that is requested
	Hash, Indexed          string
	Captures, Attempts     int
	Images                 int
	Edges, Blobs, Refs     int
	Kinds                  string
	States, Collapse       int
	Forced                 bool
	Generation             int64
	Listed                 string // the entries of lists that the feed tells
	Plain                  string // of the answer that was rendered
	Small, Lines           string // what the feed says of small changes, and what is remembered of the page's lines
}

func (r *rig) result(path string) result {
	it := r.item(path)
	var at, from feed.Position
	return result{
		Small: r.smallOnly(&from), Lines: r.remembered(path),
		Listed: r.listedOnly(&at), Plain: it.Rendering.Plain,
		Status: string(
			it.Status,
		), Message: strings.ReplaceAll(it.ErrorMessage, r.site.URL, ""), Index: r.index.holds(it),
		Alias: r.aliasOf(
			it,
		), Note: strings.ReplaceAll(it.CanonicalNote, r.site.URL, ""), Hash: it.ContentHash, Indexed: it.IndexedHash,
		Form:  strings.TrimPrefix(it.FetchSource, r.site.URL),
		Kinds: strings.Join(r.kinds(path), " "), States: len(it.States), Collapse: it.Collapse.Checks,
		Captures: len(r.captures(path)), Edges: len(r.edges(path)), Blobs: len(r.blobs()), Refs: r.refs(),
		Images: len(
			r.index.pages[string(it.ID)].Images,
		), Attempts: it.CrawlAttempts, Forced: it.Forced(), Generation: it.ProcessedGeneration,
	}
}

// TestFaultsOfEveryStep makes each single read and write of a check fail, before and after it took effect. The job is
// delivered again, or the sweep sends another. Then everything is as it would have been without the fault, and the
// invariants hold at every moment.
func TestFaultsOfEveryStep(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, tt := range disturbed {
			t.Run(tt.name, func(t *testing.T) {
				want, _, steps := disturb(t, open, 0, false, tt.prepare, tt.force)
				if steps < 5 {
					t.Fatalf("only %d steps", steps)
				}
				first, next := share(t, 2*steps)
				for n := first; n < 2*steps; n += next {
					step, after := n/2+1, n%2 == 1
					t.Run(fmt.Sprintf("%d,after=%v", step, after), func(t *testing.T) {
						have, hit, _ := disturb(t, open, step, after, tt.prepare, tt.force)
						if diff := cmp.Diff(want, have); diff != "" {
							t.Errorf("%s (-want +have):\n%s", hit, diff)
						}
					})
				}
			})
		}
	})
}

// share returns which of a number of faults are tried, beginning at another one for each case: in memory one in five.
// On the embedded store there are fewer, because there only the store itself can make a difference.
func share(t *testing.T, faults int) (first, next int) {
	step := 5
	if strings.Contains(t.Name(), "/embedded") {
		step = 35
	}
	first, next = soaktest.Share(t, step)
	return first % faults, next
}

// eachFault calls attempt without a fault, which counts the steps, and then with each of a share of the faults.
func eachFault(t *testing.T, attempt func(s *saboteur)) {
	calm := &saboteur{}
	if attempt(calm); calm.count < 5 {
		t.Fatalf("only %d steps", calm.count)
	}
	first, next := share(t, 2*calm.count)
	for n := first; n < 2*calm.count; n += next {
		attempt(&saboteur{nth: n/2 + 1, after: n%2 == 1})
	}
}

// disturb runs one check whose nth step fails, and then everything that the host would do.
func disturb(t *testing.T, open opener, nth int, after bool, prepare func(*rig), force bool) (result, string, int) {
	t.Helper()
	s := &saboteur{nth: nth, after: after}
	r := newRig(t, on(open), func(k *knobs) {
		k.store = func(inner storage.Store) storage.Store { return storagetest.Hooked(inner, s) }
	})
	prepare(r)
	if _, err := r.reg.Items.Find(t.Context(), r.source("/p").ID()); err != nil || force {
		r.clock.pass(time.Second)
		r.register(force, "/p")
	} else {
		r.due("/p")
	}
	r.engine.Indexer = shakyIndex{r.index, s}
	r.forget() // a new process
	s.armed = true
	jobs := r.jobs()
	if len(jobs) != 1 {
		t.Fatalf("%d jobs", len(jobs))
	}
	_ = r.Process(t.Context(), jobs[0])
	s.armed = false
	r.checkInvariants()
	if it, err := r.reg.Items.Find(t.Context(), r.source("/p").ID()); err != nil ||
		it.CrawlAttempts > it.MissingChecks {
		t.Errorf("step %d (%s), after %v: the page is blamed: %s (%v)", nth, s.hit, after, it.ErrorMessage, err)
	}
	// The host delivers the message again after a failure; a worker that died leaves its lock.
	for range 3 {
		must(t, r.Process(t.Context(), jobs[0]))
		r.clock.pass(registryLock)
	}
	for range 3 { // the sweep finds items whose message was lost
		r.sweepAfter(25 * time.Minute) // a commit that fails leaves the item as a death does, and suspects wait
	}
	r.checkInvariants()
	if it := r.item("/p"); it.LockOwner != "" && it.LockedUntil.After(r.clock.now()) ||
		!it.NextCrawlAt.After(r.clock.now()) {
		t.Errorf("step %d, after %v: left behind, due %s, lock %q", nth, after, it.NextCrawlAt, it.LockOwner)
	}
	return r.result("/p"), s.hit, s.count
}

const registryLock = 2 * time.Minute

// TestA15ForceDuringTheCheck checks A15: a force that arrives during the check causes a second check, whichever step
// fails.
func TestA15ForceDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1").etag("1"))
		r.register(false, "/p")
		once := sync.OnceFunc(func() { r.register(true, "/p") })
		r.site.before = func(string) { once() }
		r.mustWork()
		it := r.item("/p")
		if it.Forced() || it.ProcessedGeneration != 1 {
			t.Errorf("the force is lost: generation %d of %d", it.ProcessedGeneration, it.ReindexGeneration)
		}
		if asked := r.site.asked(); len(asked) != 2 || strings.Contains(asked[1], "if") {
			t.Errorf("asked %q, want two unconditional requests", asked)
		}
		if it.Status != registry.Indexed {
			t.Errorf("status %s", it.Status)
		}
	})
}
