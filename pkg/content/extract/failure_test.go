package extract

import (
	"os"
	"strings"
	"testing"
)

// TestH10Failures: what comes in place of pages is recognized, and pages that speak of the same things are pages.
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

// TestH10Headings: a heading is recognized as a whole, with its apology and its signs.
func TestH10Headings(t *testing.T) {
	for heading, want := range map[string]headings{
		"Oops! Page not found.":              saysMissing,
		"404 – Seite nicht gefunden":         saysMissing | saysNumber,
		"Error 503":                          saysBroken | saysNumber,
		"Sorry, you have been blocked":       saysDenied,
		"Are you a robot?":                   saysRobot,
		"Sign in to Harbour":                 saysLogin,
		"We’ll be right back":                saysClosed,
		"How to mend: page not found":        0,
		"Page not found in the old register": 0,
		"404 ways to leave the harbour":      0,
		"Error handling":                     0,
		"Something":                          0,
		"Login errors and what they mean":    0,
		strings.Repeat("Not found ", 20):     0,
		"":                                   0,
	} {
		if have := headingsOf(heading); have != want {
			t.Errorf("%q: have %b, want %b", heading, have, want)
		}
	}
}
