package crawl

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestK12IndexWithinTheLock checks K12: nothing is written to the index once the lock on its item has ended.
func TestK12IndexWithinTheLock(t *testing.T) {
	r := newRig(t)
	for left, want := range map[time.Duration]int{0: 1, -time.Millisecond: 0} {
		clear(r.index.pages)
		j := r.newJob(&registry.Batch{Until: r.clock.now().Add(left), Permits: 1}, func() {})
		err := r.pages.put(t.Context(), j.lease, search.Page{ID: "url_x"})
		if (err == nil) != (want == 1) || len(r.index.pages) != want {
			t.Errorf("with %v left: %d pages, %v", left, len(r.index.pages), err)
		}
	}
}

// TestK12ManifestOutlivesTheCommit checks K12: an old manifest is removed after the commit that names the new one,
// not before.
func TestK12ManifestOutlivesTheCommit(t *testing.T) {
	down := false
	r := newRig(t, func(k *knobs) {
		k.store = func(s storage.Store) storage.Store {
			return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
				if down && c.Name == registry.DefaultTable {
					return fault.New(fault.Unavailable, "down")
				}
				return nil
			}})
		}
	})
	kept := r.store.Container(index.Container)
	if _, err := kept.Put(t.Context(), "url_x/old", storage.Blob{Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	j := r.newJob(&registry.Batch{Partition: "a.example", Host: "a.example", Permits: 1}, func() {})
	j.stale = []manifest{{Item: "url_x", Digest: "old"}}
	for _, down = range []bool{true, false} {
		err := j.commit(t.Context(), false)
		if there, failed := kept.Exists(t.Context(), "url_x/old"); there != down || (err != nil) != down || failed != nil {
			t.Errorf("the registry is down: %v; the old manifest is there: %v, %v, %v", down, there, err, failed)
		}
	}
}
