package ui

import (
	"bytes"
	"strings"
	"testing"
)

// TestU2HeadersWithoutNames checks that a table has a header row with the names of its columns, and no header row if
// it has no names (U2).
func TestU2HeadersWithoutNames(t *testing.T) {
	for _, c := range []struct{ text, want, not string }{
		{"| | |\n|-|-|\n| a | b |\n", `<thead hidden="hidden">`, "<th>"},
		{"| | Depth |\n|-|-|\n| a | b |\n", "<thead>\n<tr>\n<th role=\"none\"></th>\n<th>Depth</th>", "hidden"},
		{"| Lock | Depth |\n|-|-|\n| a | b |\n", "<thead>\n<tr>\n<th>Lock</th>\n<th>Depth</th>", "role"},
	} {
		var b bytes.Buffer
		if err := untrusted.Convert([]byte(c.text), &b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%q reads\n%s", c.text, got)
		}
	}
}
