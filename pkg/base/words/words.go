// Package words writes times and numbers in English as people read them, in the same way on the command line and on
// the dashboard. It also shortens texts without breaking a character ([Clip], [ClipRunes], [Ellipsis]), and measures
// how much two words differ ([Distance]). It knows the scripts without spaces between words ([IsSpaceless]).
package words

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Stamp writes a time to the second, in UTC; "" for the zero time.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// Moment writes a time, and how far it is from now; "" for the zero time.
func Moment(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Stamp(t) + " (" + Relative(now, t) + ")"
}

// Ago writes how far t is from now; "never" for the zero time.
func Ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return Relative(now, t)
}

// Size writes a number of bytes with at most three digits.
func Size(n int64) string {
	f, units := float64(n), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; f >= 1000 && i+1 < len(units); i++ {
		f /= 1024
	}
	if i == 0 || f >= 100 {
		return fmt.Sprintf("%.0f %s", f, units[i])
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

// Percent writes a share. A small share is not rounded to zero.
func Percent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", share*100)
}

// Relative writes how far t is from now: "3 minutes ago", "in 2 hours", or "now" when the difference is below a
// second.
func Relative(now, t time.Time) string {
	d := t.Sub(now)
	switch {
	case d > -time.Second && d < time.Second:
		return "now"
	case d < 0:
		return Span(-d) + " ago"
	}
	return "in " + Span(d)
}

const day = 24 * time.Hour

// units are the units of durations, the largest first.
var units = []struct {
	unit time.Duration
	name string
}{{365 * day, "year"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}}

// Span writes a duration in its largest whole unit, rounded down: "0 seconds" below one second.
func Span(d time.Duration) string {
	for _, u := range units {
		if n := int(d / u.unit); n > 0 {
			return Count(n, u.name)
		}
	}
	return Count(0, "second")
}

// Exact writes a duration in the largest unit that divides it without a remainder: "1 day", "36 hours", "90 minutes".
// It drops fractions of a second.
func Exact(d time.Duration) string {
	return Count(whole(d))
}

// Short writes a duration as [Exact] does, in the form that requests use: "1d", "36h", "90m", "45s".
func Short(d time.Duration) string {
	n, unit := whole(d)
	return strconv.Itoa(n) + unit[:1]
}

// whole returns the largest unit that divides d without a remainder, and the number of these units.
func whole(d time.Duration) (n int, unit string) {
	for _, u := range units[1:] { // a year is no exact number of days
		if d >= u.unit && d%u.unit == 0 {
			return int(d / u.unit), u.name
		}
	}
	return int(d / time.Second), "second"
}

// Count writes n followed by the noun in the singular or plural: "1 entry", "1,200 entries". It forms the plural only
// of the nouns that the program uses.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch stem, entry := strings.CutSuffix(noun, "ry"); {
	case entry:
		noun = stem + "rie"
	case strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "ch"):
		noun += "e"
	}
	return Thousands(n) + " " + noun + "s"
}

// Thousands writes n with a comma between thousands.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// AtLeast writes n as [Thousands] does. If there may be more, it says so.
func AtLeast(n int, more bool) string {
	if more {
		return "at least " + Thousands(n)
	}
	return Thousands(n)
}

// Parts returns the parts of a text between separators, without the space around each and without empty ones.
func Parts(text, separators string) (parts []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// Set returns the words of a list, which stand between blanks, or the phrases of a list, which stand between "|".
func Set(list string) map[string]bool {
	parts := strings.Fields(list)
	if strings.Contains(list, "|") {
		parts = strings.Split(list, "|")
	}
	set := make(map[string]bool, len(parts))
	for _, part := range parts {
		set[strings.TrimSpace(part)] = true
	}
	return set
}

// Clip returns the beginning of s, of at most n bytes, without breaking a character. It cuts text that is not UTF-8
// after exactly n bytes.
func Clip(s string, n int) string {
	n = max(n, 0)
	if len(s) <= n {
		return s
	}
	for end := n; end >= 0 && end > n-utf8.UTFMax; end-- {
		if utf8.RuneStart(s[end]) {
			return s[:end]
		}
	}
	return s[:n]
}

// ClipRunes returns the beginning of s, of at most n characters.
func ClipRunes(s string, n int) string {
	count := 0
	for i := range s {
		if count >= n {
			return s[:i]
		}
		count++
	}
	return s
}

// Ellipsis returns s when it fits in n bytes. Otherwise it returns the beginning of s, of at most n bytes, followed
// by "…".
func Ellipsis(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Clip(s, n) + "…"
}
