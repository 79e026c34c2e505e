package watch

import (
	"regexp"
	"strings"
)

// number finds the numbers of a text. Dates, times and numbers with marks between thousands are one each.
var number = regexp.MustCompile(`\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?\b|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})\b` +
	`|\d{1,2}h\d{2}\b|\d{1,3}(?:[,.'’]\d{3})+\b|\pN+`)

// anyNumber returns a regular expression for a text in which any number of the same form may stand for each of its
// numbers.
func anyNumber(text string) string { return replaceNumbers(text, likeNumber) }

// anyDate is like [anyNumber] for a text beside the name of a weekday or a month: its numbers are days and years.
func anyDate(text string) string {
	return replaceNumbers(text, func(n string) string {
		switch {
		case !isASCII(n):
			return likeNumber(n)
		case len(n) <= len("31"):
			return `\d{1,2}`
		case len(n) == len("2026"):
			return `\d{4}`
		}
		return likeNumber(n)
	})
}

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
	case !isASCII(n) && !strings.Contains(n, "’"):
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
	mark := strings.TrimLeft(n, "0123456789")
	mark = mark[:strings.IndexAny(mark, "0123456789")]
	return `\d{1,3}(?:` + regexp.QuoteMeta(mark) + `\d{3})*`
}

var aDate = regexp.MustCompile(`^\d{1,2}([./-])\d{1,2}([./-])(\d{2}|\d{4})$`)

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// ordinal finds the number of a day as some languages write it.
var ordinal = regexp.MustCompile(`^(\d{1,2})(?i:st|nd|rd|th|er|º|ª|e)([.,]?)$`)

var day = regexp.MustCompile(`^\(?(?:\d{1,2}|\d{4})[.,;:)]*$`)

// anyDay returns a piece for a word beside the name of a weekday or a month, if the word is the number of a day or a
// year.
func anyDay(word string) (piece, bool) {
	if m := ordinal.FindStringSubmatch(word); m != nil {
		return piece{word: word, pattern: `\d{1,2}(?i:st|nd|rd|th|er|º|ª|e)?` + regexp.QuoteMeta(m[2])}, true
	}
	if day.MatchString(word) {
		return piece{word: word, pattern: anyDate(word)}, true
	}
	return piece{}, false
}
