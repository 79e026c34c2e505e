package words

import (
	"slices"
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, row := range []struct{ have, want string }{
		{Relative(now, now.Add(-999*time.Millisecond)), "now"},
		{Relative(now, now.Add(-time.Second)), "1 second ago"},
		{Relative(now, now.Add(2*time.Hour+59*time.Minute)), "in 2 hours"},
		{Relative(now, now.Add(-400*day)), "1 year ago"},
		{Span(0), "0 seconds"},
		{Span(59 * time.Second), "59 seconds"},
		{Span(364 * day), "364 days"},
		{Exact(24 * time.Hour), "1 day"},
		{Exact(36 * time.Hour), "36 hours"},
		{Exact(90 * time.Minute), "90 minutes"},
		{Exact(3601 * time.Second), "3,601 seconds"},
		{Exact(0), "0 seconds"},
		{Short(24 * time.Hour), "1d"},
		{Short(36 * time.Hour), "36h"},
		{Short(90 * time.Minute), "90m"},
		{Short(3601 * time.Second), "3601s"},
		{Short(0), "0s"},
		{Count(1, "entry"), "1 entry"},
		{Count(0, "entry"), "0 entries"},
		{Count(2, "address"), "2 addresses"},
		{Count(2, "batch"), "2 batches"},
		{Count(1200, "page"), "1,200 pages"},
		{Thousands(999), "999"},
		{Thousands(1234567), "1,234,567"},
		{Thousands(-1234), "-1,234"},
		{Thousands(-123), "-123"},
	} {
		if row.have != row.want {
			t.Errorf("%q, want %q", row.have, row.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, row := range []struct {
		text string
		n    int
		want string
	}{
		{"tide", 4, "tide"}, {"tides", 4, "tide"}, {"tide", 0, ""}, {"tide", -1, ""}, {"", 3, ""},
		{"aä", 2, "a"}, {"aä", 3, "aä"}, {"€€", 5, "€"}, {"€", 2, ""}, {"😀", 3, ""}, {"a\xff", 1, "a"},
		{"\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80"},
	} {
		if have := Clip(row.text, row.n); have != row.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", row.text, row.n, have, row.want)
		}
	}
}

func TestClipRunes(t *testing.T) {
	for _, row := range []struct {
		text string
		n    int
		want string
	}{
		{"tide", 4, "tide"}, {"tides", 4, "tide"}, {"tide", 0, ""}, {"äöü", 2, "äö"}, {"a\xff\xffb", 2, "a\xff"}, {"", 1, ""},
	} {
		if have := ClipRunes(row.text, row.n); have != row.want {
			t.Errorf("ClipRunes(%q, %d) = %q, want %q", row.text, row.n, have, row.want)
		}
	}
}

func TestEllipsis(t *testing.T) {
	for _, row := range []struct {
		text string
		n    int
		want string
	}{{"tide", 4, "tide"}, {"tides", 4, "tide…"}, {"aä", 2, "a…"}, {"", 0, ""}} {
		if have := Ellipsis(row.text, row.n); have != row.want {
			t.Errorf("Ellipsis(%q, %d) = %q, want %q", row.text, row.n, have, row.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, row := range []struct {
		a, b string
		most int
		want int
	}{
		{"", "", 2, 0}, {"tide", "tide", 2, 0}, {"tide", "tides", 2, 1}, {"tide", "ride", 2, 1}, {"tide", "tdie", 2, 1},
		{"tide", "", 4, 4}, {"kitten", "sitting", 9, 3}, {"ä", "ö", 1, 1}, {"tide", "mark", 1, 2}, {"ca", "abc", 9, 3},
	} {
		if have := Distance([]rune(row.a), []rune(row.b), row.most); have != row.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", row.a, row.b, row.most, have, row.want)
		}
	}
}

// TestParts checks that a list is split at every separator, without space and empty parts.
func TestParts(t *testing.T) {
	if got := Parts(" a b ,, c;d\r\n", ",;\n"); !slices.Equal(got, []string{"a b", "c", "d"}) {
		t.Errorf("%q", got)
	}
	if got := Parts(" , ", ","); got != nil {
		t.Errorf("%q", got)
	}
}
