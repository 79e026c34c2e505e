package extract

import (
	"strings"
	"testing"
)

// TestRestOfLongLines checks that each change of a very long line is noticed, and that of its beginning only what does
// not change by itself.
func TestRestOfLongLines(t *testing.T) {
	sum := func(text string) Beyond {
		var r Rest
		r.Line(text)
		return r.Sum()
	}
	long := strings.Repeat("one two three ", 10_000)
	if sum(long+"Fee 12") == sum(long+"Fee 13") {
		t.Error("a change at the end is not noticed")
	}
	if sum("Fee 12 "+long) == sum("Fee 13 "+long) {
		t.Error("a change at the beginning is not noticed")
	}
	if sum(long) != sum(strings.ReplaceAll(long, "one ", "one  ")) {
		t.Error("blanks are a change")
	}
	if sum(strings.Repeat("日", 50_000)) == sum(strings.Repeat("日", 50_001)) {
		t.Error("a change of a line without blanks is not noticed")
	}
}
