package discover

import (
	"strings"
	"time"
)

// maxYear is the last year that four digits can write.
const maxYear = 9999

// forms are how sites write times, tried in order: the W3C profile of ISO 8601 first (sitemaps.org
// asks for it), then what is often seen in its place, then those of feeds (RFC 822 and 1123). A
// time without a zone, or with one that only has a name other than GMT, is taken for UTC. Forms that could be read as
// another day are not here.
var forms = []struct {
	layout string
	span   func(time.Time) time.Time // the end of what is named; nil for a moment
}{
	{time.RFC3339, nil}, // with any fraction of a second, which Parse takes where the layout has none
	{"2006-01-02", nextDay},
	{"2006-01-02T15:04Z07:00", nil},
	{"2006-01-02T15:04:05Z0700", nil},
	{"2006-01-02T15:04Z0700", nil},
	{"2006-01-02T15:04:05", nil},
	{"2006-01-02T15:04", nil},
	{"2006-01-02 15:04:05 Z0700", nil},
	{"2006-01-02 15:04:05Z07:00", nil},
	{"2006-01-02 15:04:05 MST", nil},
	{"2006-01-02 15:04:05", nil},
	{"2006-01-02 15:04", nil},
	{"2006-01", nextMonth},
	{"2006", nextYear},
	{"2006-1-2", nextDay},
	{"2006/01/02", nextDay},
	{"20060102", nextDay},
	{"2.1.2006", nextDay}, // dots are used where the day comes first
	{"Mon, 2 Jan 2006 15:04:05 -0700", nil},
	{"Mon, 2 Jan 2006 15:04:05 MST", nil},
	{"Mon, 2 Jan 2006 15:04 -0700", nil},
	{"Mon, 2 Jan 2006 15:04:05", nil},
	{"Mon, 2 Jan 2006", nextDay},
	{"2 Jan 2006 15:04:05 -0700", nil},
	{"2 Jan 2006 15:04:05 MST", nil},
	{"2 Jan 2006", nextDay},
	{"Jan 2, 2006", nextDay},
	{"January 2, 2006", nextDay},
}

func nextDay(t time.Time) time.Time   { return t.AddDate(0, 0, 1) }
func nextMonth(t time.Time) time.Time { return t.AddDate(0, 1, 0) }
func nextYear(t time.Time) time.Time  { return t.AddDate(1, 0, 0) }

// lastMod reads a time as sites write it; zero when it cannot be read, or is of no use as a date
// (years 0 and 1, which stand for "none" in databases).
func lastMod(text string) (t time.Time, span time.Duration) {
	const longest = 64
	if text = strings.Join(strings.Fields(text), " "); text == "" || len(text) > longest {
		return time.Time{}, 0
	}
	for _, f := range forms {
		t, err := time.Parse(f.layout, upperDesignators(text))
		if err != nil {
			continue
		}
		if t = t.UTC(); t.Year() < 2 || t.Year() > maxYear {
			return time.Time{}, 0
		}
		if f.span != nil {
			span = f.span(t).Sub(t)
		}
		return t, span
	}
	return time.Time{}, 0
}

// upperDesignators writes the T and Z of a time in capitals, which is all that Parse takes.
func upperDesignators(text string) string {
	if text[0] >= '0' && text[0] <= '9' && !strings.Contains(text, " ") {
		return strings.ToUpper(text)
	}
	return text
}
