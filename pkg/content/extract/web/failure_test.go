package web

import (
	"os"
	"strings"
	"testing"
)

// TestH10Failures checks that failures are recognized, and that pages about the same subjects are not failures.
func TestH10Failures(t *testing.T) {
	data, err := os.ReadFile("testdata/failures/pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("The server answers so when it will not let somebody in. ", 40)
	count := map[bool]int{}
	for _, part := range strings.Split(string(data), "\n-- ")[1:] {
		head, html, _ := strings.Cut(part, " --\n")
		name, want, _ := strings.Cut(head, ":")
		if want = strings.TrimSpace(want); want != "" {
			want += " came instead of the page"
		}
		have, _, _ := strings.Cut(extractString(t, strings.ReplaceAll(html, "LONG", long)).Failure, ": “")
		if have != want {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
		count[want != ""]++
	}
	if count[true] < 20 || count[false] < 10 {
		t.Errorf("%d failures and %d pages were read", count[true], count[false])
	}
}
