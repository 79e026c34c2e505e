package declared

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/currency"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// number matches a number with its signs between digits. Behind a space there are three digits.
var number = regexp.MustCompile(`\d+(?:[.,'’]\d+| \d{3})*`)

// decimalsOf returns how many decimals amounts of a currency have where they are paid, and 2 for no currency.
func decimalsOf(code string) int {
	unit, err := currency.ParseISO(code)
	if err != nil {
		return 2
	}
	places, _ := currency.Cash.Rounding(unit)
	return places
}

// amountOf returns the number that a declared amount means, or the text if it has not exactly one number.
func amountOf(v value, code string) string {
	const longest = 200
	text := strings.Join(strings.Fields(v.text), " ")
	if len(text) > longest {
		return clip(text)
	}
	text = dom.PlainDigits(text)
	const most = 1e15
	if f, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, "eE") && f > -most && f < most {
		text = strconv.FormatFloat(f, 'f', 4, 64)
	}
	found := number.FindAllString(text, 2)
	if len(found) != 1 {
		return clip(text)
	}
	return plainNumber(found[0], decimalsOf(code), v.people)
}

// plainNumber returns a number without signs between thousands and with a point before its decimals. The number is of
// a currency with that many decimal places.
func plainNumber(s string, places int, people bool) string {
	whole, fraction := s, ""
	if at := strings.LastIndexAny(s, ".,"); at >= 0 && isDecimal(s, at, places, people) {
		whole, fraction = s[:at], s[at+1:]
	}
	digits := func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}
	whole = strings.TrimLeft(strings.Map(digits, whole), "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(rounded(fraction), "0"); fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// rounded cuts decimals that are left over from calculations with binary numbers, as in 79.90000000000001.
func rounded(fraction string) string {
	const longest = 6
	return fraction[:min(len(fraction), longest)]
}

// isDecimal reports whether the last sign of a number precedes its decimals. Three digits behind the only sign are
// thousands, unless the number has decimals of that length. For programs, a point precedes decimals (schema.org).
func isDecimal(s string, at, places int, people bool) bool {
	sign, before, after := s[at:at+1], s[:at], len(s)-at-1
	switch {
	case strings.Contains(before, sign):
		return false
	case after != 3, before == "0", len(before) > 3, places == 3:
		return true
	case places == 0:
		return false
	}
	return sign == "." && !people
}
