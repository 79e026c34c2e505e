package entry

import (
	"strings"
	"testing"
)

// TestS1TrimURL checks which characters are trimmed off an address, and that a text full of them ends within the time
// limit of the test (S1).
func TestS1TrimURL(t *testing.T) {
	const flood = 4 << 20
	for raw, want := range map[string]string{
		"http://x/a":                               "http://x/a",
		"http://x/a.)":                             "http://x/a",
		"http://x/a_(b)":                           "http://x/a_(b)",
		"http://x/a_(b)).":                         "http://x/a_(b)",
		"http://x/(a]).]":                          "http://x/(a])",
		"http://x/[a]](b)?":                        "http://x/[a]](b)",
		"http://x/" + strings.Repeat("]", flood):   "http://x/",
		"http://x/" + strings.Repeat(").]", 1<<20): "http://x/",
	} {
		if have := trimURL(raw); have != want {
			t.Errorf("%.30s: have %.60s, want %s", raw, have, want)
		}
	}
}
