package registry

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// A3: files whose names differ only by repeated slashes are one source. Adding it under the second name is accepted,
// and noted once. The name by which the file is read stays, unless it was not read or was to be removed. Names in
// another case that the identity ignores are not noted, and neither are pages.
func TestA3OtherNameOfTheFile(t *testing.T) {
	named := func(display, host string, kind source.Type) source.Source {
		return source.Source{Type: kind, Normalized: "https://acct.example/docs/a", Display: display, Host: host,
			Scheme: "blob"}
	}
	one := named("https://acct.example/docs//a", "blob:acct:docs", source.File)
	two := named("https://acct.example/docs/a", "blob:acct:docs", source.File)
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		ask := func(name string, o RegisterOptions, read string, notes int, sources ...source.Source) {
			t.Helper()
			for _, got := range b.Items.Register(t.Context(), sources, o) {
				if got.Err != nil || got.Item.ID != one.ID() {
					t.Errorf("%s: %s, %v", name, got.Item.ID, got.Err)
				}
			}
			it, err := b.Items.Find(t.Context(), one.ID())
			noted := 0
			for _, d := range it.History {
				if d.What == "named" {
					noted++
				}
			}
			if err != nil || it.DisplaySource != read || noted != notes {
				t.Errorf("%s: read as %s, want %s, %d notes, want %d: %v, %v", name, it.DisplaySource, read, noted, notes,
					it.History, err)
			}
			b.check(t)
			b.clock.Advance(time.Second)
		}
		ask("at once", RegisterOptions{}, one.Display, 1, one, two, one)
		ask("later", RegisterOptions{Force: true}, one.Display, 1, two)
		ask("the same", RegisterOptions{Force: true}, one.Display, 1, one)
		other := one
		other.Display = "https://acct.example/DOCS//a"
		ask("in other case", RegisterOptions{Force: true}, other.Display, 1, other)
		ask("later, in other case", RegisterOptions{Force: true}, other.Display, 2, two)
		ask("by a listing", RegisterOptions{Force: true, Respell: true}, two.Display, 3, two)
		ask("read by the other name", RegisterOptions{Force: true}, two.Display, 4, one)
		b.close(t, b.begin(t, b.take(t)[0]), 1, true, func(it *Item) { it.MissingChecks = 1 })
		b.clock.Advance(time.Minute)
		ask("after a failure", RegisterOptions{Force: true}, one.Display, 4, one)
		if _, err := b.Items.Remove(t.Context(), two.ID()); err != nil {
			t.Fatal(err)
		}
		ask("after its removal", RegisterOptions{}, two.Display, 4, two)
		if _, err := b.Items.Remove(t.Context(), two.ID()); err != nil {
			t.Fatal(err)
		}
		page := source.Source{Type: source.URL, Normalized: "https://a.example/", Display: "https://a.example/",
			Host: "a.example", Scheme: "https"}
		b.Items.Register(t.Context(), []source.Source{page}, RegisterOptions{})
		page.Display = "https://ä.example/"
		if got := b.Items.Register(t.Context(), []source.Source{page}, RegisterOptions{Force: true})[0]; got.Err != nil ||
			len(got.Item.History) != 2 {
			t.Errorf("a page spelled in another way: %v, %v", got.Err, got.Item.History)
		}
	})
}
