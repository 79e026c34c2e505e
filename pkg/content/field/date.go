package field

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/wallclock"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
)

var (
	yearAlone  = regexp.MustCompile(`^(?:19|20|21)\d\d$`)
	yearMonth  = regexp.MustCompile(`^((?:19|20|21)\d\d)[-/](0[1-9]|1[0-2])$`)
	clockTime  = regexp.MustCompile(`\d{1,2}:\d\d`)
	numberDate = regexp.MustCompile(`^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$`)
)

// The forms of dates in [Value].
const (
	dayForm   = "2006-01-02"
	localForm = "2006-01-02T15:04:05"
)

// readDate reads a date, as precise as the text is.
func readDate(text string, h Hint) (v Value, why string, ok bool) {
	const longest = 200
	text = strings.Trim(dom.PlainDigits(dom.Fold(text)), `"' `)
	v.Type = Date
	switch {
	case len(text) > longest:
		return Value{}, "the text is too long for a date", false
	case yearAlone.MatchString(text), yearMonth.MatchString(text):
		v.Text = strings.ReplaceAll(text, "/", "-")
		return v, "", true
	case numberDate.MatchString(text):
		return numbersOnly(numberDate.FindStringSubmatch(text), h)
	}
	if m := dayAndMonthName.FindStringSubmatch(text); m != nil {
		if t := dayOfMonth(text, m); !t.IsZero() {
			v.Text = t.Format("--01-02")
			return v, "the text has no year", true
		}
	}
	if t, ok := wallclock.Epoch(text); ok && h.Program {
		v.Text = t.Format(localForm) + "Z"
		return v, "", true
	}
	t, zone, ok := wallclock.ParseDate(text)
	clocked := clockTime.MatchString(text)
	if !ok {
		if t = head.Date(text); t.IsZero() {
			return Value{}, "", false
		}
		zone, clocked = false, clocked && (t.Hour() != 0 || t.Minute() != 0)
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return Value{}, "", false
	}
	switch {
	case !clocked:
		v.Text = t.Format(dayForm)
	case zone:
		v.Text = t.UTC().Format(localForm) + "Z"
	default:
		v.Text = t.Format(localForm)
	}
	if !yearAlone.MatchString(v.Text[:4]) {
		return Value{}, "", false
	}
	return v, "", true
}

// dayAndMonthName matches a day with the name of a month, before or behind it, and without a year.
var dayAndMonthName = regexp.MustCompile(
	`(?i)^(?:\pL+[.,]{0,2} )??(?:(\d{1,2})(?:\.|er|º|st|nd|rd|th)? (?:de )?(\pL{3,12})|(\pL{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?)\.?$|` +
		`^(\d{1,2})月(\d{1,2})日$|^--(\d\d)-(\d\d)$`)

// dayOfMonth returns the day that a text without a year names, in a leap year; the zero time for none.
func dayOfMonth(text string, m []string) time.Time {
	const leap = " 2000"
	switch {
	case m[5] != "":
		return head.Date("2000年" + text)
	case m[7] != "":
		t, _ := time.Parse("2006-01-02", "2000-"+m[7]+"-"+m[8])
		return t
	case m[1] != "":
		text = m[1] + " " + m[2]
	default:
		text = m[3] + " " + m[4]
	}
	if t, _, ok := wallclock.ParseDate(text + leap); ok {
		return t
	}
	return head.Date(text+leap, text+","+leap)
}

// numbersOnly reads a date of two numbers and a year, whose order the locale decides unless a number cannot be a month.
func numbersOnly(m []string, h Hint) (v Value, why string, ok bool) {
	a, _ := strconv.Atoi(m[1]) // no error: digits
	b, _ := strconv.Atoi(m[2])
	year, _ := strconv.Atoi(m[3])
	first, known := monthFirst(h.Locale)
	switch {
	case a > 12 || a == b:
		first = false
	case b > 12:
		first = true
	case !known:
		return v, "either number may be the month, and the language does not show which", false
	default:
		why = "day before month in " + h.Locale
		if first {
			why = "month before day in " + h.Locale
		}
	}
	if first {
		a, b = b, a
	}
	t := time.Date(year, time.Month(b), a, 0, 0, 0, 0, time.UTC)
	if t.Day() != a || b < 1 || b > 12 || !yearAlone.MatchString(m[3]) {
		return v, "", false
	}
	return Value{Type: Date, Text: t.Format(dayForm)}, why, true
}
