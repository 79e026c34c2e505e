package client

import (
	"testing"
	"time"
)

func TestW3Times(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 30, 0, 0, time.FixedZone("CET", 3600))
	for text, want := range map[string]string{
		"today": "2026-03-01T00:00:00+01:00", "yesterday": "2026-02-28T00:00:00+01:00", "90m": "2026-03-01T11:00:00+01:00",
		"2d": "2026-02-27T12:30:00+01:00", "2026-01-01": "2026-01-01", "1-2-3": "1-2-3", "": "", "-1h": "-1h",
	} {
		if have := timeOf(text, now); have != want {
			t.Errorf("%q is %q, want %q", text, have, want)
		}
	}
}
