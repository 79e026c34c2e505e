package ui

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// iso formats a time for programs.
func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// rfc3339 formats a time as forms send it; "" for the zero time.
func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return iso(t)
}

// at parses a time that an entry stores as text. It returns the zero time if the entry has none.
func at(text string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return t
}

// dayName returns the name of the day that begins at a time, such as today, in the zone of that time.
func dayName(now, day time.Time) string {
	begin := func(days int) time.Time {
		year, month, date := now.In(day.Location()).Date()
		return time.Date(year, month, date-days, 0, 0, 0, 0, day.Location())
	}
	switch {
	case day.Equal(begin(0)):
		return "Today"
	case day.Equal(begin(1)):
		return "Yesterday"
	}
	return day.Format("Monday, 2 January 2006")
}

// share returns a part of a whole in percent, for the width of a bar.
func share(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// known formats a number or a flag that may be missing.
func known(v any) string {
	switch v := v.(type) {
	case *int64:
		if v != nil {
			return words.Thousands(int(*v))
		}
	case *float64:
		if v != nil {
			return fmt.Sprintf("%.2f", *v)
		}
	case *bool:
		if v != nil {
			return map[bool]string{true: "yes", false: "no"}[*v]
		}
	}
	return "–"
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// short returns the beginning of a digest, long enough to distinguish the digest from others.
func short(digest string) string { return digest[:min(12, len(digest))] }

// some returns the first names, followed by the number of the others.
func some(names []string) string {
	const some = 3
	if len(names) <= some {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:some], ", ") + " and " + words.Count(len(names)-some, "other")
}

// external returns a crawled address if it is safe as the target of a link. It returns "" for other addresses, such
// as that of a script.
func external(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
