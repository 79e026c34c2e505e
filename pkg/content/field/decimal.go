package field

import (
	"cmp"
	"math/big"
	"strings"
)

// Decimal is an exact decimal number in its only form: "1299", "-0.5", "12.9"; no exponent, no sign +, no zeros at
// either end. So equal numbers are equal texts. "" is no number.
type Decimal string

// Bounds of a number: its digits before and behind the point.
const (
	maxWhole    = 24
	maxFraction = 12
)

// ParseDecimal returns the number that a program wrote: with a point before its decimals, and possibly an exponent.
// Decimals beyond the bound are rounded to it, as those in 79.900000000000006. It reports whether text is a number.
func ParseDecimal(text string) (Decimal, bool) {
	const longest = 200
	text = strings.TrimSpace(text)
	if len(text) > longest {
		return "", false
	}
	digits, negative := strings.CutPrefix(text, "-")
	digits = strings.TrimPrefix(digits, "+")
	digits, exponent, scientific := strings.Cut(strings.ToLower(digits), "e")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole+fraction == "" || !isDigits(whole+fraction) {
		return "", false
	}
	if scientific {
		n, ok := smallInt(exponent)
		if !ok {
			return "", false
		}
		whole, fraction = shift(whole, fraction, n)
	}
	return decimalOf(negative, whole, fraction)
}

// smallInt parses an exponent, which is small in a number that is within the bounds.
func smallInt(text string) (n int, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	digits = strings.TrimPrefix(digits, "+")
	if digits == "" || len(digits) > 2 || !isDigits(digits) {
		return 0, false
	}
	for _, r := range digits {
		n = 10*n + int(r-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// shift moves the point of a number to the right by n digits, or to the left.
func shift(whole, fraction string, n int) (string, string) {
	if n < 0 {
		whole = strings.Repeat("0", -n) + whole
		at := len(whole) + n
		return whole[:at], whole[at:] + fraction
	}
	fraction += strings.Repeat("0", n)
	return whole + fraction[:n], fraction[n:]
}

// decimalOf returns the number with these digits. It reports whether the number is within the bounds.
func decimalOf(negative bool, whole, fraction string) (Decimal, bool) {
	if len(fraction) > maxFraction {
		r, ok := new(big.Rat).SetString("0" + whole + "." + fraction)
		if !ok { // Unreachable: both are digits.
			return "", false
		}
		whole, fraction, _ = strings.Cut(r.FloatString(maxFraction), ".")
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if len(whole) > maxWhole {
		return "", false
	}
	whole = cmp.Or(whole, "0")
	text := whole
	if fraction != "" {
		text += "." + fraction
	}
	if negative && text != "0" {
		text = "-" + text
	}
	return Decimal(text), true
}

func isDigits(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// Rat returns the number for calculations, and zero for no number.
func (d Decimal) Rat() *big.Rat {
	r := new(big.Rat)
	if checked, ok := ParseDecimal(string(d)); ok {
		r.SetString(string(checked))
	}
	return r
}

// Compare returns -1, 0 or 1 for a number that is less than e, equal or greater.
func (d Decimal) Compare(e Decimal) int { return d.Rat().Cmp(e.Rat()) }

// minus returns the difference of two numbers.
func (d Decimal) minus(e Decimal) Decimal {
	negative := false
	diff := new(big.Rat).Sub(d.Rat(), e.Rat())
	if diff.Sign() < 0 {
		negative, diff = true, diff.Neg(diff)
	}
	whole, fraction, _ := strings.Cut(diff.FloatString(maxFraction), ".")
	out, _ := decimalOf(negative, whole, fraction)
	return out
}
