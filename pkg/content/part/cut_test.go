package part_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// W22: TestW22CutLines checks that a view may end within a line of which a part counts, and that of a line in which
// much differs, what does not count is listed once.
func TestW22CutLines(t *testing.T) {
	page := func(price, seen string) string {
		return "<main><h1>Lamp</h1><p>Price: " + price + " EUR, <b class=seen>" +
			strings.Repeat("seen "+seen+" times and ", 3) + "</b> in the shop since the month of May.</main>"
	}
	r := part.NewReader(watch.Spec{Exclude: []string{".seen"}})
	was, is := page("79", "12"), page("84", "13")
	before, after := read(t, r, was), read(t, r, is)
	x, y := text(t, was), text(t, is)
	for cut := range len(x) {
		for l := range part.Ignored(before.Page(x[:cut]), after.Page(y[:cut])) {
			if strings.Contains(l.Text, "79") || strings.Count(l.Text, "seen") > 3 {
				t.Fatalf("%q of %q", l.Text, x[:cut])
			}
		}
	}
}
