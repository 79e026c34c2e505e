package registry

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// TestZ5TwoItemsOfOneAddress checks that what the partitions of items show is read rightly, and that an address is
// found that has an item by each strategy.
func TestZ5TwoItemsOfOneAddress(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{Strategy: source.ByHost})
		if by, found, err := b.MadeBy(t.Context()); found || by != "" || err != nil {
			t.Errorf("without items: %q %v %v", by, found, err)
		}
		b.register(t, RegisterOptions{}, "https://a.example/", "https://b.example/", "http://a.example/x")
		if by, found, err := b.MadeBy(t.Context()); !found || by != source.ByHost || err != nil {
			t.Errorf("by host: %q %v %v", by, found, err)
		}
		if found, err := b.Twice(t.Context()); len(found) > 0 || err != nil {
			t.Errorf("%v %v", found, err)
		}
		other := b.another()
		other.s.Options.Strategy = source.ByScheme
		if err := other.Items.Register(t.Context(), parse(t, "https://b.example/"), RegisterOptions{})[0].Err; err != nil {
			t.Fatal(err)
		}
		if by, found, err := b.MadeBy(t.Context()); !found || by != "" || err != nil {
			t.Errorf("by both: %q %v %v", by, found, err)
		}
		found, err := b.Twice(t.Context())
		want := Duplicate{"https://b.example/", [2]string{"b.example", "https"}}
		if len(found) != 1 || found[0] != want || err != nil {
			t.Errorf("%v %v", found, err)
		}
	})
}
