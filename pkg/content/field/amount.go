package field

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Bounds of a text that holds an amount: its bytes, and the numbers in it.
const (
	maxText    = 600
	maxNumbers = 24
)

// Why an amount is not read, although it is one.
const (
	severalPieces = "the amount is one of several payments, or for several pieces"
	otherCount    = "the number counts cents, thousands or millions"
)

// amount is a number in a text of an amount of money, with what the text around it says of it.
type amount struct {
	number    Decimal
	text      numeral
	codes     []string // the currencies that its sign stands for
	named     bool     // a currency stands beside it
	negative  bool
	per       string
	from      bool
	upTo      bool   // it ends the range that the amount before it begins
	listed    bool   // a usual or earlier price
	aside     bool   // a discount, a deposit, the costs of shipping
	none      bool   // it is no amount
	unsure    string // why it is not read, although it is an amount
	code, why string
}

// readMoney reads the amount in a text.
func readMoney(text string, h Hint) (v Value, why string, ok bool) {
	text = signInside.ReplaceAllString(dom.PlainDigits(dom.Fold(text)), "$1.$2€$3")
	text = signApart.ReplaceAllString(text, "$1$2.$3 €")
	if d, ok := ParseDecimal(text); ok && h.Program && strings.ContainsAny(text, "eE") {
		text = string(d)
	}
	switch {
	case len(text) > maxText:
		return v, "the text is too long for an amount", false
	case free.MatchString(text):
		return Value{Type: Money, Number: "0", Currency: h.Currency}, "free", true
	}
	if m := blankInside.FindStringSubmatchIndex(text); m != nil {
		if strings.IndexFunc(restOf(text), unicode.IsLetter) >= 0 {
			return v, "the text may be one amount with a blank in it, or two", false
		}
		text = text[:m[2]] + text[m[3]:]
	}
	all, why := findAmounts(text)
	if why != "" {
		return v, why, false
	}
	if len(all) == 0 {
		return v, "", false
	}
	all, why, ok = choose(all, h, strings.IndexFunc(restOf(text), unicode.IsLetter) >= 0)
	if !ok {
		return v, why, false
	}
	return join(all)
}

// signInside matches an amount with its sign in place of the point, as in 12€90.
var signInside = regexp.MustCompile(`(\d)€(\d\d)([^\d€.,%]|$)`)

// signApart matches an amount at the end of a text, with its sign in place of the point and a blank, as in 12 € 50.
var signApart = regexp.MustCompile(`(^|[^\d.,])(\d{1,6}) ?€ (\d\d)$`)

// blankInside matches a number with a blank behind its point, as in 118, 99.
var blankInside = regexp.MustCompile(`^\D*\d[\d.'’]*[.,]( )\d\d(?:\D|$)`)

// numberStart matches the places where a number may begin.
var numberStart = regexp.MustCompile(`[.,]?\d`)

// findAmounts returns the numbers of a text that may be amounts.
func findAmounts(text string) (all []amount, why string) {
	end := 0
	var texts []string
	for {
		at := numberStart.FindStringIndex(text[end:])
		if at == nil {
			break
		}
		start := end + at[0]
		if len(all) == maxNumbers {
			return nil, "the text has too many numbers"
		}
		if text[start] < '0' && start > 0 && !isStart(text[:start]) {
			start++ // the sign ends a word
		}
		n := numeralAt(text, start)
		before, negative := withoutMinus(text[end:start], len(all) == 0)
		texts = append(texts, before)
		all = append(all, amount{text: n, negative: negative})
		end = n.end
	}
	attach(all, append(texts, text[end:]))
	return slices.DeleteFunc(all, func(a amount) bool { return a.none }), ""
}

// withoutMinus removes the sign of a negative amount from the text before it, where it stands before or behind a
// currency. A dash between two amounts is no sign.
func withoutMinus(before string, first bool) (rest string, negative bool) {
	rest, behind := before, ""
	if codes, without := currencyAtEnd(before); codes != nil {
		rest, behind = without, before[len(without):]
	}
	cut := strings.TrimSuffix(strings.TrimSuffix(rest, "-"), "−")
	r, _ := utf8.DecodeLastRuneInString(cut)
	if cut == rest || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(".,-−–—", r) {
		return before, false
	}
	if _, left := currencyAtStart(cut); !first && strings.TrimSpace(left) == "" {
		return before, false
	}
	return cut + behind, true
}

// isStart reports whether a number that begins with a sign may follow a text.
func isStart(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// segment is the text between two numbers, or before the first or behind the last: the currency of the number before
// it, that of the number behind it, and what is left.
type segment struct {
	before, behind []string
	text           string
}

// segmentsOf divides texts between numbers. A currency between two numbers is of the number behind it if one stands
// before the first number.
func segmentsOf(texts []string) (out []segment) {
	first, _ := currencyAtEnd(texts[0])
	for i, text := range texts {
		s := segment{text: text}
		last := i+1 == len(texts)
		if !last && first != nil {
			s.behind, s.text = currencyAtEnd(s.text)
		}
		if i > 0 {
			s.before, s.text = currencyAtStart(s.text)
		}
		if !last && first == nil {
			s.behind, s.text = currencyAtEnd(s.text)
		}
		out = append(out, s)
	}
	return out
}

// attach reads what stands around amounts, and marks the numbers that are no amounts.
func attach(all []amount, texts []string) {
	if len(all) == 0 {
		return
	}
	parts := segmentsOf(texts)
	for i := range all {
		a, before, behind := &all[i], parts[i], parts[i+1]
		a.codes = before.behind
		if a.codes == nil {
			a.codes = behind.before
		}
		a.named = a.codes != nil
		a.upTo = i > 0 && between.MatchString(before.text) && !all[i-1].none
		a.from = fromWord.MatchString(before.text) || fromBehind.MatchString(behind.text)
		a.listed = notNow.MatchString(before.text)
		a.aside = aside.MatchString(before.text) || asideBehind.MatchString(behind.text) &&
			(i+1 == len(all) || !aside.MatchString(behind.text)) // else the word is of the next amount
		if a.per == "" {
			a.per = unitAfter(behind.text)
		}
		if i > 0 && all[i-1].text.String() != "1" && countBefore.MatchString(before.text) &&
			!packOf.MatchString(parts[i-1].text) {
			a.unsure, a.aside = severalPieces, true
		}
		if multiplied.MatchString(behind.text) {
			a.unsure = otherCount
		}
		a.none = !a.named && (isInWord(texts[i]) || isOther(behind.text))
		switch count := a.text.String(); {
		case a.named:
		case i > 0 && countWord.MatchString(before.text) && isUnit(behind.text): // je 100 g
			all[i-1].per, a.none = unitNamed(count, strings.TrimSpace(unitWord.FindString(behind.text))), true
		case i+1 < len(all) && unitAhead(count+behind.text) != "": // 1 kg = 3,98 €
			all[i+1].per, a.none = unitAhead(count+behind.text), true
		}
	}
}

// isInWord reports whether a letter stands directly before a number, as in SM7.
func isInWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(r)
}

// isOther reports whether a number is no amount by what follows it: a percentage, a size such as 250g, a word.
func isOther(behind string) bool {
	r, _ := utf8.DecodeRuneInString(behind)
	return strings.HasPrefix(strings.TrimLeft(behind, " "), "%") || unicode.IsLetter(r)
}

// isUnit reports whether a text begins with the name of a unit.
func isUnit(text string) bool {
	return unitNamed("", strings.TrimSpace(unitWord.FindString(text))) != ""
}

var (
	countWord = regexp.MustCompile(`(?i)(?:/|per|pro|par|por|je|al|á|na|za)\s*$`)
	unitWord  = regexp.MustCompile(`^\s*[\pL²³]+\d?\.?`)
)

// restOf returns what is left of a text without the words that stand around amounts.
func restOf(text string) string {
	rest := ""
	for i, segment := range numberRun.Split(text, -1) {
		if codes, behind := currencyAtStart(segment); codes != nil && i > 0 {
			segment = behind
		}
		if codes, before := currencyAtEnd(segment); codes != nil {
			segment = before
		}
		if i > 0 {
			segment = withoutUnit(segment)
		}
		segment = fromWord.ReplaceAllString(segment, "")
		if !between.MatchString(segment) {
			rest += segment
		}
	}
	return rest
}

var numberRun = regexp.MustCompile(`\d[\d.,'’ \x{a0}\x{202f}]*`)

// choose returns the amounts that are the price, and reads them: one, or two for a range. lettered is whether the text
// has words that are not known.
func choose(all []amount, h Hint, lettered bool) (out []amount, why string, ok bool) {
	if slices.ContainsFunc(all, func(a amount) bool { return a.named }) {
		all = keepRanges(all, func(a amount) bool { return a.named })
	} else if lettered {
		return nil, "there is no currency next to the number", false
	}
	for _, wanted := range []func(amount) bool{
		func(a amount) bool { return !a.aside }, func(a amount) bool { return a.per == "" || isTime(a.per) },
		func(a amount) bool { return !a.listed },
	} {
		if left := keepRanges(all, wanted); len(left) > 0 {
			all = left
		}
	}
	for i := range all {
		if all[i].unsure != "" {
			return nil, all[i].unsure, false
		}
		if why, ok := all[i].read(h); !ok {
			return nil, why, false
		}
	}
	return together(all)
}

// isTime reports whether a price is for a time, as that of a subscription is. It is the price of the product.
func isTime(unit string) bool {
	return slices.Contains([]string{"month", "year", "week", "day", "night", "hour"}, unit)
}

// keepRanges returns the wanted amounts, and the other ends of their ranges.
func keepRanges(all []amount, wanted func(amount) bool) (out []amount) {
	for i, a := range all {
		if wanted(a) || i+1 < len(all) && all[i+1].upTo && wanted(all[i+1]) || a.upTo && i > 0 && wanted(all[i-1]) {
			out = append(out, a)
		}
	}
	return out
}

// calculated is the number of decimals beyond which a program calculated an amount, as in 198.99996.
const calculated = 4

// read reads the number and the currency of an amount.
func (a *amount) read(h Hint) (why string, ok bool) {
	code, reason, ok := h.resolve(a.codes)
	if !ok {
		return reason, false
	}
	k := kind{money: true, code: code, decimals: decimalsOf(code), unit: a.per != ""}
	if k.code == "" && len(a.codes) > 0 {
		k.code, k.decimals = a.codes[0], decimalsOf(a.codes[0])
		for _, other := range a.codes {
			if decimalsOf(other) != k.decimals {
				k.code = "" // the signs of several currencies with other decimals say nothing
			}
		}
	}
	number, why, ok := a.text.read(h, k)
	if !ok {
		return why, false
	}
	if _, fraction, _ := strings.Cut(string(number), "."); h.Program && len(fraction) > calculated {
		number, _ = ParseDecimal(number.Rat().FloatString(decimalsOf(code)))
		why = "rounded"
	}
	if a.negative {
		number = Decimal("0").minus(number)
	}
	a.number, a.code, a.why = number, code, strings.Trim(reason+"; "+why, "; ")
	return "", true
}

// together returns one amount, or the two ends of a range.
func together(all []amount) (out []amount, why string, ok bool) {
	for _, a := range all {
		if len(out) == 0 || a.number != out[len(out)-1].number || a.code != out[len(out)-1].code ||
			a.per != out[len(out)-1].per {
			if !slices.ContainsFunc(out, a.same) {
				out = append(out, a)
			}
		}
	}
	if len(out) == 2 && out[1].upTo && out[0].per == "" {
		out[0].per = out[1].per
	}
	switch {
	case len(out) == 1:
		return out, "", true
	case len(out) == 2 && out[1].upTo && out[0].per == out[1].per && out[0].number.Compare(out[1].number) < 0:
		return out, "", true
	case len(out) == 0:
		return nil, "", false
	}
	return nil, fmt.Sprintf("the text has several amounts: %s and %s", out[0].text, out[1].text), false
}

// same reports whether two amounts have one value.
func (a amount) same(b amount) bool {
	return a.number == b.number && a.code == b.code && a.per == b.per
}

// join makes a value of one amount or of a range. Of a range, one end may name the currency of both.
func join(all []amount) (v Value, why string, ok bool) {
	a := all[0]
	v = Value{Type: Money, Number: a.number, Currency: a.code, Per: a.per, From: a.from}
	if len(all) == 1 {
		return v, a.why, true
	}
	b := all[1]
	if v.High, v.From = b.number, false; a.code != b.code {
		if a.named && b.named {
			return Value{}, "the ends of the range have other currencies", false
		}
		v.Currency = strings.TrimSpace(a.code + b.code)
	}
	return v, strings.Trim(a.why+"; "+b.why, "; "), true
}
