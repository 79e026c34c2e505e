package registry

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// A3: files whose names differ only by repeated slashes are one source. A registration of the second name fails, at
// once or later, until the first file is gone. Names that differ only by case that the identity ignores are not
// refused, and neither are pages.
func TestA3OtherFileOfTheSource(t *testing.T) {
	named := func(display, host string, kind source.Type) source.Source {
		return source.Source{Type: kind, Normalized: "https://acct.example/docs/a", Display: display, Host: host,
			Scheme: "blob"}
	}
	one := named("https://acct.example/docs//a", "blob:acct:docs", source.File)
	two := named("https://acct.example/docs/a", "blob:acct:docs", source.File)
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		ask := func(name string, o RegisterOptions, refused bool, s source.Source) Item {
			t.Helper()
			got := b.Items.Register(t.Context(), []source.Source{s}, o)[0]
			if refused != (fault.FieldOf(got.Err) == "path") || !refused && got.Err != nil {
				t.Errorf("%s: %v", name, got.Err)
			}
			b.check(t)
			b.clock.Advance(time.Second)
			return got.Item
		}
		both := b.Items.Register(t.Context(), []source.Source{one, two, one}, RegisterOptions{})
		if both[0].Err != nil || fault.FieldOf(both[1].Err) != "path" || both[2].Err != nil {
			t.Errorf("at once: %v, %v, %v", both[0].Err, both[1].Err, both[2].Err)
		}
		ask("later", RegisterOptions{}, true, two)
		ask("by force", RegisterOptions{Force: true}, true, two)
		ask("the same", RegisterOptions{Force: true}, false, one)
		other := one
		other.Display = "https://acct.example/DOCS//a"
		ask("in other case", RegisterOptions{Force: true}, false, other)
		if it := ask("by a listing", RegisterOptions{Force: true, Respell: true}, false,
			two); it.DisplaySource != two.Display {
			t.Errorf("read as %s", it.DisplaySource)
		}
		if _, err := b.Items.Remove(t.Context(), two.ID()); err != nil {
			t.Fatal(err)
		}
		ask("after its removal", RegisterOptions{}, false, one)
		page := source.Source{Type: source.URL, Normalized: "https://a.example/", Display: "https://a.example/",
			Host: "a.example", Scheme: "https"}
		ask("a page", RegisterOptions{}, false, page)
		page.Display = "https://ä.example/"
		ask("a page spelled in another way", RegisterOptions{Force: true}, false, page)
	})
}
