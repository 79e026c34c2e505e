package main

import (
	"fmt"
	"strings"
	"time"
)

// relative says in words how far t is from now: "3 minutes ago", "in 2 hours".
func relative(now, t time.Time) string {
	d := t.Sub(now)
	if d > -time.Second && d < time.Second {
		return "now"
	}
	if d < 0 {
		return span(-d) + " ago"
	}
	return "in " + span(d)
}

// span says a duration in its largest whole unit, rounded down.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{365 * day, "year"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int64(d / u.unit); n == 1 {
			return "1 " + u.name
		} else if n > 1 {
			return fmt.Sprintf("%d %ss", n, u.name)
		}
	}
	return "0 seconds"
}

// stamp writes a moment to the second, in UTC.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// ago is relative, or a dash for a moment that never was.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return relative(now, t)
}

// thousands writes n with a comma between thousands.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count writes n with the right form of a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return thousands(n) + " " + noun + "s"
}
