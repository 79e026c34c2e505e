package entry

import (
	netmail "net/mail"
	"strings"
	"time"
	_ "time/tzdata" // for machines without time zone data

	"github.com/tidemark/tidemark/pkg/base/wallclock"
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
	t, zone, ok := wallclock.ParseDate(date)
	if !ok {
		return "", false
	}
	return dayOf(t, zone), true
}

// dayOf returns the day of a time that was written with a zone or without.
func dayOf(t time.Time, zone bool) string {
	if zone {
		t = t.In(chicago)
	}
	return t.Format(time.DateOnly)
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
	t, _, ok = wallclock.ParseDate(date)
	return t, ok
}

// sentBefore returns the date of a mail whose header has none that can be read: that of its topmost Received field, or
// else that of its From line in the mailbox.
func sentBefore(received, fromLine string) string {
	if i := strings.LastIndexByte(received, ';'); i >= 0 {
		if _, ok := timeOf(received[i+1:]); ok {
			return strings.TrimSpace(received[i+1:])
		}
	}
	for fromLine != "" {
		if _, ok := timeOf(fromLine); ok {
			return strings.TrimSpace(fromLine)
		}
		_, fromLine, _ = strings.Cut(strings.TrimSpace(fromLine), " ")
	}
	return ""
}

// Written returns the time in a mail's header.
func (f Fields) Written() (t time.Time, ok bool) {
	text, _ := emailOf(f)
	return timeOf(text("date"))
}
