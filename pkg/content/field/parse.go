package field

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// MaxText limits the bytes of a value of the type text: fields are labels, and their values are kept in rows.
const MaxText = 300

// Parse reads the value of a type in a text. why says how the text was read if it could be read in another way, or why
// it was not read. ok is false if there is no value; then why is "" for a text that is empty or has nothing of the
// type, such as a text without a digit in place of a number.
func Parse(t Type, text string, h Hint) (v Value, why string, ok bool) {
	shown := words.Clip(dom.Fold(strings.ToValidUTF8(text, "\ufffd")), MaxExcerpt)
	switch t {
	case Text:
		v, why = readText(text)
		ok = v.Text != ""
	case Number:
		v, why, ok = readNumber(text, h)
	case Money:
		v, why, ok = readMoney(text, h)
	case Date:
		v, why, ok = readDate(text, h)
	case Availability:
		v, why, ok = readStock(text)
	}
	if !ok && why == "" && t != Text && strings.ContainsAny(dom.PlainDigits(shown), "0123456789") {
		why = "no " + string(t) + " is found next to the digits"
	}
	if !ok {
		return Value{}, why, false
	}
	if shown != v.Text {
		v.Shown = shown
	}
	return v, why, true
}

// readText returns a text on one line.
func readText(text string) (v Value, why string) {
	text = dom.Fold(strings.ToValidUTF8(text, "\ufffd"))
	if len(text) > MaxText {
		rest := fmt.Sprintf("… #%08x", uint32(xxhash.Sum64String(text)))
		return Value{Type: Text, Text: dom.Clip(text, MaxText-len(rest)) + rest},
			"only the beginning of the text is kept; the number after # changes if the rest changes"
	}
	return Value{Type: Text, Text: text}, why
}

// readNumber reads the only number in a text.
func readNumber(text string, h Hint) (v Value, why string, ok bool) {
	text = dom.PlainDigits(dom.Fold(text))
	if len(text) > maxText {
		return v, "the text is too long for a number", false
	}
	if d, ok := ParseDecimal(text); ok && h.Program {
		return Value{Type: Number, Number: d}, "", true
	}
	found := ""
	for end := 0; ; {
		at := numberStart.FindStringIndex(text[end:])
		if at == nil {
			break
		}
		start := end + at[0]
		if text[start] < '0' && start > 0 && !isStart(text[:start]) {
			start++
		}
		n := numeralAt(text, start)
		if end = n.end; isInWord(text[:start]) {
			continue
		}
		d, reason, ok := n.read(h, kind{})
		switch {
		case !ok:
			return Value{}, reason, false
		case isNegative(text[:start]):
			d = Decimal("0").minus(d)
		}
		if found != "" && v.Number != d {
			return Value{}, "the text has several numbers: " + found + " and " + n.String(), false
		}
		found, why, v = n.String(), reason, Value{Type: Number, Number: d}
	}
	return v, why, found != ""
}

// isNegative reports whether a sign before a number makes it negative: one that joins no words or numbers.
func isNegative(before string) bool {
	r, width := utf8.DecodeLastRuneInString(before)
	if r != '-' && r != '−' {
		return false
	}
	r, _ = utf8.DecodeLastRuneInString(before[:len(before)-width])
	return width == len(before) || unicode.IsSpace(r)
}
