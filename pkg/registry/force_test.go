package registry

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/storage"
)

// A16: ForceCheck makes an item due now, but not one that is gone or about to be removed.
func TestA16ForceCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		it := b.register(t, RegisterOptions{}, "https://a.example/1")[0].Item
		if err := b.Items.ForceCheck(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		woken, err := b.Items.Find(t.Context(), it.ID)
		if err != nil || !woken.Forced() || woken.NextCrawlAt.After(b.s.Now()) {
			t.Errorf("forced %v, due %s (%v)", woken.Forced(), woken.NextCrawlAt, err)
		}
		if _, err := b.Items.Remove(t.Context(), it.ID); err != nil {
			t.Fatal(err)
		}
		if err := b.Items.ForceCheck(t.Context(), woken); err != nil {
			t.Fatal(err)
		}
		if now, err := b.Items.Find(t.Context(), it.ID); err != nil || !now.RemoveRequested ||
			now.ReindexGeneration != woken.ReindexGeneration {
			t.Errorf("woken although it is to be removed: removal %v, generation %d (%v)", now.RemoveRequested,
				now.ReindexGeneration, err)
		}
		gone := parse(t, "https://a.example/2")[0]
		at := storage.Key{Partition: it.Partition(), Row: gone.Hash()}
		missing := newItem(gone, at, b.s.Now())
		if err := b.Items.ForceCheck(t.Context(), missing); err != nil {
			t.Fatal(err)
		}
		if _, found, err := b.Items.Lookup(t.Context(), gone); err != nil || found {
			t.Errorf("woken although nobody registered it: %v (%v)", found, err)
		}
		b.check(t)
	})
}
