package noise

import (
	"fmt"
	"strings"
)

// Numbers of four digits from firstYear to lastYear are read as years.
const firstYear, lastYear = 1900, 2199

// longestDate is the largest number of tokens of a date, as in "3 de noviembre del 2025,".
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
// The date must have a year. If no date begins there, the number is 0. In the hashed form, the smaller of day and
// month comes before the larger, because 3/11 may be in March or in November.
func dateAt(line string, rest []token) (form string, n int) {
	const widest = 2 // largest number of bytes between two tokens
	var part [3]int
	have, named := 0, false
	for n = 0; n < len(rest) && have < len(part); n++ {
		t := rest[n]
		if n > 0 && t.start-rest[n-1].end > widest {
			return "", 0
		}
		switch month := monthOf(t); {
		case t.kind == digits && t.end-t.start <= 4:
			part[have] = number(line[t.start:t.end])
			have++
		case month > 0 && !named:
			part[have], named = month, true
			have++
		case n == 0 || !betweenDate(line, t):
			return "", 0
		}
	}
	if have < len(part) {
		return "", 0
	}
	if form = dateForm(part); form == "" || !named && !sameBorders(line, rest[:n]) {
		return "", 0
	}
	return form, n
}

// dateForm returns the hashed form of a date of three parts. It returns "" when neither the first nor the last part
// is a year, or when the other two parts are not a month and a day.
func dateForm(part [3]int) string {
	year, a, b := part[2], part[0], part[1]
	if part[0] > 31 {
		year, a, b = part[0], part[1], part[2]
	}
	if year < firstYear || year > lastYear || min(a, b) < 1 || min(a, b) > 12 || max(a, b) > 31 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, min(a, b), max(a, b))
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

// sameBorders reports whether both separators between the numbers of a date are the same sign, or are words as in
// East Asian dates.
func sameBorders(line string, tokens []token) bool {
	var borders []string
	for _, t := range tokens {
		if t.kind != digits {
			borders = append(borders, line[t.start:t.end])
		}
	}
	return len(borders) == 2 && (borders[0] == borders[1] && borders[0] != "," || tokens[1].kind == word)
}

// number reads at most four ASCII digits. It returns 0 for any other text.
func number(s string) (n int) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// hasCopyright reports whether a line has a copyright sign or the word "copyright".
func hasCopyright(tokens []token, line string) bool {
	for _, t := range tokens {
		if t.word == "copyright" || t.kind == sign && line[t.start:t.end] == "©" {
			return true
		}
	}
	return false
}

// yearsAt returns the number of tokens that form a year or a span of years at the beginning of rest, or 0.
func yearsAt(line string, rest []token) int {
	if !isYear(line, rest[0]) {
		return 0
	}
	if len(rest) > 2 && rest[1].kind == sign && isYear(line, rest[2]) {
		return 3
	}
	return 1
}

func isYear(line string, t token) bool {
	if t.kind != digits || t.end-t.start != 4 {
		return false
	}
	year := number(line[t.start:t.end])
	return firstYear <= year && year <= lastYear
}
