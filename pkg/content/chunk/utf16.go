package chunk

import "strings"

// replacement stands for half of a surrogate pair, as the encoders of the reference runtime write it.
const replacement = "\uFFFD"

// stride is the distance of the samples of a [Text], in UTF-16 code units.
const stride = 64

// Text is a text whose places are counted in UTF-16 code units, as JavaScript counts them. Making
// one takes time linear in its length, finding a place takes constant time.
type Text struct {
	s       string // valid UTF-8
	units   int
	samples []offset // of every stride-th unit; nil when each unit is a byte
}

// offset is a place between two characters, counted in bytes and in UTF-16 code units.
type offset struct{ bytes, units int }

// NewText prepares a text. What is not UTF-8 in it becomes U+FFFD.
func NewText(s string) Text {
	s = strings.ToValidUTF8(s, replacement)
	t := Text{s: s, units: unitsOf(s)}
	if t.units == len(s) {
		return t
	}
	t.samples = make([]offset, 0, t.units/stride+1)
	for at := (offset{}); at.bytes < len(s); {
		size, n := sizes(s[at.bytes])
		if at.units+n > len(t.samples)*stride { // it has the next unit to mark, maybe as its second half
			t.samples = append(t.samples, at)
		}
		at.bytes += size
		at.units += n
	}
	return t
}

// unitsOf is the length of s in UTF-16 code units.
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

// sizes are the bytes and units of the character that begins with a byte (RFC 3629 §3).
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

// Len is the length in UTF-16 code units.
func (t Text) Len() int { return t.units }

// Slice is the text from start to end. Half of a surrogate pair at either end becomes U+FFFD.
// It panics unless 0 ≤ start ≤ end ≤ Len.
func (t Text) Slice(start, end int) string {
	first, text, last := t.slice(start, end)
	return first + text + last
}

// slice gives the characters between start and end, and U+FFFD for each half before and behind them.
func (t Text) slice(start, end int) (first, text, last string) {
	if start == end {
		return "", "", ""
	}
	from, cutFrom := t.find(start)
	to, cutTo := t.find(end)
	if cutFrom {
		first = replacement
		from += 4 // what has two halves takes four bytes
	}
	if cutTo {
		last = replacement
	}
	return first, t.s[from:to], last
}

// find is the byte at which a unit stands; half reports that it is the second of the character there.
func (t Text) find(unit int) (at int, half bool) {
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
func (t Text) sum(label string, start, end int) string {
	first, text, last := t.slice(start, end)
	return sum(label, first, text, last)
}
