package entry

import (
	netmail "net/mail"
	"strings"
	"time"
	_ "time/tzdata" // so that day buckets do not depend on the time zones that the machine has
)

// chicago is the time zone that determines the days of newsletters.
var chicago = func() *time.Location {
	l, err := time.LoadLocation("America/Chicago")
	if err != nil {
		panic(err) // Unreachable: the time zones are compiled in.
	}
	return l
}()

// dayBucket returns the day of a date, in Chicago. The date is in the form of mails (RFC 5322) or of programs (RFC
// 3339). If the date is only a day, dayBucket returns that day. For any other text, ok is false.
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

// OlderMail reports whether the mail f was written before the mail in the given entry, according to their headers. It
// returns false unless both mails have a time. A time in the future does not count: a wrong clock must not keep newer
// mails out of a thread.
func (f Fields) OlderMail(entry Fields, now time.Time) bool {
	const ahead = 24 * time.Hour // tolerated difference between clocks
	written, known := f.Written()
	present, alsoKnown := entry.Written()
	return known && alsoKnown && written.Before(present) && !present.After(now.Add(ahead))
}

// Written returns the time in a mail's header.
func (f Fields) Written() (t time.Time, ok bool) {
	metadata, _ := f["metadata"].(map[string]any)
	email, _ := metadata["email"].(map[string]any)
	date, _ := email["date"].(string)
	return timeOf(date)
}
