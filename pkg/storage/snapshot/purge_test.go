package snapshot

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

const (
	itemA source.ID = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	itemB source.ID = "url_bbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// keep saves a body for an item.
func keep(t *testing.T, s *Store, id source.ID, body string) Capture {
	t.Helper()
	c := captureOfBody(body)
	c.ItemID = id
	must(t, save(t, s, c, body))
	return c
}

// left counts the rows and blobs of a store.
func left(t *testing.T, store storage.Store) (n int) {
	t.Helper()
	for _, table := range []string{CapturesTable, RefsTable} {
		for e, err := range store.Table(table).Query(t.Context(), storage.Query{}) {
			must(t, err)
			t.Logf("%s %s %s", table, e.Partition, e.Row)
			n++
		}
	}
	for name, err := range store.Container(Container).List(t.Context(), "") {
		must(t, err)
		t.Log(name)
		n++
	}
	return n
}

// TestA21PurgeKeepsWhatOthersNeed checks that a body is kept while any item has it, whichever item is purged first.
func TestA21PurgeKeepsWhatOthersNeed(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		for _, first := range []source.ID{itemA, itemB} {
			store := empty()
			s := open(t, store)
			c := keep(t, s, itemA, "shared")
			keep(t, s, itemA, "own")
			keep(t, s, itemB, "shared")
			second := itemA
			if first == itemA {
				second = itemB
			}
			must(t, s.Purge(t.Context(), first))
			if _, body, err := s.Load(t.Context(), second, c.RawHash); err != nil || string(body) != "shared" {
				t.Errorf("after the purge of %s: %q, %v", first, body, err)
			}
			if list, err := s.List(t.Context(), first); err != nil || len(list) > 0 {
				t.Errorf("%d captures are left of %s, %v", len(list), first, err)
			}
			must(t, s.Purge(t.Context(), second))
			must(t, s.Purge(t.Context(), second))
			if n := left(t, store); n > 0 {
				t.Errorf("%d rows and blobs are left", n)
			}
			keep(t, s, itemA, "shared") // the body can be saved again
			if _, err := s.Body(t.Context(), c.RawHash); err != nil {
				t.Error(err)
			}
		}
	})
}

// steps counts the operations of a store and makes the nth one fail, before or after it takes effect.
type steps struct {
	nth   int
	after bool
	count int
	hit   string
}

var errStep = fault.New(fault.Unavailable, "sabotaged")

func (s *steps) Before(_ context.Context, c storagetest.Call) error {
	if s.count++; s.count == s.nth && !s.after {
		s.hit = c.Op + " " + c.Name
		return errStep
	}
	return nil
}

func (s *steps) After(_ context.Context, c storagetest.Call, err error) error {
	if s.count == s.nth && s.after && s.hit == "" {
		s.hit = c.Op + " " + c.Name
		return errStep
	}
	return err
}

// everyStep runs a test once for each of its operations, with that operation failing before and after it takes
// effect. A first run without faults counts the operations.
func everyStep(t *testing.T, test func(t *testing.T, s *steps)) {
	t.Helper()
	all := &steps{}
	test(t, all)
	if all.count < 2 {
		t.Fatalf("only %d steps", all.count)
	}
	for n := range 2 * all.count {
		s := &steps{nth: n/2 + 1, after: n%2 == 1}
		t.Run(fmt.Sprintf("%d,after=%v", s.nth, s.after), func(t *testing.T) { test(t, s) })
	}
}

// TestA21PurgeUnderFaults checks that a purge that dies at any step is finished by the next one, and that bodies of
// other items are kept throughout.
func TestA21PurgeUnderFaults(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		everyStep(t, func(t *testing.T, f *steps) {
			store := empty()
			whole := open(t, store)
			keep(t, whole, itemA, "own")
			keep(t, whole, itemA, "shared")
			c := keep(t, whole, itemB, "shared")
			if err := New(storagetest.Hooked(store, f)).Purge(t.Context(), itemA); (f.hit != "") != (err != nil) {
				t.Errorf("%s: %v", f.hit, err)
			}
			must(t, whole.Purge(t.Context(), itemA))
			if _, err := whole.Body(t.Context(), c.RawHash); err != nil {
				t.Errorf("%s: %v", f.hit, err)
			}
			must(t, whole.Purge(t.Context(), itemB))
			if n := left(t, store); n > 0 {
				t.Errorf("%s: %d rows and blobs are left", f.hit, n)
			}
		})
	})
}

// TestA21PurgeBesideSave runs steps of a purge between steps of a save of the same bytes, and the reverse. The saved
// capture must have its body in the end.
func TestA21PurgeBesideSave(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		for _, saves := range []bool{true, false} { // which of the two is interrupted
			for n := 1; ; n++ {
				store := empty()
				s := open(t, store)
				clock := noon
				s.bodies.now = func() time.Time { return clock }
				c := keep(t, s, itemA, "shared")
				c.ItemID = itemB
				save := func(s *Store) error { return save(t, s, c, "shared") }
				purge := func(s *Store) error { return s.Purge(t.Context(), itemA) }
				outer, inner := purge, save
				if saves {
					outer, inner = save, purge
				}
				var between error
				count := 0
				interrupted := New(storagetest.Hooked(store,
					storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
						if count++; count == n {
							between = inner(s)
						}
						return nil
					}}))
				interrupted.bodies.now = s.bodies.now
				err := outer(interrupted)
				if count < n {
					break
				}
				clock = clock.Add(burialLease) // the host delivers the refused message again
				for _, retry := range []error{err, between} {
					if retry != nil && !fault.Is(retry, fault.Throttled) {
						t.Errorf("step %d: %v", n, retry)
					}
				}
				must(t, purge(s))
				must(t, save(s))
				if _, body, err := s.Load(t.Context(), itemB, c.RawHash); err != nil || string(body) != "shared" {
					t.Errorf("save interrupted %v, step %d: %q, %v", saves, n, body, err)
				}
				must(t, s.Purge(t.Context(), itemB))
				if n := left(t, store); n > 0 {
					t.Errorf("%d rows and blobs are left", n)
				}
			}
		}
	})
}

// TestA21HoldWaitsForABurial checks that a blob cannot be acquired while it is deleted, and can be acquired again
// when the deleter has died.
func TestA21HoldWaitsForABurial(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		store := empty()
		s := open(t, store)
		clock := noon
		s.bodies.now = func() time.Time { return clock }
		c := keep(t, s, itemA, "body")
		dying := New(storagetest.Hooked(store, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			if c.Op == "blob.Delete" {
				return errStep
			}
			return nil
		}}))
		dying.bodies.now = s.bodies.now
		if err := dying.Purge(t.Context(), itemA); !fault.Is(err, fault.Unavailable) {
			t.Fatalf("have %v, want Unavailable", err)
		}
		c.ItemID = itemB
		if err := save(t, s, c, "body"); fault.RetryAfter(err) != burialLease {
			t.Errorf("have %v, want Throttled for %v", err, burialLease)
		}
		clock = clock.Add(burialLease)
		must(t, save(t, s, c, "body"))
		must(t, s.Purge(t.Context(), itemA))
		if _, err := s.Body(t.Context(), c.RawHash); err != nil {
			t.Error(err)
		}
	})
}

// TestA21ManyHoldersAtOnce checks many items that acquire and release one body at once.
func TestA21ManyHoldersAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		store := empty()
		s := open(t, store)
		id := func(i int) source.ID { return source.ID(fmt.Sprintf("url_%026d", i)) }
		at := func(do func(source.ID) error) {
			var wg sync.WaitGroup
			for i := range 12 {
				wg.Go(func() {
					if err := do(id(i)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		at(func(id source.ID) error {
			c := captureOfBody("body")
			c.ItemID = id
			return save(t, s, c, "body")
		})
		at(func(id source.ID) error { return s.Purge(t.Context(), id) })
		if n := left(t, store); n > 0 {
			t.Errorf("%d rows and blobs are left", n)
		}
	})
}

// counter counts the requests to a store.
type counter struct{ tables, blobs *int }

func (n counter) Before(_ context.Context, c storagetest.Call) error {
	if strings.HasPrefix(c.Op, "blob.") {
		*n.blobs++
	} else {
		*n.tables++
	}
	return nil
}

func (n counter) After(_ context.Context, _ storagetest.Call, err error) error { return err }

// TestA21CapturedAgainAfterHalfAPurge checks that an item has its capture when it is captured again after a purge
// died, by a process that does not know of the purge.
func TestA21CapturedAgainAfterHalfAPurge(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		everyStep(t, func(t *testing.T, f *steps) {
			store := empty()
			s := open(t, store)
			clock := noon
			s.bodies.now = func() time.Time { return clock }
			c := keep(t, s, itemA, "body")
			dying := New(storagetest.Hooked(store, f))
			dying.bodies.now = s.bodies.now
			_ = dying.Purge(t.Context(), itemA)
			clock = clock.Add(burialLease)
			_, err := s.Save(t.Context(), c, []byte("body"), Had{RawHash: c.RawHash})
			must(t, err)
			if _, _, err := s.Load(t.Context(), itemA, c.RawHash); err != nil {
				t.Errorf("%s: %v", f.hit, err)
			}
		})
	})
}
