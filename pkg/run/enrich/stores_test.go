package enrich

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

// renamed gives each test tables of its own in a shared account.
type renamed struct {
	storage.Store
	suffix string
}

func (r renamed) Table(name string) storage.Table { return r.Store.Table(name + r.suffix) }

// azurite is a store in a shared account.
func azurite(t testing.TB, _ func() time.Time) storage.Store {
	settings := map[string]string{"AzureWebJobsStorage": azuritetest.Start(t).ConnectionString()}
	s, err := azure.Open(func(name string) string { return settings[name] }, azure.Options{})
	runtest.Must(t, err)
	t.Cleanup(func() { s.Close() })
	return renamed{s, rand.Text()[:12]}
}

// onStores runs a test on every store, because the promises of this package depend on theirs.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	runtest.OnStores(t, func(t *testing.T, open runtest.Open) { test(t, newRigOn(t, open)) })
	t.Run("azurite", func(t *testing.T) { test(t, newRigOn(t, azurite)) })
}

// TestD9Costs checks that a batch of 200 entries costs two reads and two writes of each, and few transactions of its
// own.
func TestD9Costs(t *testing.T) {
	var mu sync.Mutex
	ops := map[string]int{}
	r := newRig(t)
	ids := r.put("pkm", 200)
	r.Hook.Set(storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		mu.Lock()
		defer mu.Unlock()
		ops[c.Op]++
		return nil
	}})
	r.queue("pkm", ids...)
	if failures := r.advance(); failures != nil {
		t.Fatal(failures)
	}
	// Two writes of the lines, in two transactions each; the batch is created, leased, uploaded, running, its status,
	// leased, done.
	if ops["table.Transact"] != 2+2+7 || ops["entries.Load"] != 400 || ops["entries.Write"] != 400 {
		t.Errorf("%v", ops)
	}
	idle := ops["table.Query"]
	if _, err := r.s.Advance(t.Context()); err != nil || ops["table.Query"]-idle != len(schemas) {
		t.Errorf("idle: %d queries, %v", ops["table.Query"]-idle, err)
	}
}
