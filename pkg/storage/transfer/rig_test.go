package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

// plan returns the plan of an app whose state the tests move.
func plan() transfer.Plan {
	items, index, hints := registry.Tables("")
	return transfer.Plan{
		Tables:     []string{snapshot.RunsTable, snapshot.RefsTable, snapshot.CapturesTable, index, items},
		Containers: []string{snapshot.Container},
		Hints:      hints,
		Thaw: func(table string, e storage.Entity) (storage.Entity, storage.Entity, bool) {
			if table != items {
				return e, storage.Entity{}, false
			}
			return registry.Thaw(e)
		},
	}
}

func register(t testing.TB, s storage.Store, now func() time.Time) *registry.Registry {
	t.Helper()
	return registry.New(s, registry.Options{
		Clock:      now,
		Politeness: func(string) policy.Politeness { return policy.Politeness{MaxConcurrent: 100} },
	})
}

const (
	hosts    = 3
	perHost  = 70 // more than one transaction holds, and more than a host may have in its queue
	captures = 70 // more than one batch of blobs
)

// filled returns a store with hosts, items (some of them claimed, some locked) and captures.
func filled(t testing.TB) storage.Store {
	t.Helper()
	store := mem.New(atNoon)
	reg, snaps := register(t, store, atNoon), snapshot.New(store)
	if err := errors.Join(reg.Create(t.Context()), snaps.Create(t.Context())); err != nil {
		t.Fatal(err)
	}
	var all []source.Source
	for h := range hosts {
		for n := range perHost {
			s, err := source.DefaultRules().ParseURL(fmt.Sprintf("https://h%d.example/page/%d?q=<ü>", h, n))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
	}
	for _, r := range reg.Items.Register(t.Context(), all, registry.RegisterOptions{}) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	lockSome(t, store, reg)
	for n, s := range all[:captures] {
		body := fmt.Appendf(nil, "page %d", n)
		if n%2 == 0 { // some are stored compressed
			body = fmt.Appendf(nil, "page %d%s", n, strings.Repeat(" of the tide", 100))
		}
		c := snapshot.Capture{ItemID: s.ID(), RawHash: snapshot.Hash(body), CapturedAt: noon,
			Header: map[string][]string{"A": {"<b>"}}}
		if _, err := snaps.Save(t.Context(), c, body, snapshot.Had{}); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// lockSome makes a worker begin the first jobs and die.
func lockSome(t testing.TB, s storage.Store, reg *registry.Registry) {
	t.Helper()
	messages, err := s.Queue(registry.JobQueue).Receive(t.Context(), 2, time.Minute)
	if err != nil || len(messages) != 2 {
		t.Fatal(len(messages), err)
	}
	for _, m := range messages {
		job, err := registry.ParseJob(m.Body)
		if err == nil {
			_, err = reg.Jobs.Begin(t.Context(), job)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func export(t testing.TB, store storage.Store) (dir string) {
	t.Helper()
	dir = filepath.Join(storagetest.TempDir(t), "state")
	r, err := transfer.Export(t.Context(), store, dir, plan(), transfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Blobs != captures || r.Rows < hosts*perHost*2 {
		t.Errorf("exported %+v", r)
	}
	return dir
}

// dump returns every row of a state, including hints.
func dump(t testing.TB, s storage.Store) map[string]storage.Properties {
	t.Helper()
	rows, err := storagetest.Dump(t.Context(), s, append(plan().Tables, plan().Hints)...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func manifest(t testing.TB, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func embedded(t testing.TB) storage.Store {
	t.Helper()
	s, err := sqlitestore.Open(storagetest.TempDir(t), sqlitestore.Options{Now: atNoon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func inAzurite(t testing.TB) storage.Store {
	t.Helper()
	conn := azuritetest.Start(t).ConnectionString()
	s, err := azure.Open(func(name string) string {
		return map[string]string{"AzureWebJobsStorage": conn}[name]
	}, azure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

var errPulled = errors.New("the plug was pulled")

// failing returns a store whose nth call and all later ones fail. The nth call fails before or after it takes effect.
func failing(s storage.Store, n int, after bool) (storage.Store, func() bool) {
	calls := make(chan int, 1)
	calls <- 0
	dead := func(count int) bool {
		c := <-calls + count
		calls <- c
		return c >= n
	}
	return storagetest.Hooked(s, storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			c := <-calls + 1
			calls <- c
			if c > n || c == n && !after {
				return errPulled
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if dead(0) {
				return errPulled
			}
			return err
		},
	}), func() bool { return dead(0) }
}

func checked(t *testing.T, reg *registry.Registry) {
	t.Helper()
	found, err := reg.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}
