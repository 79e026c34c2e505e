package head

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The forms of dates. The ISO 8601 form may include a time of day.
var (
	isoDate = regexp.MustCompile(`^(\d{4})-?(\d\d)-?(\d\d)` +
		`(?:[T ]+(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?`)
	slashDate = regexp.MustCompile(`\b(\d{4})[/.](\d{1,2})[/.](\d{1,2})\b`)
	dotDate   = regexp.MustCompile(`\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b`)
	usDate    = regexp.MustCompile(`\b(\d{1,2})[/-](\d{1,2})[/-](\d{4})\b`)
	monthDay  = regexp.MustCompile(`(?i)\b([a-zäéûç]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b`)
	dayMonth  = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:de\s+|of\s+)?` +
		`([a-zäéûç]{3,10})\.?,?\s+(?:de\s+)?(\d{4})\b`)
	pathDate = regexp.MustCompile(`/((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})(?:/|$)`)
)

// months maps the beginnings of month names to the months, for some languages that are common on the web. A beginning
// has three letters where three are enough.
var months = map[string]time.Month{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
	"dec": 12,
	"mär": 3, "mai": 5, "okt": 10, "dez": 12, // German
	"fév": 2, "avr": 4, "jui": 6, "juil": 7, "aoû": 8, "déc": 12, // French
	"ene": 1, "abr": 4, "ago": 8, "dic": 12, // Spanish
	"gen": 1, "mag": 5, "giu": 6, "lug": 7, "set": 9, "ott": 10, // Italian
	"fev": 2, "out": 10, // Portuguese
	"maa": 3, "mei": 5, // Dutch
}

// parseDate parses a date in one of the forms that pages use. It returns the zero time for other texts. A date
// without a time zone is in UTC.
func parseDate(s string) time.Time {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxStatement {
		return time.Time{}
	}
	if m := isoDate.FindStringSubmatch(s); m != nil {
		return isoTime(m)
	}
	for _, layout := range []string{time.RFC1123Z, time.RFC1123} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	for _, form := range forms {
		if m := form.of.FindStringSubmatch(s); m != nil {
			if t := form.read(m[1], m[2], m[3]); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
}

// forms are the forms of a date in running text.
var forms = []struct {
	of   *regexp.Regexp
	read func(a, b, c string) time.Time
}{
	{monthDay, func(m, d, y string) time.Time { return day(y, monthNamed(m), d) }},
	{dayMonth, func(d, m, y string) time.Time { return day(y, monthNamed(m), d) }},
	{slashDate, func(y, m, d string) time.Time { return day(y, month(m), d) }},
	{dotDate, func(d, m, y string) time.Time { return day(y, month(m), d) }},
	{usDate, ambiguous},
}

// ambiguous returns the day that is given by two numbers and a year. A number above 12 is the day of the month. If
// the numbers differ and either could be the month, ambiguous returns the zero time.
func ambiguous(first, second, year string) time.Time {
	switch {
	case intOf(first) > 12 || intOf(first) == intOf(second):
		return day(year, month(second), first)
	case intOf(second) > 12:
		return day(year, month(first), second)
	}
	return time.Time{}
}

func isoTime(m []string) time.Time {
	t := day(m[1], month(m[2]), m[3])
	hour, minute, second := intOf(m[4]), intOf(m[5]), intOf(m[6])
	if t.IsZero() || m[4] == "" || hour > 23 || minute > 59 || second > 59 {
		return t
	}
	t = t.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second)
	if zone := strings.Replace(m[7], ":", "", 1); len(zone) == 5 {
		offset := time.Duration(intOf(zone[1:3]))*time.Hour + time.Duration(intOf(zone[3:]))*time.Minute
		if zone[0] == '-' {
			offset = -offset
		}
		return t.Add(-offset).In(time.FixedZone("", int(offset/time.Second)))
	}
	return t
}

// dateOfPath returns the day in an address such as /2024/03/17/tides.
func dateOfPath(path string) time.Time {
	if m := pathDate.FindStringSubmatch(path); m != nil {
		return day(m[1], month(m[2]), m[3])
	}
	return time.Time{}
}

// day returns the beginning of a day, or the zero time if the day does not exist.
func day(year string, m time.Month, d string) time.Time {
	t := time.Date(intOf(year), m, intOf(d), 0, 0, 0, 0, time.UTC)
	if m < 1 || m > 12 || t.Month() != m || t.Day() != intOf(d) {
		return time.Time{}
	}
	return t
}

func month(s string) time.Month { return time.Month(intOf(s)) }

// monthNamed returns the month with that name, or 0.
func monthNamed(name string) time.Month {
	letters := []rune(strings.ToLower(name))
	if len(letters) > 3 {
		if m := months[string(letters[:4])]; m != 0 {
			return m
		}
	}
	return months[string(letters[:min(len(letters), 3)])]
}

// intOf returns the value of digits, or 0 without digits.
func intOf(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
