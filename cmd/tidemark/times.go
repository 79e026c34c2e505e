package main

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// stamp writes a moment to the second, in UTC.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// ago is relative, or a dash for a moment that never was.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return words.Relative(now, t)
}
