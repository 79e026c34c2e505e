package entry

import (
	netmail "net/mail"
	"strings"
	"time"
	_ "time/tzdata" // day buckets must not depend on what the machine has installed
)

// chicago is where days begin and end for newsletters.
var chicago = func() *time.Location {
	l, err := time.LoadLocation("America/Chicago")
	if err != nil {
		panic(err) // Unreachable: the data is compiled in.
	}
	return l
}()

// dayBucket is the day in Chicago of a date as mails (RFC 5322) or programs (RFC 3339) write it; a date
// without a time is that day. ok is false for anything else.
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

// timeOf reads a date with its time.
func timeOf(date string) (t time.Time, ok bool) {
	date = strings.TrimSpace(date)
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		t, err = netmail.ParseDate(date)
	}
	return t, err == nil
}

// OlderMail reports a mail that was written before the one that an entry tells of, as both say of
// themselves. It is false unless both say when. A time in the future counts as none: a wrong clock must not
// keep newer mails out of a thread.
func (f Fields) OlderMail(entry Fields, now time.Time) bool {
	const ahead = 24 * time.Hour // what clocks may be apart
	written, known := f.Written()
	present, alsoKnown := entry.Written()
	return known && alsoKnown && written.Before(present) && !present.After(now.Add(ahead))
}

// Written is the time that a mail has in its header.
func (f Fields) Written() (t time.Time, ok bool) {
	metadata, _ := f["metadata"].(map[string]any)
	email, _ := metadata["email"].(map[string]any)
	date, _ := email["date"].(string)
	return timeOf(date)
}
