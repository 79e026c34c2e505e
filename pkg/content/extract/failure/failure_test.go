package failure

import (
	"strings"
	"testing"
)

// TestH10Headings checks that a heading is recognized only as a whole, with its apology and its signs.
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
