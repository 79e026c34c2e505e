package chunk

import "strings"

// replacement is written in place of half a surrogate pair, as encoders in the reference runtime do.
const replacement = "\uFFFD"

// stride is the distance between the samples of a [indexedText], in UTF-16 code units.
const stride = 64

// indexedText is a text with positions in UTF-16 code units, as in JavaScript. NewText takes time linear in the
// length of the text; finding a position takes constant time.
type indexedText struct {
	s       string // valid UTF-8
	units   int
	samples []offset // position of every stride-th unit; nil if each unit is a byte
}

// offset is a position between two characters, in bytes and in UTF-16 code units.
type offset struct{ bytes, units int }

// newText prepares a text. It replaces invalid UTF-8 by U+FFFD.
func newText(s string) indexedText {
	s = strings.ToValidUTF8(s, replacement)
	t := indexedText{s: s, units: unitsOf(s)}
	if t.units == len(s) {
		return t
	}
	t.samples = make([]offset, 0, t.units/stride+1)
	for at := (offset{}); at.bytes < len(s); {
		size, n := sizes(s[at.bytes])
		if at.units+n > len(t.samples)*stride { // the next unit to sample is in this character, perhaps its second half
			t.samples = append(t.samples, at)
		}
		at.bytes += size
		at.units += n
	}
	return t
}

// unitsOf returns the length of s in UTF-16 code units.
func unitsOf(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0xf0:
			n += 2
		case c&0xc0 != 0x80:
			n++
		}
	}
	return n
}

// sizes returns the number of bytes and of UTF-16 units of the character whose first byte is given (RFC 3629 §3).
func sizes(first byte) (bytes, units int) {
	switch {
	case first < 0x80:
		return 1, 1
	case first < 0xe0:
		return 2, 1
	case first < 0xf0:
		return 3, 1
	}
	return 4, 2
}

// Len returns the length in UTF-16 code units.
func (t indexedText) Len() int { return t.units }

// slice returns the characters that are completely between start and end. If start or end splits a surrogate pair,
// first or last is U+FFFD; otherwise it is "". It panics unless 0 ≤ start ≤ end ≤ Len.
func (t indexedText) slice(start, end int) (first, text, last string) {
	if start == end {
		return "", "", ""
	}
	from, cutFrom := t.find(start)
	to, cutTo := t.find(end)
	if cutFrom {
		first = replacement
		from += 4 // a character with two halves has four bytes
	}
	if cutTo {
		last = replacement
	}
	return first, t.s[from:to], last
}

// find returns the byte offset of a unit, and whether the unit is the second half of the character at that offset.
func (t indexedText) find(unit int) (at int, half bool) {
	if t.samples == nil {
		return unit, false
	}
	if unit == t.units {
		return len(t.s), false
	}
	m := t.samples[unit/stride]
	for m.units < unit {
		size, n := sizes(t.s[m.bytes])
		if m.units+n > unit {
			return m.bytes, true
		}
		m.bytes += size
		m.units += n
	}
	return m.bytes, false
}

// sum hashes a slice under a label.
func (t indexedText) sum(label string, start, end int) string {
	first, text, last := t.slice(start, end)
	return sum(label, first, text, last)
}
