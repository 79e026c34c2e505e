package field

import (
	"regexp"
	"slices"
	"strings"
)

// Bounds of an explanation: lines that differ, and the bytes of one.
const (
	maxLines = 200
	maxLine  = 2000
)

// Explain reports whether changes explain all that differs between two texts: every line that only one of them has is
// the same as one of the other, if the values of the fields are left out, or is nothing but a value that came or went.
// In doubt they do not.
func Explain(changes []Change, before, now string) bool {
	gone, come := onlyIn(lines(before), lines(now)), onlyIn(lines(now), lines(before))
	if len(gone) > maxLines || len(come) > maxLines {
		return false
	}
	was := masked(gone, changes, Change.Previous)
	is := masked(come, changes, Change.Current)
	return slices.Equal(was, is)
}

// lines returns the lines of a text without blanks around them, and none that is empty.
func lines(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// onlyIn returns the lines that one list has more often than the other.
func onlyIn(list, other []string) (out []string) {
	left := map[string]int{}
	for _, line := range other {
		left[line]++
	}
	for _, line := range list {
		if left[line]--; left[line] < 0 {
			out = append(out, line)
		}
	}
	return out
}

// mask stands for a value that was left out.
const mask = "\x00"

// masked returns lines without the values of fields, sorted. Lines that are nothing but a value are left out.
func masked(all []string, changes []Change, value func(Change) Value) (out []string) {
	for _, line := range all {
		if len(line) > maxLine {
			return []string{line}
		}
		for _, c := range changes {
			if v := value(c); !v.None() {
				line = without(line, v)
			}
			if c.Previous().None() || c.Current().None() { // a value that came or went takes its currency with it
				line = strings.TrimSpace(cameOrWent.ReplaceAllString(line, ""))
			}
		}
		line = strings.ReplaceAll(line, struck, "")
		if strings.Trim(line, mask+currencySigns) != "" {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

// struck surrounds struck text.
const struck = "~~"

var cameOrWent = regexp.MustCompile("(?:[€$£¥] ?)?" + mask + "(?: ?[€$£¥])?")

const currencySigns = " .,€$£¥"

// amounts matches numbers with the signs in them.
var amounts = regexp.MustCompile(`[0-9]+(?:[.,'’\x{00a0}\x{202f} ][0-9]+)*`)

// without returns a line in which a value is masked.
func without(line string, v Value) string {
	switch v.Type {
	case Number, Money:
		return amounts.ReplaceAllStringFunc(line, func(text string) string {
			if means(text, v.Number) || v.High != "" && means(text, v.High) {
				return mask
			}
			return text
		})
	case Availability:
		const most = 5 // words: a longer line says something else, too
		if len(strings.Fields(line)) > most {
			return line
		}
		if got, _, ok := Parse(v.Type, line, Hint{}); ok && shownAs(v.Text) == shownAs(got.Text) {
			return mask
		}
		return line
	}
	for _, text := range []string{v.Shown, v.Text} {
		if text != "" {
			line = strings.ReplaceAll(line, text, mask)
		}
	}
	return line
}

// shownAs returns the name of an availability without a difference that pages do not show.
func shownAs(name string) string {
	if name == "SoldOut" {
		return "OutOfStock"
	}
	return name
}

// means reports whether a text can mean a number: its last sign may precede decimals or thousands.
func means(text string, d Decimal) bool {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	}
	if got, ok := ParseDecimal(digits(text)); ok && got == d {
		return true
	}
	at := strings.LastIndexAny(text, ".,")
	if at < 0 {
		return false
	}
	got, ok := ParseDecimal(digits(text[:at]) + "." + digits(text[at+1:]))
	return ok && got == d
}
