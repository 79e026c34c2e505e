package linememory

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// token is a word, a number, a sign, or the end of a line.
type token struct {
	from, to int    // bytes of the text
	key      uint32 // hash of its text
	masked   uint32 // the same for all numbers
	number   bool   // it holds a digit, or is a word of dates and times, such as the name of a month
	end      bool   // it ends a line
	sign     bool   // it is neither a word nor a number
}

const (
	maskedNumber = 1
	endOfLine    = 2
)

// page is a text in tokens.
type page struct {
	text   string
	tokens []token
	rows   []uint32 // for each token, the hash of the first cell if its line is a row of a table
	left   []uint32 // for each position between tokens, the hash of the tokens before it
	right  []uint32 // and of the tokens after it
}

// context is the number of tokens that identify a position from one side.
const context = 5

func pageOf(text string) *page {
	p := &page{text: text}
	for from := 0; from < len(text); {
		to := from + strings.IndexByte(text[from:]+"\n", '\n')
		p.addLine(from, to)
		from = to + 1
	}
	p.setContexts()
	return p
}

// addLine adds the tokens of a line. A line without text adds none.
func (p *page) addLine(from, to int) {
	before := len(p.tokens)
	for at := from; at < to; {
		n, t := next(p.text[at:to])
		if t.to > 0 {
			t.from, t.to = at, at+t.to
			p.tokens = append(p.tokens, t)
		}
		at += n
	}
	if len(p.tokens) == before {
		return
	}
	p.tokens = append(p.tokens, token{from: to, to: to, key: endOfLine, masked: endOfLine, end: true, sign: true})
	row := rowKey(p.text[from:to])
	for range len(p.tokens) - before {
		p.rows = append(p.rows, row)
	}
}

// rowKey returns the hash of the first cell of a row of a table, and 0 for other lines.
func rowKey(line string) uint32 {
	rest, is := strings.CutPrefix(line, "|")
	cell, _, more := strings.Cut(rest, "|")
	if !is || !more {
		return 0
	}
	return hashOf(strings.TrimSpace(cell))
}

// longestTimeWord is the greatest length, in bytes, of a name of a month or a unit of time.
const longestTimeWord = 24

// next returns the token at the beginning of a text, and how many bytes to go on. Its end is 0 if there is none.
func next(s string) (n int, t token) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return size, t
	case !inWord(r):
		t = token{to: size, key: hashOf(s[:size]), sign: true}
		t.masked = t.key
		return size, t
	case words.IsSpaceless(r):
		t.to = size
	default:
		t.to = wordEnd(s)
	}
	t.number = isNumber(s[:t.to])
	if t.key = hashOf(s[:t.to]); t.number {
		t.masked = maskedNumber
	} else {
		t.masked = t.key
	}
	return t.to, t
}

// isNumber reports whether a word holds a digit, or is one of dates and times.
func isNumber(word string) bool {
	return strings.ContainsFunc(word, unicode.IsDigit) ||
		len(word) <= longestTimeWord && noise.IsTimeWord(strings.ToLower(word))
}

// wordEnd returns the length of the word or number at the beginning of a text. Signs between two digits are part of a
// number, as in 14:03:22 and 1,207.50.
func wordEnd(s string) int {
	digit := false
	for i, r := range s {
		switch {
		case inWord(r) && !words.IsSpaceless(r):
			digit = unicode.IsDigit(r)
		case digit && strings.ContainsRune(".,:/-'’\u00a0\u202f", r) && startsWithDigit(s[i+utf8.RuneLen(r):]):
			digit = false
		default:
			return i
		}
	}
	return len(s)
}

func startsWithDigit(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsDigit(r)
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func hashOf(s string) uint32 { return max(uint32(xxhash.Sum64String(s)), endOfLine+1) }

// setContexts computes the contexts of all positions between tokens.
func (p *page) setContexts() {
	n := len(p.tokens)
	p.left, p.right = make([]uint32, n+1), make([]uint32, n+1)
	mix := func(h, v uint32) uint32 { return (h^v)*16777619 + 0x9e3779b9 }
	for i := range n + 1 {
		var row uint32
		if i < n {
			row = p.rows[i]
		}
		l, r := row, row
		for d := range context {
			if i-1-d >= 0 {
				l = mix(l, p.tokens[i-1-d].masked)
			} else {
				l = mix(l, 0)
			}
			if i+d < n {
				r = mix(r, p.tokens[i+d].masked)
			} else {
				r = mix(r, 0)
			}
		}
		p.left[i], p.right[i] = l, r
	}
}

// span is a range of tokens [from, to).
type span struct{ from, to int }

func (s span) size() int { return s.to - s.from }

// textOf returns the text of a span.
func (p *page) textOf(s span) string {
	if s.from >= s.to {
		return ""
	}
	return p.text[p.tokens[s.from].from:p.tokens[s.to-1].to]
}

// lineOf returns the line of a token, and its span.
func (p *page) lineOf(i int) (string, span) {
	if len(p.tokens) == 0 {
		return "", span{}
	}
	i = min(i, len(p.tokens)-1)
	s := span{i, i + 1}
	for s.from > 0 && !p.tokens[s.from-1].end {
		s.from--
	}
	for s.to < len(p.tokens) && !p.tokens[s.to-1].end {
		s.to++
	}
	return strings.TrimRight(p.textOf(s), " \n"), s
}

// onlyNumbers reports whether the words of a span, which is in one line, are numbers and words of times.
func (p *page) onlyNumbers(s span) bool {
	has := false
	for _, t := range p.tokens[s.from:s.to] {
		if !t.number && !t.sign || t.end {
			return false
		}
		has = has || t.number
	}
	return has
}

// hash returns a hash of the texts of the tokens of a span.
func (p *page) hash(s span) uint32 { return p.sum(s, func(t token) uint32 { return t.key }) }

// form returns a hash of a span with its numbers masked.
func (p *page) form(s span) uint32 { return p.sum(s, func(t token) uint32 { return t.masked }) }

// sum returns a hash of the keys of the tokens of a span.
func (p *page) sum(s span, key func(token) uint32) uint32 {
	var b []uint32
	for _, t := range p.tokens[s.from:s.to] {
		b = append(b, key(t))
	}
	return hashOfAll(b)
}

func hashOfAll(keys []uint32) uint32 {
	var b []byte
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint32(b, k)
	}
	return uint32(xxhash.Sum64(b))
}
