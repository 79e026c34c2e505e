package mailimport_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/enrich"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/mailimport"
	"github.com/tidemark/tidemark/pkg/mbox/mboxtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

// rig is imports over what a hook leaves of a store, and a folder of files.
type rig struct {
	*testing.T
	*mailimport.Service
	now   time.Time
	store storage.Store
	kept  *entries.Store
	hook  storagetest.Hooks
	root  string
	tier1 tier1
	turn  time.Duration
	index entries.Index
}

func (r *rig) Before(ctx context.Context, c storagetest.Call) error { return r.hook.Before(ctx, c) }

func (r *rig) After(ctx context.Context, c storagetest.Call, err error) error {
	return r.hook.After(ctx, c, err)
}

// tier1 takes batches, or fails.
type tier1 struct {
	batches [][]string
	fail    error
}

func (t *tier1) Schedule(_ context.Context, _ string, ids []string) (enrich.Batch, error) {
	if t.fail != nil {
		return enrich.Batch{}, t.fail
	}
	t.batches = append(t.batches, append([]string{}, ids...))
	return enrich.Batch{Lines: len(ids)}, nil
}

// ids are the entries that were enqueued, each once.
func (t *tier1) ids() map[string]bool {
	out := map[string]bool{}
	for _, b := range t.batches {
		for _, id := range b {
			out[id] = true
		}
	}
	return out
}

type noTransport struct{}

func (noTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fault.New(fault.Internal, "the network was asked for %s", r.URL)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openMem(*testing.T) storage.Store { return mem.New(time.Now) }

func openEmbedded(t *testing.T) storage.Store {
	dir, err := os.MkdirTemp("/dev/shm", "tidemark-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := sqlitestore.Open(dir, sqlitestore.Options{})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newRig works a piece for each message.
func newRig(t *testing.T, open func(*testing.T) storage.Store) *rig {
	t.Helper()
	r := &rig{T: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), store: open(t), root: t.TempDir(), turn: -1}
	r.process()
	must(t, r.kept.Create(t.Context()))
	must(t, r.Create(t.Context()))
	return r
}

// process begins a new one, which knows nothing of what the last had in memory.
func (r *rig) process() {
	r.Helper()
	clock := func() time.Time { return r.now }
	seen := storagetest.Hooked(r.store, r)
	r.kept = entries.New(seen, entries.Options{Clock: clock, Index: r.index})
	root, err := mailimport.ParseRoot(r.root, "")
	must(r.T, err)
	files, err := file.New(file.Config{Root: root.Folder(), RootName: "EMAIL_IMPORT_ROOT", Setting: func(string) string { return "" }, Transport: noTransport{}})
	must(r.T, err)
	r.Service = mailimport.New(seen, files, r.kept, &r.tier1, mailimport.Options{
		Root: root, Clock: clock, Turn: r.turn, Token: func() string { return "token" },
	})
}

// write makes a file of mails and says what it holds.
func (r *rig) write(name string, o mboxtest.Options) mboxtest.Made {
	r.Helper()
	f, err := os.Create(filepath.Join(r.root, name))
	must(r.T, err)
	made, err := mboxtest.Write(f, o)
	must(r.T, errors.Join(err, f.Close()))
	return made
}

// text makes a file of that text.
func (r *rig) text(name, body string) {
	r.Helper()
	must(r.T, os.WriteFile(filepath.Join(r.root, name), []byte(body), 0o644))
}

// start begins an import, as later as that no two have the same id.
func (r *rig) start(q mailimport.Request) mailimport.Import {
	r.Helper()
	r.now = r.now.Add(time.Second)
	im, err := r.Start(r.Context(), q)
	must(r.T, err)
	return im
}

// finish has an import come to its end as the app does: what fails is tried again, and the sweep looks
// after what stands still.
func (r *rig) finish(id string) mailimport.Import {
	r.Helper()
	q := r.store.Queue(mailimport.Queue)
	for range 2000 {
		im, err := r.Get(r.Context(), id)
		if err == nil && im.Over() {
			return im
		}
		got, err := q.Receive(r.Context(), 1, time.Minute)
		must(r.T, err)
		if len(got) == 0 {
			r.now = r.now.Add(5 * time.Minute)
			_, _ = r.Resume(r.Context()) // fails as everything does
			continue
		}
		if r.Step(r.Context(), got[0].Body) == nil {
			must(r.T, q.Delete(r.Context(), got[0]))
		} else {
			r.process()
			_, err := q.Extend(r.Context(), got[0], 0)
			must(r.T, err)
		}
	}
	r.Fatal("the import does not end")
	return mailimport.Import{}
}

// run imports a file and gives how it ended.
func (r *rig) run(q mailimport.Request) mailimport.Import {
	r.Helper()
	return r.finish(r.start(q).ID)
}

// rows are the entries of a schema by id.
func (r *rig) rows(table string) map[string]storage.Entity {
	r.Helper()
	out := map[string]storage.Entity{}
	for row, e := range r.all(table) {
		if strings.HasPrefix(row, "e|") {
			out[e.Props["id"].(string)] = e
		}
	}
	return out
}

// all are the rows of a table by row key.
func (r *rig) all(table string) map[string]storage.Entity {
	r.Helper()
	out := map[string]storage.Entity{}
	for e, err := range r.store.Table(table).Query(r.Context(), storage.Query{}) {
		must(r.T, err)
		out[e.Row] = e
	}
	return out
}
