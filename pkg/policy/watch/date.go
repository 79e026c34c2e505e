package watch

import (
	"regexp"
	"slices"
	"strings"
)

// A date and the half of a day are one thing, however many words they are: if a part of a date moves, then all of the
// date does in the end.

// partsOfDate are the parts of a date that a word has.
type partsOfDate struct{ weekday, day, month, year bool }

// add adds the parts of the next word. It returns false if that word does not go on with the date.
func (p *partsOfDate) add(q partsOfDate) bool {
	if q == (partsOfDate{}) || p.weekday && q.weekday || p.day && q.day || p.month && q.month || p.year && q.year {
		return false
	}
	*p = partsOfDate{p.weekday || q.weekday, p.day || q.day, p.month || q.month, p.year || q.year}
	return true
}

// isDate reports whether the parts are a date.
func (p partsOfDate) isDate() bool { return p.month && (p.day || p.year) }

// leastMonths is the least number of names of a kind that is months: there are fewer names of weekdays.
const leastMonths = 12

// datePartsOf returns the parts of a date that a word has.
func datePartsOf(word string, languages []language) (p partsOfDate) {
	bare := strings.Trim(word, `.,;:()[]`)
	if n := number.FindString(bare); n == bare && (aDate.MatchString(n) || strings.Count(n, "-") == 2) {
		return partsOfDate{day: true, month: true, year: true}
	}
	if ordinal.MatchString(word) {
		return partsOfDate{day: true}
	}
	if m := aName.FindStringSubmatch(word); m != nil {
		for _, l := range languages {
			if names := len(l.like(m[2])); names >= leastMonths {
				return partsOfDate{month: true, day: number.MatchString(m[1]), year: number.MatchString(m[3])}
			} else if names > 0 {
				p.weekday = true
			}
		}
		return p
	}
	if day.MatchString(word) {
		digits := strings.Trim(word, `.,;:()`)
		return partsOfDate{day: len(digits) <= len("31"), year: len(digits) == len("2026")}
	}
	return p
}

// dateAt returns the number of words of the date that begins with the first word, or 0.
func dateAt(words []string, languages []language) (n int) {
	var parts partsOfDate
	for i, w := range words {
		if i > 0 && slices.Contains(betweenDates, strings.ToLower(w)) {
			continue
		}
		if !parts.add(datePartsOf(w, languages)) {
			break
		}
		if parts.isDate() {
			n = i + 1
		}
	}
	return n
}

var betweenDates = []string{"de", "del", "di", "of", "den"}

// likeDate returns a regular expression for dates of the same form.
func likeDate(words []string, languages []language) string {
	out := make([]string, len(words))
	for i, w := range words {
		if name, ok := anyName(w, languages); ok {
			out[i] = name
		} else if m := ordinal.FindStringSubmatch(w); m != nil {
			out[i] = `\d{1,2}(?i:st|nd|rd|th|er|º|ª|e)?` + regexp.QuoteMeta(m[2])
		} else if day.MatchString(w) {
			out[i] = anyDate(w)
		} else {
			out[i] = anyNumber(w)
		}
	}
	return strings.Join(out, " ")
}

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

// ordinal finds the number of a day as some languages write it.
var ordinal = regexp.MustCompile(`^(\d{1,2})(?i:st|nd|rd|th|er|º|ª|e)([.,]?)$`)

var day = regexp.MustCompile(`^\(?(?:\d{1,2}|\d{4})[.,;:)]*$`)
