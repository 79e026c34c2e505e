package field

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// FuzzStock checks that no text makes the reader of availabilities panic, that what it reads is an availability, and
// that a text that is not read has a reason.
func FuzzStock(f *testing.F) {
	for _, text := range []string{"In stock (0)", "在庫あり、残り3点", "Nicht auf Lager?", "Only 2-3 left – 12.05.2026",
		"şu an yok", "1/2 (", "e\u0301", "(", "12. ", ": 5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, why, ok := Parse(Availability, text, Hint{})
		if ok && stocks[strings.ToLower(v.Text)] != v.Text {
			t.Fatalf("%q is %q", text, v.Text)
		}
		if !ok && why == "" && dom.Fold(text) != "" {
			t.Fatalf("%q is not read, without a reason", text)
		}
	})
}
