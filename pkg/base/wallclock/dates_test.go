package wallclock

import (
	"testing"
	"time"
)

// TestY4Dates checks that dates are read in the forms that programs write (Y4).
func TestY4Dates(t *testing.T) {
	for text, want := range map[string]string{
		"Mon, 5 Jan 2026 02:30:00 EST":             "2026-01-05T02:30:00-05:00",
		"5 Jan 2026 22:30:00 PST":                  "2026-01-05T22:30:00-08:00",
		"5 Jul 2026 22:30:00 PDT":                  "2026-07-05T22:30:00-07:00",
		"Tue, 6 Jan 2026 06:30:00 CET":             "2026-01-06T06:30:00+01:00",
		"6 Jul 2026 06:30 CEST":                    "2026-07-06T06:30:00+02:00",
		"Mon, 5 Jan 2026 10:00:00 Z":               "2026-01-05T10:00:00Z",
		"Mon, 5 Jan 2026 10:00:00Z":                "2026-01-05T10:00:00Z",
		"Wed, 31 Dec 2025 23:59:60 +0000":          "2026-01-01T00:00:00Z",
		"Mon,5 Jan 2026 10:00:00 +0100":            "2026-01-05T10:00:00+01:00",
		"Mon,5Jan2026 10:00:00+0100":               "2026-01-05T10:00:00+01:00",
		"Thu (day), 8 Jan 2026 10:00 +0000 (a(b))": "2026-01-08T10:00:00Z",
		"Mon Jan  5 12:30:00 +0100 2026":           "2026-01-05T12:30:00+01:00",
		"Mon Jan  5 12:30:00 CET 2026":             "2026-01-05T12:30:00+01:00",
		"Mon, 5 Jan 2026 10:00:00 +01:00":          "2026-01-05T10:00:00+01:00",
		"Mon, 5 Jan 2026 10:00:00 GMT+0100":        "2026-01-05T10:00:00+01:00",
		"2026-01-05T12:30:00+0000":                 "2026-01-05T12:30:00Z",
		"2026-01-05T12:30:00.123Z":                 "2026-01-05T12:30:00Z",
		"Monday, 5 January 2026 12:30:00 GMT":      "2026-01-05T12:30:00Z",
		"Mon 5 Jan 2026 12:30:00 -0000":            "2026-01-05T12:30:00Z",
		"Mon, 5 Jan 2026 9:5:7 +0000":              "2026-01-05T09:05:07Z",
		"Mon, 5 Jan 2026 12.30.00 +0000":           "2026-01-05T12:30:00Z",
		"05-Jan-2026 12:30:00 +0000":               "2026-01-05T12:30:00Z",
		"Mon, 5 Jan 126 12:30:00 +0000":            "2026-01-05T12:30:00Z",
		"Mon, 5 Jan 26 12:30:00 +0000":             "2026-01-05T12:30:00Z",
		"Mon, 5 Jan 98 12:30:00 +0000":             "1998-01-05T12:30:00Z",
		"5 Jan 2026 1:30 PM +0000":                 "2026-01-05T13:30:00Z",
	} {
		got, zone, ok := ParseDate(text)
		if !ok || !zone || got.Truncate(time.Second).Format(time.RFC3339) != want {
			t.Errorf("%q: %s, zone %v, %v", text, got.Format(time.RFC3339), zone, ok)
		}
	}
	for text, want := range map[string]string{
		"Mon Jan  5 12:30:00 2026":     "2026-01-05T12:30:00Z",
		"2026-01-05 12:30:00":          "2026-01-05T12:30:00Z",
		"1999/01/31":                   "1999-01-31T00:00:00Z",
		"2026-01-05":                   "2026-01-05T00:00:00Z",
		"Mon, 5 Jan 2026 10:00:00":     "2026-01-05T10:00:00Z",
		"Mon, 5 Jan 2026 10:00:00 XYZ": "2026-01-05T10:00:00Z",
		"January 5, 2026 10:00":        "2026-01-05T10:00:00Z",
	} {
		if got, zone, ok := ParseDate(text); !ok || zone || got.Format(time.RFC3339) != want {
			t.Errorf("%q: %s, zone %v, %v", text, got.Format(time.RFC3339), zone, ok)
		}
	}
	for _, text := range []string{"", "yesterday", "10:00", "2026", "5 Jan", "32 Jan 2026", "30 Feb 2026 10:00",
		"2026-13-01",
		"5 Jan 2026 25:00 +0000", "5 Jan 2026 or later", "May", "1 2 3"} {
		if got, _, ok := ParseDate(text); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// FuzzParseDate checks that no text makes the parser panic, and that a date reads back as it is written.
func FuzzParseDate(f *testing.F) {
	f.Add("Mon, 5 Jan 2026 10:00:00 EST")
	f.Fuzz(func(t *testing.T, text string) {
		got, _, ok := ParseDate(text)
		if !ok || got.Year() > 9999 {
			return
		}
		again, zone, ok := ParseDate(got.Format(time.RFC1123Z))
		if !ok || !zone || !again.Equal(got.Truncate(time.Second)) && got.Year() > 999 {
			t.Errorf("%q: %s, and then %s", text, got, again)
		}
	})
}
