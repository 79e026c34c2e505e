package wallclock

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file reads dates and times in the forms in which mails, servers and sites write them.

// Patterns of the pieces of a date, in the forms that programs write.
var (
	comment = regexp.MustCompile(`\([^()]*\)`)
	isoDate = regexp.MustCompile(`(?i)(?:^|\D)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T\s]|$)`)
	dayName = regexp.MustCompile(`(?i)(\d{1,2})[\s.-]*(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s.,-]*(\d{2,4})\b`)
	nameDay = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})\b`)
	clock   = regexp.MustCompile(`(?i)(?:^|[^\d:.+-])(\d{1,2})[:.](\d{1,2})(?:[:.](\d{1,2})(?:[.,]\d{1,9})?)?\s*([ap]\.?m\.?\b)?`)
	offset  = regexp.MustCompile(`(?i)(?:\b(?:gmt|utc?|z)\s*)?([+-])(\d{1,2}):?(\d{2})?$`)
	name    = regexp.MustCompile(`(?i)(?:^|[\s\d])([a-z]{1,5})$`)
	year4   = regexp.MustCompile(`\b(\d{4})\b`)
	weekday = regexp.MustCompile(`(?i)\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b`)
	nothing = regexp.MustCompile(`^[\s,;.T]*$`)
)

// zoneOffsets are the names of RFC 5322 §4.3, and those of Central Europe, with their hours from UTC.
var zoneOffsets = map[string]int{"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
	"MST": -7,
	"MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2}

// Epoch parses a time that is written as the number of seconds or milliseconds since 1970.
func Epoch(text string) (t time.Time, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return t, false
	case len(text) == len("1700000000"):
		return time.Unix(n, 0).UTC(), true
	case len(text) == len("1700000000000"):
		return time.UnixMilli(n).UTC(), true
	}
	return t, false
}

// ParseDate parses a date in the forms of RFC 5322, RFC 3339, RFC 850 and asctime, and in those that programs write by
// mistake. A date without a zone, or with an unknown one, is read as UTC, and zone is false.
func ParseDate(text string) (t time.Time, zone, ok bool) {
	const longest = 200
	if text = strings.TrimSpace(text); len(text) > longest {
		return t, false, false
	}
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(text)); err == nil {
		return t, true, true
	}
	for stripped := ""; stripped != text; {
		stripped, text = text, comment.ReplaceAllString(text, " ")
	}
	text = strings.TrimSpace(weekday.ReplaceAllString(text, " "))
	year, month, day, text := cutDay(text)
	hour, minute, second, text := cutClock(text)
	if year == 0 {
		year, text = cutYear(text)
	}
	at, zone, text := cutZone(strings.TrimSpace(text))
	if year == 0 || month < 1 || month > 12 || day < 1 || hour > 24 || minute > 59 || second > 60 ||
		!nothing.MatchString(text) {
		return t, false, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, 0, at)
	if first := time.Date(year, time.Month(month), day, 0, 0, 0, 0, at); first.Day() != day {
		return time.Time{}, false, false // such as February 30
	}
	return t, zone, true
}

// cutDay cuts the date out of a text. Of asctime, it leaves the year.
func cutDay(text string) (year, month, day int, rest string) {
	if m := isoDate.FindStringSubmatchIndex(text); m != nil {
		return number(text, m[2:4]), number(text, m[4:6]), number(text, m[6:8]), text[:m[2]] + " " + text[m[7]:]
	}
	if m := dayName.FindStringSubmatchIndex(text); m != nil {
		return fullYear(text[m[6]:m[7]]), monthOf(text[m[4]:m[5]]), number(text, m[2:4]), text[:m[0]] + " " + text[m[1]:]
	}
	if m := nameDay.FindStringSubmatchIndex(text); m != nil {
		return 0, monthOf(text[m[2]:m[3]]), number(text, m[4:6]), text[:m[0]] + " " + text[m[1]:]
	}
	return 0, 0, 0, text
}

// fullYear returns a year of two or three digits in full (RFC 5322 §4.3).
func fullYear(digits string) int {
	year, _ := strconv.Atoi(digits) // no error: digits
	switch {
	case len(digits) == 2 && year < 50:
		return 2000 + year
	case len(digits) <= 3:
		return 1900 + year
	}
	return year
}

func number(text string, at []int) int {
	n, _ := strconv.Atoi(text[at[0]:at[1]]) // no error: a few digits
	return n
}

func monthOf(name string) int {
	return strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(name))/3 + 1
}

// cutClock cuts the time of day out of a text.
func cutClock(text string) (hour, minute, second int, rest string) {
	m := clock.FindStringSubmatchIndex(text)
	if m == nil {
		return 0, 0, 0, text
	}
	hour, minute = number(text, m[2:4]), number(text, m[4:6])
	if m[6] >= 0 {
		second = number(text, m[6:8])
	}
	if m[8] >= 0 {
		if hour %= 12; text[m[8]]|0x20 == 'p' {
			hour += 12
		}
	}
	return hour, minute, second, text[:m[2]] + " " + text[m[1]:]
}

func cutYear(text string) (year int, rest string) {
	for _, m := range year4.FindAllStringIndex(text, -1) {
		if m[0] == 0 || text[m[0]-1] != '+' && text[m[0]-1] != '-' { // not the digits of an offset
			return number(text, m), text[:m[0]] + " " + text[m[1]:]
		}
	}
	return 0, text
}

// cutZone cuts the zone from the end of a text.
func cutZone(text string) (at *time.Location, known bool, rest string) {
	if m := offset.FindStringSubmatchIndex(text); m != nil {
		seconds := number(text, m[4:6]) * 3600
		if m[6] >= 0 {
			seconds += number(text, m[6:8]) * 60
		}
		if text[m[2]] == '-' {
			seconds = -seconds
		}
		return time.FixedZone("", seconds), seconds < 24*3600 && seconds > -24*3600, text[:m[0]]
	}
	if m := name.FindStringSubmatchIndex(text); m != nil {
		hours, known := zoneOffsets[strings.ToUpper(text[m[2]:m[3]])]
		return time.FixedZone("", hours*3600), known, text[:m[2]]
	}
	return time.UTC, false, text
}
