package enrich

import (
	"context"
	"crypto/rand"
	"os"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

// renamed gives each test tables of its own in a shared account.
type renamed struct {
	storage.Store
	suffix string
}

func (r renamed) Table(name string) storage.Table { return r.Store.Table(name + r.suffix) }

// onStores runs a test on every store; what it promises rests on theirs.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Run("mem", func(t *testing.T) { test(t, newRig(t)) })
	t.Run("embedded", func(t *testing.T) {
		dir, err := os.MkdirTemp("/dev/shm", "tidemark-") // what a sync is worth is shown in package sqlitestore
		if err != nil {
			dir = t.TempDir()
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		s, err := sqlitestore.Open(dir, sqlitestore.Options{})
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		test(t, newRig(t, func(storage.Store) storage.Store { return s }))
	})
	t.Run("azurite", func(t *testing.T) {
		settings := map[string]string{"AzureWebJobsStorage": azuritetest.Start(t).ConnectionString()}
		s, err := azure.Open(func(name string) string { return settings[name] }, azure.Options{})
		must(t, err)
		t.Cleanup(func() { s.Close() })
		test(t, newRig(t, func(storage.Store) storage.Store { return renamed{s, rand.Text()[:12]} }))
	})
}

// A batch of 200 entries costs two reads and two writes of each, and few transactions of its own.
func TestD9Costs(t *testing.T) {
	var mu sync.Mutex
	ops := map[string]int{}
	r := newRig(t, func(st storage.Store) storage.Store {
		return storagetest.Hooked(st, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			mu.Lock()
			defer mu.Unlock()
			ops[c.Op]++
			return nil
		}})
	})
	ids := r.put("pkm", 200)
	loads, before := 0, r.entries.Writes()
	r.entries.Hook = func(op string, after bool) error {
		mu.Lock()
		defer mu.Unlock()
		if op == "load" {
			loads++
		}
		return nil
	}
	clear(ops)
	r.queue("pkm", ids...)
	if failures := r.advance(); failures != nil {
		t.Fatal(failures)
	}
	// Lines twice in two, the batch made, leased, running, its status, leased, done.
	if have := ops["table.Transact"]; have != 2+2+6 || loads != 400 || r.entries.Writes()-before != 400 {
		t.Errorf("%d transactions, %d loads and %d writes of entries", have, loads, r.entries.Writes()-before)
	}
	idle := ops["table.Query"]
	if _, err := r.s.Advance(t.Context()); err != nil || ops["table.Query"]-idle != len(schemas) {
		t.Errorf("idle: %d queries, %v", ops["table.Query"]-idle, err)
	}
}
