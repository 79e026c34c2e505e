package storagetest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestHookedKeepsThePort checks that hooks without effect leave the store unchanged.
func TestHookedKeepsThePort(t *testing.T) {
	storagetest.Store(t, func(t *testing.T) storage.Store {
		return storagetest.Hooked(mem.New(time.Now), storagetest.Hooks{})
	})
}

func fixture(t *testing.T, h storagetest.Hook) (plain, hooked storage.Store) {
	t.Helper()
	plain = mem.New(time.Now)
	for _, err := range []error{
		plain.Table("rows").Create(t.Context()), plain.Queue("jobs").Create(t.Context()),
		plain.Container("blobs").Create(t.Context()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return plain, storagetest.Hooked(plain, h)
}

func insert(row string) storage.Op {
	return storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: storage.Key{Partition: "p", Row: row},
		Props: storage.Properties{"V": row}}}
}

func before(op string, with error) storagetest.Hooks {
	return storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if c.Op == op {
			return with
		}
		return nil
	}}
}

func TestHookedFaults(t *testing.T) {
	broken := errors.New("broken")
	afterTransact := storagetest.Hooks{OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
		if c.Op == "table.Transact" && err == nil {
			return broken
		}
		return err
	}}
	for name, c := range map[string]struct {
		hook storagetest.Hook
		want error
		rows int
	}{
		"no fault":                        {storagetest.Hooks{}, nil, 1},
		"failed before":                   {before("table.Transact", broken), broken, 0},
		"lost but reported":               {before("table.Transact", storagetest.ErrLost), nil, 0},
		"failed after persisting":         {afterTransact, broken, 1},
		"another operation's fault":       {before("queue.Send", broken), nil, 1},
		"an insert done twice is refused": {before("table.Transact", storagetest.ErrTwice), errConflict, 1},
	} {
		plain, hooked := fixture(t, c.hook)
		tags, err := hooked.Table("rows").Transact(t.Context(), insert("a"))
		if c.want == errConflict && fault.Is(err, fault.Conflict) {
			err = errConflict
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: have %v, want %v", name, err, c.want)
		}
		if err == nil && len(tags) != 1 {
			t.Errorf("%s: have %d revisions, want 1", name, len(tags))
		}
		rows, err := storagetest.Dump(t.Context(), plain, "rows")
		if err != nil || len(rows) != c.rows {
			t.Errorf("%s: have %v (%v), want %d rows", name, rows, err, c.rows)
		}
	}
}

var errConflict = errors.New("conflict")

func TestHookedQueue(t *testing.T) {
	for with, want := range map[error]int{nil: 1, storagetest.ErrLost: 0, storagetest.ErrTwice: 2} {
		plain, hooked := fixture(t, before("queue.Send", with))
		if err := hooked.Queue("jobs").Send(t.Context(), []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		if n, _ := plain.Queue("jobs").Length(t.Context()); n != want {
			t.Errorf("%v: have %d messages, want %d", with, n, want)
		}
	}
}

// TestHookedNamesEveryOperation checks that every operation calls the hook.
func TestHookedNamesEveryOperation(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	count := func(_ context.Context, c storagetest.Call) error {
		mu.Lock()
		defer mu.Unlock()
		seen[c.Op+" "+c.Name]++
		return nil
	}
	ctx, s := t.Context(), storagetest.Hooked(mem.New(time.Now), storagetest.Hooks{OnBefore: count})
	table, queue, blobs := s.Table("rows"), s.Queue("jobs"), s.Container("blobs")
	table.Create(ctx)
	table.Transact(ctx, insert("a"))
	table.Get(ctx, storage.Key{Partition: "p", Row: "a"})
	for range table.Query(ctx, storage.Query{}) {
	}
	queue.Create(ctx)
	queue.Send(ctx, []byte("x"), 0)
	got, _ := queue.Receive(ctx, 1, time.Second)
	m, _ := queue.Extend(ctx, got[0], time.Second)
	queue.Delete(ctx, m)
	queue.Length(ctx)
	blobs.Create(ctx)
	blobs.Put(ctx, "a", storage.Blob{})
	blobs.Get(ctx, "a")
	blobs.Exists(ctx, "a")
	for range blobs.List(ctx, "") {
	}
	blobs.Delete(ctx, "a")
	s.Ping(ctx)
	want := map[string]int{
		"table.Create rows": 1, "table.Transact rows": 1, "table.Get rows": 1, "table.Query rows": 1,
		"queue.Create jobs": 1, "queue.Send jobs": 1, "queue.Receive jobs": 1, "queue.Extend jobs": 1, "queue.Delete jobs": 1,
		"queue.Length jobs": 1,
		"blob.Create blobs": 1, "blob.Put blobs": 1, "blob.Get blobs": 1, "blob.Exists blobs": 1, "blob.List blobs": 1,
		"blob.Delete blobs": 1,
		"store.Ping ":       1,
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("calls (-want +have):\n%s", d)
	}
}

func TestDump(t *testing.T) {
	plain, _ := fixture(t, storagetest.Hooks{})
	if _, err := plain.Table("rows").Transact(t.Context(), insert("a"), insert("b")); err != nil {
		t.Fatal(err)
	}
	have, err := storagetest.Dump(t.Context(), plain, "rows")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]storage.Properties{"rows/p/a": {"V": "a"}, "rows/p/b": {"V": "b"}}
	if d := cmp.Diff(want, have); d != "" {
		t.Errorf("dump (-want +have):\n%s", d)
	}
	if _, err := storagetest.Dump(t.Context(), plain, "missing"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("dump of a missing table: have %v, want Unavailable", err)
	}
}
