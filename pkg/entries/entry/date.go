package entry

import (
	netmail "net/mail"
	"strings"
	"time"
	_ "time/tzdata" // day buckets must not depend on the machine's installed zones
)

// chicago is the time zone of the days of newsletters.
var chicago = func() *time.Location {
	l, err := time.LoadLocation("America/Chicago")
	if err != nil {
		panic(err) // Unreachable: the data is compiled in.
	}
	return l
}()

// dayBucket is the day in Chicago of a date, written as in mails (RFC 5322) or by programs (RFC 3339). A date without
// a time is its own day. ok is false for anything else.
func dayBucket(date string) (day string, ok bool) {
	if t, err := time.Parse(time.DateOnly, strings.TrimSpace(date)); err == nil {
		return t.Format(time.DateOnly), true
	}
	t, ok := timeOf(date)
	if !ok {
		return "", false
	}
	return t.In(chicago).Format(time.DateOnly), true
}

// timeOf parses a date with a time.
func timeOf(date string) (t time.Time, ok bool) {
	date = strings.TrimSpace(date)
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		t, err = netmail.ParseDate(date)
	}
	return t, err == nil
}

// OlderMail reports whether a mail was written before the one that an entry holds, according to their headers. It is
// false unless both have a time. A time in the future does not count: a wrong clock must not keep newer mails out of
// a thread.
func (f Fields) OlderMail(entry Fields, now time.Time) bool {
	const ahead = 24 * time.Hour // allowed difference between clocks
	written, known := f.Written()
	present, alsoKnown := entry.Written()
	return known && alsoKnown && written.Before(present) && !present.After(now.Add(ahead))
}

// Written is the time in a mail's header.
func (f Fields) Written() (t time.Time, ok bool) {
	metadata, _ := f["metadata"].(map[string]any)
	email, _ := metadata["email"].(map[string]any)
	date, _ := email["date"].(string)
	return timeOf(date)
}
