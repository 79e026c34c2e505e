package head

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// The forms of dates. The ISO 8601 form may include a time of day.
var (
	isoDate = regexp.MustCompile(`^(\d{4})-?(\d\d)-?(\d\d)` +
		`(?:[T ]+(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?`)
	slashDate = regexp.MustCompile(`(?:^|[^\d./])(\d{4})/(\d{1,2})/(\d{1,2})(?:$|[^\d./])`)
	// pointDate is a version or a number of a section unless its parts have two digits, or blanks between them.
	pointDate = regexp.MustCompile(`(?:^|[^\d.])(\d{4})(?:\.\s|\.)` +
		`(\d\d|\s?\d{1,2})\.(?:\s(\d{1,2})|(\d\d))\.?(?:$|[^\d.])`)
	dotDate  = regexp.MustCompile(`(?:^|[^\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?:$|[^\d.]|\.(?:$|\D))`)
	usDate   = regexp.MustCompile(`(?:^|[^\d/-])(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:$|[^\d/-])`)
	eastDate = regexp.MustCompile(`(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})`)
	monthDay = regexp.MustCompile(`(?:^|[^\pL\pM])(\pL[\pL\pM]{1,15})\.?\s+` +
		`(\d{1,2})(?:st|nd|rd|th)?\.?,?\s+(?:de\s+)?(\d{4})`)
	dayMonth = regexp.MustCompile(`(?i)(?:^|[^\d.:])(\d{1,2})(?:st|nd|rd|th|er|\.º|º|ª|-?[еої]|\.)?\s+` +
		`(?:de\s+|d['’]|of\s+|ta['’]\s+)?` +
		`(\pL[\pL\pM]{1,15})\.?,?\s+(?:de\s+|del\s+|do\s+)?(\d{4})`)
	yearFirst = regexp.MustCompile(`(?:^|\D)(\d{4})(?:\.|\s+m\.|,)?\s+(?:оны\s+)?(\pL[\pL\pM]{1,15})\.?\s+(\d{1,2})`)
	latvian   = regexp.MustCompile(`(?i)(?:^|\D)(\d{4})\.\s+gada\s+(\d{1,2})\.\s+(\pL+)`)
	vietnam   = regexp.MustCompile(`(?i)(\d{1,2})\s+tháng\s+(\d{1,2})(?:,|\s+năm)?\s+(\d{4})`)
	pathDate  = regexp.MustCompile(`/((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})(?:/|$)`)
)

// moreMonths are names of months beyond those of CLDR: abbreviations, and names without their accents.
var moreMonths = map[string]time.Month{"mär": 3, "sept": 9, "setiembre": 9, "jänner": 1, "feber": 2, "fevrier": 2,
	"aout": 8, "decembre": 12, "fev": 2, "dec": 12, "fevereiro": 2, "marco": 3, "maerz": 3, "jun": 6, "jul": 7, "mrt": 3}

// parseDate parses a date in one of the forms that pages use. It returns the zero time for other texts. A date
// without a time zone is in UTC.
func parseDate(s string) time.Time {
	if s = strings.TrimSpace(s); s == "" || len(s) > maxStatement {
		return time.Time{}
	}
	s = dom.PlainDigits(norm.NFC.String(s))
	if !strings.ContainsAny(s, "0123456789") {
		return time.Time{} // the patterns below take much longer to find that out
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
			if t := form.read(m[1], m[2], cmp.Or(m[3:]...)); !t.IsZero() {
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
	{eastDate, func(y, m, d string) time.Time { return day(y, month(m), d) }},
	{vietnam, func(d, m, y string) time.Time { return day(y, month(m), d) }},
	{latvian, func(y, d, m string) time.Time { return day(y, monthNamed(m), d) }},
	{monthDay, func(m, d, y string) time.Time { return day(y, monthNamed(m), d) }},
	{dayMonth, func(d, m, y string) time.Time { return day(y, monthNamed(m), d) }},
	{yearFirst, func(y, m, d string) time.Time { return day(y, monthNamed(m), d) }},
	{slashDate, func(y, m, d string) time.Time { return day(y, month(m), d) }},
	{pointDate, func(y, m, d string) time.Time { return day(y, month(strings.TrimSpace(m)), d) }},
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
	const buddhist, firstThai, lastThai = 543, 2400, 2700 // years of the Thai calendar
	y := intOf(year)
	if y > firstThai && y < lastThai {
		y -= buddhist
	}
	t := time.Date(y, m, intOf(d), 0, 0, 0, 0, time.UTC)
	if m < 1 || m > 12 || t.Month() != m || t.Day() != intOf(d) {
		return time.Time{}
	}
	return t
}

func month(s string) time.Month { return time.Month(intOf(s)) }

// monthNamed returns the month with that name in any language, or 0.
func monthNamed(name string) time.Month {
	name = strings.TrimPrefix(strings.ToLower(name), "ב") // "in" in Hebrew
	if m := noise.Month(name); m != 0 {
		return time.Month(m)
	}
	return moreMonths[name]
}

// intOf returns the value of digits, or 0 without digits.
func intOf(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
