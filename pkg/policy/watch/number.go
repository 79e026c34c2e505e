package watch

import (
	"regexp"
	"strings"
)

// number finds the numbers of a text. A date, a time, a number with marks between thousands and one with a fraction
// are one each.
var number = regexp.MustCompile(`\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?\b` +
	`|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})\b|\d{1,2}h\d{2}\b|\d{1,3}(?:[,.'’]\d{3})+(?:[.,]\d{1,2})?\b|\d+[.,]\d+\b|\pN+`)

// anyNumber returns a regular expression for a text in which any number of the same form may stand for each of its
// numbers.
func anyNumber(text string) string { return replaceNumbers(text, likeNumber) }

func replaceNumbers(text string, by func(string) string) string {
	var out strings.Builder
	at := 0
	for _, m := range number.FindAllStringIndex(text, -1) {
		out.WriteString(regexp.QuoteMeta(text[at:m[0]]) + by(text[m[0]:m[1]]))
		at = m[1]
	}
	return out.String() + regexp.QuoteMeta(text[at:])
}

// likeNumber returns a regular expression for numbers of the same form.
func likeNumber(n string) string {
	i := strings.IndexFunc(n, func(r rune) bool { return r < '0' || r > '9' })
	switch {
	case !isASCII(strings.ReplaceAll(n, "’", "")):
		return `\pN+`
	case i < 0:
		return `\d+`
	case i == 4: // 2026-11-25
		return `\d{4}-\d{2}-\d{2}`
	case n[i] == ':' && strings.Count(n, ":") == 2:
		return `\d{1,2}:\d{2}:\d{2}`
	case n[i] == ':':
		return `\d{1,2}:\d{2}`
	case n[i] == 'h':
		return `\d{1,2}h\d{2}`
	}
	if d := aDate.FindStringSubmatch(n); d != nil {
		return `\d{1,2}` + regexp.QuoteMeta(d[1]) + `\d{1,2}` + regexp.QuoteMeta(d[2]) +
			map[int]string{2: `\d{2}`, 4: `\d{4}`}[len(d[3])]
	}
	m := aSum.FindStringSubmatch(n)
	if m == nil { // a number with a fraction
		return `\d+` + regexp.QuoteMeta(strings.Trim(n, "0123456789")) + `\d+`
	}
	out := `\d{1,3}(?:` + regexp.QuoteMeta(m[1]) + `\d{3})*`
	if m[2] != "" {
		out += regexp.QuoteMeta(m[2]) + `\d{1,2}`
	}
	return out
}

// aSum finds the mark between thousands of a number, and the one before its fraction.
var aSum = regexp.MustCompile(`^\d{1,3}(?:([,.'’])\d{3})+(?:([.,])\d{1,2})?$`)

var aDate = regexp.MustCompile(`^\d{1,2}([./-])\d{1,2}([./-])(\d{2}|\d{4})$`)

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// kindOf says what a number is, as people read it.
func kindOf(n string) string {
	if strings.ContainsAny(n, ":h") || aDate.MatchString(n) || strings.Count(n, "-") == 2 {
		return "time"
	}
	return "number"
}
