package storage

import "time"

// TimeLayout is the format of times in rows: UTC, fixed width, sortable as text, in milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime formats a time for a row. The zero time gives "".
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(TimeLayout)
}

// ParseTime parses the output of FormatTime. Any other text gives the zero time.
func ParseTime(s string) time.Time {
	t, err := time.Parse(TimeLayout, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
