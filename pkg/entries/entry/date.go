package entry

import (
	netmail "net/mail"
	"strings"
	"time"
	_ "time/tzdata" // so that day buckets do not depend on the time zones that the machine has

	"github.com/tidemark/tidemark/pkg/content/extract/mail"
)

// chicago is the time zone that determines the days of newsletters.
var chicago = func() *time.Location {
	l, err := time.LoadLocation("America/Chicago")
	if err != nil {
		panic(err) // Unreachable: the time zones are compiled in.
	}
	return l
}()

// dayBucket returns the day of a date, in Chicago. Of a date without a zone, it returns the day that is written. For a
// text that is not a date, ok is false.
func dayBucket(date string) (day string, ok bool) {
	t, zone, ok := mail.ParseDate(date)
	if !ok {
		return "", false
	}
	if zone {
		t = t.In(chicago)
	}
	return t.Format(time.DateOnly), true
}

// dayBucket2 returns the day of a date as the second revision of keys did.
func dayBucket2(date string) string {
	date = strings.TrimSpace(date)
	if t, err := time.Parse(time.DateOnly, date); err == nil {
		return t.Format(time.DateOnly)
	}
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		t, err = netmail.ParseDate(date)
	}
	if err != nil {
		return ""
	}
	return t.In(chicago).Format(time.DateOnly)
}

// timeOf parses a date with a time.
func timeOf(date string) (t time.Time, ok bool) {
	t, _, ok = mail.ParseDate(date)
	return t, ok
}

// sentBefore returns the date of a mail whose header has none that can be read: that of its topmost Received field, or
// else that of its From line in the mailbox.
func sentBefore(received, fromLine string) string {
	_, date, _ := cutLast(received, ";")
	if _, ok := timeOf(date); ok {
		return strings.TrimSpace(date)
	}
	for fromLine != "" {
		if _, ok := timeOf(fromLine); ok {
			return strings.TrimSpace(fromLine)
		}
		_, fromLine, _ = strings.Cut(strings.TrimSpace(fromLine), " ")
	}
	return ""
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
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
