package storage

import "time"

// TimeLayout is how rows hold times: UTC, fixed width, sortable as text, to the millisecond.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime writes a time for a row; the zero time is "".
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(TimeLayout)
}

// ParseTime reads what FormatTime wrote; anything else is the zero time.
func ParseTime(s string) time.Time {
	t, err := time.Parse(TimeLayout, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
