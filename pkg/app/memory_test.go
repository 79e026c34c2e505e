package app

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// TestQ8MemoryIsTransferred checks that an export of the state and a backup have what is remembered of a page's lines
// (Q8).
func TestQ8MemoryIsTransferred(t *testing.T) {
	const id source.ID = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	want := linememory.Memory{Slots: []linememory.Slot{{ID: "a", Line: "12 boats", Since: time.Unix(1e9, 0).UTC()}}}
	l := newEmbedded(t)
	cfg, err := Load(l.setting)
	must(t, err)
	plan := StatePlan(cfg)
	createAll := func(s storage.Store) {
		for _, table := range append(plan.Tables[:len(plan.Tables):len(plan.Tables)], plan.Hints) {
			must(t, s.Table(table).Create(t.Context()))
		}
		for _, c := range plan.Containers {
			must(t, s.Container(c).Create(t.Context()))
		}
	}
	createAll(l.store)
	must(t, registry.NewFieldLog(l.store).Remember(t.Context(), id, want))
	dir := filepath.Join(t.TempDir(), "state")
	_, err = transfer.Export(t.Context(), l.store, dir, plan, transfer.Options{})
	must(t, err)
	imported := newEmbedded(t)
	createAll(imported.store)
	_, err = transfer.Import(t.Context(), dir, imported.store, plan, transfer.Options{})
	must(t, err)
	for name, s := range map[string]storage.Store{"import": imported.store, "backup": l.restored(l.backup()).store} {
		have, err := registry.NewFieldLog(s).Memory(t.Context(), id)
		if diff := cmp.Diff(want, have); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// newEmbedded returns an app on an embedded store, which is not started.
func newEmbedded(t *testing.T) *local {
	t.Helper()
	l := &local{t: t, log: newHostLog(), env: map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": t.TempDir()}}
	var err error
	l.store, err = OpenStore(l.setting, nil)
	must(t, err)
	t.Cleanup(func() { _ = l.store.Close() })
	return l
}
