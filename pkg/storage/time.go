package storage

import "time"

// TimeLayout is the format of times in rows: UTC in milliseconds, with a fixed width, sortable as text.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime formats a time for a row. It returns "" for the zero time.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(TimeLayout)
}

// ParseTime parses the output of FormatTime. It returns the zero time for any other text.
func ParseTime(s string) time.Time {
	t, err := time.Parse(TimeLayout, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
