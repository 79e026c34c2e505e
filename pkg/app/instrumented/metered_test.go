package instrumented_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/app/instrumented"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// values returns the values of a metric, by their labels.
func values(m *telemetry.Metrics, name string) map[string]float64 {
	out := map[string]float64{}
	for _, f := range m.Read() {
		for _, s := range f.Series {
			if f.Name == name {
				out[strings.Join(s.Values, ".")] = s.Sum
			}
		}
	}
	return out
}

// clocked is a store whose clock advances only when the suite sleeps.
type clocked struct {
	storage.Store
	now time.Time
}

func (c *clocked) Sleep(d time.Duration) { c.now = c.now.Add(d) }

// The counting store passes the suite of stores.
func TestStoreKeepsTheContract(t *testing.T) {
	storagetest.Store(t, func(*testing.T) storage.Store {
		c := &clocked{now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
		c.Store = instrumented.Store(mem.New(func() time.Time { return c.now }), telemetry.New())
		return c
	})
}

// TestEveryOperationIsCounted fails if any operation is not counted.
func TestEveryOperationIsCounted(t *testing.T) {
	m := telemetry.New()
	s := instrumented.Store(mem.New(time.Now), m)
	everything(t.Context(), s)
	want := map[string]float64{
		"table.create": 1, "table.transact": 1, "table.get": 1, "table.query": 1,
		"queue.create": 1, "queue.send": 1, "queue.receive": 1, "queue.extend": 1, "queue.delete": 1, "queue.length": 1,
		"blob.create": 1, "blob.put": 1, "blob.get": 1, "blob.exists": 1, "blob.list": 1, "blob.delete": 1, "store.ping": 1,
	}
	if diff := cmp.Diff(want, values(m, "tidemark_storage_operations_total")); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if errs := values(m, "tidemark_errors_total"); len(errs) != 0 {
		t.Errorf("errors: %v", errs)
	}
}

func everything(ctx context.Context, s storage.Store) {
	table, queue, blobs := s.Table("rows"), s.Queue("jobs"), s.Container("blobs")
	row := storage.Entity{Key: storage.Key{Partition: "p", Row: "r"}, Props: storage.Properties{}}
	_ = table.Create(ctx)
	_, _ = table.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: row})
	_, _ = table.Get(ctx, storage.Key{Partition: "p", Row: "missing"})
	for range table.Query(ctx, storage.Query{}) {
	}
	_ = queue.Create(ctx)
	_ = queue.Send(ctx, []byte("x"), 0)
	got, _ := queue.Receive(ctx, 1, time.Second)
	for _, msg := range got {
		msg, _ = queue.Extend(ctx, msg, time.Second)
		_ = queue.Delete(ctx, msg)
	}
	_, _ = queue.Length(ctx)
	_ = blobs.Create(ctx)
	_, _ = blobs.Put(ctx, "a", storage.Blob{})
	_, _ = blobs.Get(ctx, "a")
	_, _ = blobs.Exists(ctx, "a")
	for range blobs.List(ctx, "") {
	}
	_ = blobs.Delete(ctx, "a")
	_ = s.Ping(ctx)
}

// A failed operation is counted, with the kind of its fault.
func TestFailuresAreCounted(t *testing.T) {
	m := telemetry.New()
	everything(t.Context(), instrumented.Store(storagetest.Hooked(mem.New(time.Now), storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error { return fault.New(fault.Throttled, "busy") },
	}), m))
	ops := 0.0
	for _, n := range values(m, "tidemark_storage_operations_total") {
		ops += n
	}
	if diff := cmp.Diff(map[string]float64{"storage.throttled": ops}, values(m, "tidemark_errors_total")); diff != "" ||
		ops < 14 {
		t.Errorf("of %v operations (-want +have):\n%s", ops, diff)
	}
}

type fetcher struct {
	politeness.Fetcher
	err error
}

func (f fetcher) Get(context.Context, fetch.Request) (fetch.Response, error) {
	return fetch.Response{Body: make([]byte, 1000)}, f.err
}

type indexer struct {
	search.Index
	err error
}

func (x indexer) Put(context.Context, ...search.Page) error              { return x.err }
func (x indexer) Remove(context.Context, string, *search.Contents) error { return x.err }

func TestWebAndIndexAreCounted(t *testing.T) {
	m, ctx := telemetry.New(), t.Context()
	_, _ = instrumented.Web(fetcher{}, m).Get(ctx, fetch.Request{})
	_, _ = instrumented.Web(fetcher{err: fault.New(fault.Blocked, "no")}, m).Get(ctx, fetch.Request{})
	_ = instrumented.Index(indexer{}, m).Put(ctx, make([]search.Page, 3)...)
	_ = instrumented.Index(indexer{}, m).Remove(ctx, "a", nil)
	_ = instrumented.Index(indexer{err: fault.New(fault.Unavailable, "down")}, m).Put(ctx, search.Page{})
	if _, none := instrumented.Index(search.None{}, m).(search.None); !none {
		t.Error("no index looks like one")
	}
	for name, want := range map[string]map[string]float64{
		"tidemark_fetched_bytes_total": {"": 2000},
		"tidemark_index_pages_total":   {"put": 3, "remove": 1},
		"tidemark_errors_total":        {"fetch.blocked": 1, "index.unavailable": 1},
	} {
		if diff := cmp.Diff(want, values(m, name)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", name, diff)
		}
	}
}
