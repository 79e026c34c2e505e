package field

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// apostrophes are the signs between thousands that are never a decimal sign.
const apostrophes = "'’`´"

// isBlank reports whether r is a blank that may stand between thousands.
func isBlank(r rune) bool { return r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009' }

// numeral is a number as it is written: groups of digits, and the sign before each but the first. Blanks are " ", and
// apostrophes are "'".
type numeral struct {
	groups []string
	signs  []string
	end    int // offset behind it
}

// numeralAt reads the number that begins at an offset of a text, which has a digit there, or a sign before a digit.
func numeralAt(text string, start int) numeral {
	n := numeral{end: start}
	if digitsAt(text, start) == 0 {
		n.groups, n.signs, n.end = []string{""}, []string{text[start : start+1]}, start+1
	}
	for {
		size := digitsAt(text, n.end)
		n.groups = append(n.groups, text[n.end:n.end+size])
		n.end += size
		sign, width := n.signAt(text)
		if sign == "" {
			return n
		}
		n.signs = append(n.signs, sign)
		n.end += width
	}
}

// signAt returns the sign at the end of what was read, if the number goes on behind it. Behind a blank it goes on with
// exactly three digits.
func (n *numeral) signAt(text string) (sign string, width int) {
	r, width := utf8.DecodeRuneInString(text[n.end:])
	next := digitsAt(text, n.end+width)
	switch {
	case next == 0:
		return "", 0
	case r == '.' || r == ',':
		return string(r), width
	case strings.ContainsRune(apostrophes, r) && next == 3:
		return "'", width
	case isBlank(r) && next == 3 && len(n.groups[len(n.groups)-1]) <= 3 && !slices.ContainsFunc(n.signs, isPoint):
		return " ", width
	}
	return "", 0
}

func isPoint(sign string) bool { return sign == "." || sign == "," }

func digitsAt(text string, at int) (n int) {
	for at+n < len(text) && text[at+n] >= '0' && text[at+n] <= '9' {
		n++
	}
	return n
}

// kind is what a number counts, as far as that decides how it is read.
type kind struct {
	money    bool
	code     string // of the currency; "" if it is not known
	decimals int    // decimals of the currency
	unit     bool   // an amount for a unit, such as 1.299 €/l, may have more decimals
}

// read returns the number that is meant. why says how the text was read if it can mean two numbers, or why it is not
// read.
func (n numeral) read(h Hint, k kind) (d Decimal, why string, ok bool) {
	whole, fraction := n.groups, ""
	if last := len(n.signs) - 1; last >= 0 && isPoint(n.signs[last]) {
		decimal := !slices.Contains(n.signs[:last], n.signs[last])
		if last == 0 && len(n.groups[1]) == 3 {
			if decimal, why, ok = n.isDecimal(h, k); !ok {
				return "", why, false
			}
		}
		if decimal {
			whole, fraction = n.groups[:last+1], n.groups[last+1]
		}
	}
	if !isGrouped(whole, n.signs[:len(whole)-1]) {
		return "", fmt.Sprintf("%s is not a number", n), false
	}
	d, ok = decimalOf(false, strings.Join(whole, ""), fraction)
	if !ok {
		return "", "the number is too long", false
	}
	return d, why, true
}

// isDecimal decides whether the only sign of a number precedes decimals, where three digits follow it.
func (n numeral) isDecimal(h Hint, k kind) (decimal bool, why string, ok bool) {
	sign, before := n.signs[0], n.groups[0]
	local := decimalSign(h.Locale)
	switch {
	case len(before) > 3 || strings.HasPrefix(before, "0") || before == "":
		return true, "", true
	case h.Program:
		return sign == ".", "", true
	case k.money && k.code != "" && k.decimals == 0:
		return false, fmt.Sprintf("%s is read as thousands: %s has no decimals", n, k.code), true
	case k.money && k.code != "" && k.decimals == 3 && (sign == local || local == "" && sign == "."):
		return true, fmt.Sprintf("%s is read as decimals: %s has three", n, k.code), true
	case local != "" && sign != local:
		return false, fmt.Sprintf("%s is read as thousands, as usual in %s", n, h.Locale), true
	case local != "" && (!k.money || k.unit):
		return true, fmt.Sprintf("%s is read as decimals, as usual in %s", n, h.Locale), true
	case k.money && k.code != "" && local == "" && k.decimals == 2 && !k.unit:
		return false, fmt.Sprintf("%s is read as thousands: %s has two decimals", n, k.code), true
	case local != "":
		return false, fmt.Sprintf("%s is ambiguous: it has three decimals in %s, and amounts have two", n, h.Locale), false
	}
	return false, fmt.Sprintf("%s may be thousands or decimals: neither currency nor language shows which", n), false
}

// isGrouped reports whether groups of digits are thousands, also as they are written in India.
func isGrouped(groups, signs []string) bool {
	if len(groups) == 1 {
		return true
	}
	for _, sign := range signs {
		if sign != signs[0] {
			return false
		}
	}
	last := len(groups) - 1
	if len(groups[last]) != 3 || groups[0] == "" || groups[0][0] == '0' {
		return false
	}
	size := len(groups[1])
	for _, g := range groups[1:last] {
		if len(g) != size {
			return false
		}
	}
	return len(groups[0]) <= size && (size == 3 || size == 2 && signs[0] == ",")
}

func (n numeral) String() string {
	text := n.groups[0]
	for i, sign := range n.signs {
		text += sign + n.groups[i+1]
	}
	return text
}
