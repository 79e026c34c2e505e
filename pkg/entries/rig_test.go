package entries

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type opener func(t *testing.T) storage.Store

func openMem(*testing.T) storage.Store { return mem.New(time.Now) }

func openEmbedded(t *testing.T) storage.Store {
	s, err := sqlitestore.Open(storagetest.TempDir(t), sqlitestore.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// renamed gives each test tables of its own in a shared account.
type renamed struct {
	storage.Store
	suffix string
}

func (r renamed) Table(name string) storage.Table { return r.Store.Table(name + r.suffix) }

func openAzurite(t *testing.T) storage.Store {
	settings := map[string]string{"AzureWebJobsStorage": azuritetest.Start(t).ConnectionString()}
	s, err := azure.Open(func(name string) string { return settings[name] }, azure.Options{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return renamed{s, rand.Text()[:12]}
}

var stores = map[string]opener{"mem": openMem, "embedded": openEmbedded, "azurite": openAzurite}

// onStores runs a test on every store, because the promises of this package depend on theirs.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { test(t, newRig(t, open)) })
	}
}

// rig is a store with a stopped clock, and a hook around its storage.
type rig struct {
	*testing.T
	*Store
	under storage.Store // without the hook
	now   time.Time
	hook  storagetest.Hooks
	reads atomic.Int64
	index shelf
}

func (r *rig) Before(ctx context.Context, c storagetest.Call) error {
	if c.Op == "table.Get" {
		r.reads.Add(1)
	}
	return r.hook.Before(ctx, c)
}

func (r *rig) After(ctx context.Context, c storagetest.Call, err error) error {
	return r.hook.After(ctx, c, err)
}

func newRig(t *testing.T, open opener) *rig {
	t.Helper()
	r := &rig{T: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), under: open(t)}
	r.index = shelf{hook: r, pages: map[string]search.Page{}}
	r.Store = r.another()
	must(t, r.Create(t.Context()))
	must(t, r.o.Feed.Create(t.Context()))
	_, err := r.o.Feed.Segment(t.Context()) // read once per process
	must(t, err)
	r.reads.Store(0)
	return r
}

// another is the store of a second process.
func (r *rig) another() *Store {
	return New(storagetest.Hooked(r.under, r), Options{Clock: func() time.Time { return r.now }, Index: &r.index,
		Feed: feed.Open(storagetest.Hooked(r.under, r), func() time.Time { return r.now })})
}

// insert stores an entry in production.
func (r *rig) insert(f entry.Fields) (Result, error) { return r.In(Production).Insert(r.Context(), f) }

func (r *rig) inserted(f entry.Fields) Result {
	r.Helper()
	res, err := r.insert(f)
	must(r.T, err)
	return res
}

// keyed is a thought with keys; an empty key is left out.
func keyed(policy, primary, secondary string, more entry.Fields) entry.Fields {
	f := entry.Fields{"source": "telegram"}
	setKeys(f, keysOf(policy, primary, secondary))
	maps.Copy(f, more)
	return f
}

func keysOf(policy, primary, secondary string) entry.Keys {
	return entry.Keys{Policy: policy, Primary: primary, Secondary: secondary}
}

func setKeys(f entry.Fields, k entry.Keys) {
	for name, value := range map[string]string{
		"idempotency_policy_key": k.Policy, "idempotency_key_primary": k.Primary, "idempotency_key_secondary": k.Secondary,
	} {
		if f[name] = value; value == "" {
			f[name] = nil
		}
	}
}

// rows reads the entries of production. It fails when a key row is missing, wrong or superfluous, or when an entry is
// neither in the index as stored nor in the outbox.
func (r *rig) rows() []entry.Fields {
	r.Helper()
	all, keys, want, outboxed := []entry.Fields{}, map[string]string{}, map[string]string{}, map[string]bool{}
	for e, err := range r.under.Table(tableOf[Production].entries).Query(r.Context(), storage.Query{}) {
		must(r.T, err)
		if strings.HasPrefix(e.Row, outboxPrefix) {
			outboxed[idAt(outboxEntryOf(e).entry())] = true
			continue
		}
		if strings.HasPrefix(e.Row, newsPrefix) {
			continue
		}
		if !strings.HasPrefix(e.Row, rowText) {
			keys[e.Partition+" "+e.Row], _ = e.Props["entry_id"].(string)
			continue
		}
		got, err := rowOf(e)
		must(r.T, err)
		all = append(all, got.fields)
		k := entry.KeysOf(got.fields)
		for which, key := range map[string]string{"p": k.Primary, "s": k.Secondary} {
			if key != "" {
				at := keyRow(k.Policy, which, key)
				if want[at.Partition+" "+at.Row] != "" {
					r.Errorf("two entries have the key %s", key)
				}
				want[at.Partition+" "+at.Row] = got.fields.Text("id")
			}
		}
	}
	if have, want := asJSON(r.T, keys), asJSON(r.T, want); have != want {
		r.Errorf("key rows: have %s\nwant %s", have, want)
	}
	for _, f := range all {
		if diff := r.index.differs(f); diff != "" && !outboxed[f.Text("id")] {
			r.Errorf("%s is not in the outbox, and the index differs (-want +have):\n%s", f.Text("id"), diff)
		}
	}
	return all
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

func save(t *testing.T, s *Session, p Policy) {
	t.Helper()
	_, err := s.SavePolicy(t.Context(), p)
	must(t, err)
}
