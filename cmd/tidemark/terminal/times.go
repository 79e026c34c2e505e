package terminal

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Stamp formats a time to the second, in UTC.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// Minute formats a time to the minute, in UTC. It returns "-" for the zero time.
func Minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// Ago says how far t is from now. It returns "–" for the zero time.
func Ago(now, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return words.Relative(now, t)
}

// Moment formats a time, followed by how far it is from now. It returns "" for the zero time.
func Moment(now, t time.Time) string {
	return When(!t.IsZero(), "%s (%s)", Stamp(t), words.Relative(now, t))
}
