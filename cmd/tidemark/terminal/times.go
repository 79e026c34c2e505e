package terminal

import "time"

// Minute formats a time to the minute, in UTC. It returns "-" for the zero time.
func Minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}
