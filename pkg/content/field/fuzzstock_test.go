package field

import (
	"strings"
	"testing"
)

// FuzzStock checks that no text makes the reader of availabilities panic, that what it reads is an availability, that a
// text that is not read has a reason, and that a denial in front is never in stock.
func FuzzStock(f *testing.F) {
	for _, text := range []string{"In stock (0)", "在庫あり、残り3点", "Nicht auf Lager?", "Only 2-3 left – 12.05.2026", "şu an yok", "1/2 (", "é\u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, why, ok := Parse(Availability, text, Hint{})
		if ok && stocks[strings.ToLower(v.Text)] != v.Text {
			t.Fatalf("%q is %q", text, v.Text)
		}
		if !ok && why == "" && strings.TrimSpace(text) != "" && strings.Trim(text, "\x00 \u200b") == text && len(text) < 40 {
			if again, _, _ := readStock(text); again.Text != "" {
				t.Fatalf("%q is %+v", text, again)
			}
		}
	})
}
