package registry

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

func TestFindUnknown(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		id := parse(t, "https://nowhere.example/")[0].ID()
		if _, err := b.Items.Find(t.Context(), id); !fault.Is(err, fault.NotFound) {
			t.Errorf("unknown id: %v", err)
		}
		if _, err := b.Items.Find(t.Context(), "nonsense"); !fault.Is(err, fault.Invalid) {
			t.Errorf("malformed id: %v", err)
		}
	})
}

// A16: the item of a source is found with one point read, under either strategy.
func TestA16Lookup(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
			b := open(t, Options{Strategy: strategy})
			there := parse(t, "https://a.example/page")[0]
			b.register(t, RegisterOptions{}, there.Normalized)
			if it, found, err := b.Items.Lookup(t.Context(), there); err != nil || !found || it.ID != there.ID() {
				t.Errorf("%s: found %v, item %s (%v)", strategy, found, it.ID, err)
			}
			if _, found, err := b.Items.Lookup(t.Context(), parse(t, "https://a.example/nowhere")[0]); err != nil || found {
				t.Errorf("%s: found what nobody registered (%v)", strategy, err)
			}
		}
	})
}

func TestListPagesThroughEverything(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
			b := open(t, Options{Strategy: strategy})
			b.register(t, RegisterOptions{}, append(pages("a.example", 30), pages("b.example", 7)...)...)
			for _, c := range []struct {
				host string
				want int
			}{{"", 37}, {"a.example", 30}, {"b.example", 7}, {"c.example", 0}} {
				seen := map[source.ID]bool{}
				after := ""
				for {
					items, err := b.Items.List(t.Context(), ListQuery{Host: c.host, Top: 4, After: after})
					if err != nil {
						t.Fatal(err)
					}
					for _, it := range items {
						if seen[it.ID] {
							t.Fatalf("%s is listed twice", it.ID)
						}
						seen[it.ID] = true
					}
					if len(items) < 4 {
						break
					}
					after = string(items[3].ID)
				}
				if len(seen) != c.want {
					t.Errorf("%s, host %q: %d items, want %d", strategy, c.host, len(seen), c.want)
				}
			}
			b.check(t)
		}
	})
}

// A5: with the scheme as partition, each host in it still has its own pace.
func TestA5SchemePartition(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{Strategy: source.ByScheme})
		b.register(t, RegisterOptions{}, append(pages("a.example", 2), pages("b.example", 2)...)...)
		b.take(t)
		b.clock.Advance(2 * JobTTL)
		if r, err := b.Jobs.Sweep(t.Context()); err != nil || r.Claimed != 4 || r.Jobs != 2 {
			t.Fatalf("sweep: %+v, %v", r, err)
		}
		for _, j := range b.take(t) {
			b.finish(t, b.begin(t, j))
		}
		b.check(t)
	})
}

// A5, A15: a forced check finds an item in its own partition, whatever its source is called.
func TestA5ReindexStaysInItsPartition(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
			b := open(t, Options{Strategy: strategy})
			for _, place := range []string{"/srv/tides.pdf", "https://acct.blob.core.windows.net/docs/a.md"} {
				s := source.Source{Type: source.File, Scheme: "file", Normalized: place, Display: place, Host: "srv"}
				was := b.Items.Register(t.Context(), []source.Source{s}, RegisterOptions{})[0]
				got, err := b.Items.Reindex(t.Context(), was.Item, true)
				if err != nil || was.Err != nil || got.Key() != was.Item.Key() || got.ReindexGeneration != 1 {
					t.Errorf("%s: %v is %v in generation %d (%v, %v)", strategy, was.Item.Key(), got.Key(),
						got.ReindexGeneration, was.Err, err)
				}
			}
			b.check(t)
		}
	})
}
