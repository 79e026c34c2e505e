package discover

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// maxYear is the last year with four digits.
const maxYear = 9999

// forms are the formats of times on sites, in the order in which they are tried: the W3C profile of ISO 8601, which
// sitemaps.org requires, and days as sites write them. [wallclock.ParseDate] reads what has none of these forms, as
// in feeds. A time without a zone is read as UTC. Formats that could also be read as another day are not included.
var forms = []struct {
	layout string
	span   func(time.Time) time.Time // returns the end of the day, month or year; nil for a form that gives a moment
}{
	{time.RFC3339, nil}, // also matches fractions of a second: Parse accepts these without a layout
	{"2006-01-02", nextDay},
	{"2006-01-02T15:04Z07:00", nil},
	{"2006-01-02T15:04:05Z0700", nil},
	{"2006-01-02T15:04Z0700", nil},
	{"2006-01-02T15:04:05", nil},
	{"2006-01-02T15:04", nil},
	{"2006-01", nextMonth},
	{"2006", nextYear},
	{"2006-1-2", nextDay},
	{"2006/01/02", nextDay},
	{"20060102", nextDay},
	{"2.1.2006", nextDay}, // dots are used where the day comes first
	{"Mon, 2 Jan 2006", nextDay},
	{"Monday, 2 January 2006", nextDay},
	{"2 Jan 2006", nextDay},
	{"Jan 2, 2006", nextDay},
	{"January 2, 2006", nextDay},
}

func nextDay(t time.Time) time.Time   { return t.AddDate(0, 0, 1) }
func nextMonth(t time.Time) time.Time { return t.AddDate(0, 1, 0) }
func nextYear(t time.Time) time.Time  { return t.AddDate(1, 0, 0) }

// lastMod parses a time in any of the forms. It returns the zero time if no form fits. It also returns the zero time
// for the years 0 and 1, which databases use for a missing date.
func lastMod(text string) (t time.Time, span time.Duration) {
	const longest = 100
	if text = strings.Join(strings.Fields(strings.Trim(text, `"'`)), " "); text == "" || len(text) > longest {
		return time.Time{}, 0
	}
	for _, f := range forms {
		t, err := time.Parse(f.layout, upperDesignators(text))
		if err != nil {
			continue
		}
		if f.span != nil {
			span = f.span(t).Sub(t)
		}
		return withinYears(t.UTC(), span)
	}
	t, ok := wallclock.Epoch(text)
	if !ok {
		t, _, _ = wallclock.ParseDate(text)
	}
	if !strings.Contains(text, ":") && !ok {
		span = nextDay(t).Sub(t)
	}
	return withinYears(t.UTC(), span)
}

// withinYears returns a time and its span, or zero for a year that stands for a missing date.
func withinYears(t time.Time, span time.Duration) (time.Time, time.Duration) {
	if t.Year() < 2 || t.Year() > maxYear {
		return time.Time{}, 0
	}
	return t, span
}

// upperDesignators capitalizes the T and Z of a time, because Parse accepts only capitals.
func upperDesignators(text string) string {
	if text[0] >= '0' && text[0] <= '9' && !strings.Contains(text, " ") {
		return strings.ToUpper(text)
	}
	return text
}
