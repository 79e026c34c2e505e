package noise

import (
	"fmt"
	"slices"
	"strings"
)

// A number of four digits is read as a year if it is between firstYear and lastYear.
const firstYear, lastYear = 1900, 2199

// longestDate is the largest number of tokens in a date, as in "3 de noviembre del 2025,".
const longestDate = 8

// hasYear reports whether a line contains digits that may be a year.
func hasYear(line string) bool {
	run := 0
	for i := range len(line) {
		if line[i] < '0' || line[i] > '9' {
			run = 0
		} else if run++; run == 4 && (line[i-3] == '1' || line[i-3] == '2') {
			return true
		}
	}
	return false
}

// dateAt returns the hashed form of the date that begins at the first token, and the number of tokens in the date.
// The date must have a year. If no date begins there, the number is 0. The form of a date is year, month and day,
// however the date is written. If 3/11 may be in March or in November, the form has the two numbers as they stand.
func (s *Filter) dateAt(rest []token) (form string, n int) {
	const widest = 2 // largest number of bytes between two tokens of a date
	var d date
	for n = 0; n < len(rest) && d.have < len(d.part); n++ {
		t := rest[n]
		if n > 0 && t.start-rest[n-1].end > widest {
			return "", 0
		}
		switch m := monthOf(t); {
		case t.kind == digits && t.end-t.start <= 4:
			d.add(number(s.line[t.start:t.end]))
		case m > 0 && d.named == 0:
			d.named = m
			d.add(m)
		case n == 0 || !betweenDate(s.line, t):
			return "", 0
		}
	}
	if d.have < len(d.part) {
		return "", 0
	}
	border := ""
	if d.named == 0 {
		if border = sameBorders(s.line, rest[:n]); border == "" {
			return "", 0
		}
	}
	if form = s.dateForm(d, border); form == "" {
		return "", 0
	}
	return form, n
}

// date is a date of three parts.
type date struct {
	part  [3]int
	have  int
	named int // the month, if its name is written out or abbreviated
}

func (d *date) add(part int) {
	d.part[d.have] = part
	d.have++
}

// dateForm returns the hashed form of a date. It returns "" unless the first or the last part is a year and the other
// two parts are a month and a day. The border is the text between the numbers.
func (s *Filter) dateForm(d date, border string) string {
	year, month, day := d.part[2], d.part[1], d.part[0]
	first := d.part[0] > 31
	if first {
		year, day = d.part[0], d.part[2]
	}
	if d.named > 0 && month != d.named {
		month, day = day, month
	}
	if year < firstYear || year > lastYear || min(month, day) < 1 || min(month, day) > 12 || max(month, day) > 31 {
		return ""
	}
	if month > 12 {
		month, day = day, month
	}
	// In English, a month and a day are written in either order with slashes and hyphens. "2024.1.2" is a version.
	numbers := d.named == 0 && !first && (border == "/" || border == "-") && !s.DayFirst
	switch {
	case first && border == ".":
		return ""
	case numbers && d.part[0] <= 12 && d.part[1] <= 12 && month != day:
		return fmt.Sprintf("%s%04d%02d%02d", openDate, year, d.part[0], d.part[1])
	case numbers:
		s.dayFirst, s.monthFirst = s.dayFirst || d.part[0] > 12, s.monthFirst || d.part[1] > 12
	}
	return fmt.Sprintf("%s%04d%02d%02d", someDate, year, month, day)
}

// OrderDates gives the dates in [Filter.Out] whose order of day and month was unknown the form of other dates, if a day
// above the twelfth shows the order that the text has. A page with both orders shows none.
func (s *Filter) OrderDates() {
	if s.dayFirst == s.monthFirst {
		return
	}
	const day = len(openDate) + len("2006") // offset of the first number
	for _, at := range s.open {
		form := s.Out[at:]
		if copy(form, someDate); s.dayFirst {
			form[day], form[day+1], form[day+2], form[day+3] = form[day+2], form[day+3], form[day], form[day+1]
		}
	}
	s.open = s.open[:0]
}

func monthOf(t token) int {
	if t.kind != word {
		return 0
	}
	return timePhrases().months[t.word]
}

// betweenDate reports whether a token may separate the parts of a date.
func betweenDate(line string, t token) bool {
	switch t.word {
	case "":
		return strings.Contains(".,/-", line[t.start:t.end])
	case "st", "nd", "rd", "th", "er", "of", "de", "del", "年", "月", "년", "월":
		return true
	}
	return false
}

// sameBorders returns the text between the numbers of a date: the same sign twice, or words as in East Asian dates.
// It returns "" for anything else.
func sameBorders(line string, tokens []token) string {
	var borders []string
	for _, t := range tokens {
		if t.kind != digits {
			borders = append(borders, line[t.start:t.end])
		}
	}
	if len(borders) == 2 && (borders[0] == borders[1] && borders[0] != "," || tokens[1].kind == word) {
		return borders[0]
	}
	return ""
}

// number parses at most four ASCII digits. It returns 0 for any other text.
func number(s string) (n int) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// hasCopyright reports whether a line is a copyright notice: it contains the sign, or begins with the word. A year
// may come before the word.
func hasCopyright(tokens []token, line string) bool {
	for i, t := range tokens {
		switch {
		case t.kind == sign && line[t.start:t.end] == "©", t.word == "c" && isBracketed(line, t):
			return true
		case t.word == "copyright" && (i == 0 || onlyYears(line, tokens[:i])):
			return true
		}
	}
	return false
}

func isBracketed(line string, t token) bool {
	return strings.HasSuffix(line[:t.start], "(") && strings.HasPrefix(line[t.end:], ")")
}

func onlyYears(line string, tokens []token) bool {
	return !slices.ContainsFunc(tokens, func(t token) bool { return t.kind != sign && !isYear(line, t) })
}

// yearsAt returns the number of tokens in the year or years of a copyright notice at token i. The years are beside
// the sign or the word, or at the end of the notice. Without such years, as in "Copyright protection ends in 2034",
// it returns 0.
func yearsAt(line string, tokens []token, i int) (n int) {
	if !isYear(line, tokens[i]) {
		return 0
	}
	for n = 1; i+n+1 < len(tokens) && tokens[i+n].kind == sign && isYear(line, tokens[i+n+1]); n += 2 {
	}
	if besideNotice(line, tokens, i-1, -1) || besideNotice(line, tokens, i+n, 1) {
		return n
	}
	// In "© Example Inc. 2025" the sign is far from its year.
	ended := i+n == len(tokens) || tokens[i+n].kind == sign
	if ended && strings.HasPrefix(strings.TrimLeft(strings.ToLower(line), " "), "©") && i <= longestOwner {
		return n
	}
	return 0
}

// longestOwner is the largest number of tokens between a copyright sign and a year at the end of the notice.
const longestOwner = 12

// besideNotice reports whether a copyright sign or the word "copyright" is beside token i in the given direction. It
// skips other signs.
func besideNotice(line string, tokens []token, i, step int) bool {
	for ; i >= 0 && i < len(tokens); i += step {
		switch t := tokens[i]; {
		case t.kind == sign && line[t.start:t.end] == "©", t.word == "copyright", t.word == "c" && isBracketed(line, t):
			return true
		case t.kind != sign:
			return false
		}
	}
	return false
}

func isYear(line string, t token) bool {
	if t.kind != digits || t.end-t.start != 4 {
		return false
	}
	year := number(line[t.start:t.end])
	return firstYear <= year && year <= lastYear
}
