package registry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestE17Unlink checks that an item that lost its last link says so once and is due now, that an item that is being
// checked waits, that one that was never fetched is left alone, and that a link or a person ends it (E17).
func TestE17Unlink(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		urls := append(b.checked(t, 3), "https://a.example/new", "https://a.example/unknown")
		sources := parse(t, urls...)
		b.register(t, RegisterOptions{}, urls[3])
		b.register(t, RegisterOptions{Force: true}, urls[2])
		for _, job := range b.take(t) {
			if len(job.Items) == 1 && job.Items[0].ID == sources[2].ID() {
				b.begin(t, job)
			}
		}
		unlink := func(unlinked bool, want ...bool) {
			t.Helper()
			done, err := b.Changes.Unlink(t.Context(), sources, unlinked)
			if d := cmp.Diff(want, done); d != "" || err != nil {
				t.Errorf("%v, %v", done, err)
			}
		}
		unlink(true, true, true, false, true, true)
		one := b.find(t, sources[0].ID())
		if since := one.UnlistedSince; !since.Equal(b.s.Now()) || one.NextCrawlAt.After(b.s.Now()) || one.ReindexRequested ||
			!b.find(t, sources[3].ID()).UnlistedSince.IsZero() {
			t.Errorf("since %s, due at %s", since, one.NextCrawlAt)
		}
		b.clock.Advance(time.Second)
		unlink(true, true, true, false, true, true)
		if again := b.find(t, sources[0].ID()); !again.UnlistedSince.Equal(one.UnlistedSince) {
			t.Errorf("said again: %s", again.UnlistedSince)
		}
		b.register(t, RegisterOptions{}, urls[1])
		unlink(false, true, true, true, true, true)
		for _, src := range sources[:2] {
			if it := b.find(t, src.ID()); !it.UnlistedSince.IsZero() || it.Status != Indexed {
				t.Errorf("%s: %s, %s", it.NormalizedSource, it.UnlistedSince, it.Status)
			}
		}
		b.check(t)
	})
}
