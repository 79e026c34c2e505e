// Package noise converts text into the form that the content hash covers, so that text which changes by itself is not
// taken as a change of content (H12).
//
// In the hashed form, a placeholder replaces relative times ("updated 3 days ago") and counters ("12 comments"), but
// only in lines that contain little else: in prose they are part of what the author wrote. A placeholder also
// replaces years beside a copyright sign. Quotation marks, dashes, and dates that have a year are each hashed in one
// form, because the regional editions of a site write them differently. The text of a document keeps all of these
// unchanged.
//
// Alternatives considered: folding relative times everywhere, future times ("in 30 days") included, would hide
// changes of deadlines; folding every number would hide prices.
package noise

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The placeholders for folded text. They are control characters, which the text itself never contains.
const (
	passingTime = "\x01"
	counter     = "\x02"
	someYear    = "\x03"
)

const (
	// shortLine is the greatest length, in runes, of a line in which a relative time is taken as the date of the
	// page.
	shortLine = 80
	// shortLabel is the greatest length, in runes, of a line in which words such as "yesterday" are taken as the date
	// of the page.
	shortLabel = 40
	// copyrightLine is the greatest length, in bytes, of a line with a copyright sign in which years are folded.
	copyrightLine = 300
)

// token is a piece of a line: a word, digits, or one other character.
type token struct {
	kind       tokenKind
	start, end int
	word       string // the word in lower case; empty for other tokens
}

type tokenKind uint8

const (
	word tokenKind = iota
	digits
	sign
)

// Filter folds text that changes by itself. The zero value is ready to use. A Filter reuses its memory from one line
// to the next.
type Filter struct {
	Out       []byte   // hashed form of the text so far
	Protected []string // the mail addresses that the next lines hide, in order; each is used once

	line   string
	tokens []token
	times  timeReader
}

// Block appends the hashed form of a block's lines, with a space between the lines.
func (s *Filter) Block(text string) {
	between := false
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if between {
			s.Out = append(s.Out, ' ')
		}
		s.add(s.unprotected(line))
		between = true
	}
}

// unprotected returns a line with its hidden addresses restored.
func (s *Filter) unprotected(line string) string {
	if len(s.Protected) == 0 || !strings.Contains(line, protection) {
		return line
	}
	var out strings.Builder
	for i, part := range strings.Split(line, protection) {
		switch {
		case i > 0 && len(s.Protected) > 0:
			out.WriteString(s.Protected[0])
			s.Protected = s.Protected[1:]
		case i > 0:
			out.WriteString(protection)
		}
		out.WriteString(part)
	}
	return out.String()
}

// add appends the hashed form of a line. It treats each table cell, and each part of a line that dots separate, as a
// line of its own.
func (s *Filter) add(line string) {
	for {
		at, size := partEnd(line)
		s.part(line[:at])
		if at == len(line) {
			return
		}
		s.Out = append(s.Out, line[at:at+size]...)
		line = line[at+size:]
	}
}

// partEnd returns the end of the first part of a line and the length of the separator after it.
func partEnd(line string) (at, size int) {
	for i, r := range line {
		switch r {
		case '|', '·', '•', '∙', '●', '\n':
			return i, utf8.RuneLen(r)
		}
	}
	return len(line), 0
}

func (s *Filter) part(part string) {
	s.line = part
	short := utf8.RuneCountInString(part) <= shortLine
	if !short && !hasYear(part) {
		s.plain(0, len(part))
		return
	}
	s.tokens = tokens(s.tokens[:0], part)
	if short && isCounter(s.tokens) {
		s.Out = append(s.Out, counter...)
		return
	}
	s.times.begin(s.tokens, short, utf8.RuneCountInString(part) <= shortLabel)
	protected := len(part) <= copyrightLine && hasCopyright(s.tokens, part)
	done, year := 0, 0
	for i := 0; i < len(s.tokens); {
		for year < len(s.tokens) && (year < i || !isYear(part, s.tokens[year])) {
			year++
		}
		mark, n := s.fold(i, year, protected)
		if n == 0 {
			i++
			continue
		}
		s.plain(done, s.tokens[i].start)
		s.Out = append(s.Out, mark...)
		i += n
		done = s.tokens[i-1].end
	}
	s.plain(done, len(part))
}

// fold returns the placeholder for the tokens from index i on, and the number of tokens that it replaces. The number
// is 0 if nothing is folded. Parameter year is the index of the next year in the line.
func (s *Filter) fold(i, year int, protected bool) (mark string, n int) {
	if year < len(s.tokens) && year-i < longestDate {
		if mark, n = dateAt(s.line, s.tokens[i:min(len(s.tokens), i+longestDate)]); n > 0 {
			return mark, n
		}
		if n = yearsAt(s.line, s.tokens[i:]); protected && n > 0 {
			return someYear, n
		}
	}
	if i > 0 && glued(s.tokens[i-1], s.tokens[i]) {
		return "", 0
	}
	return passingTime, s.times.at(i)
}

// glued reports whether token b continues the word of token a, as in "x3d".
func glued(a, b token) bool {
	return a.end == b.start && a.kind == word && b.kind == digits && a.word[0] < utf8.RuneSelf
}

// plain appends a part of the line in which nothing is folded, with quotation marks and dashes in one form.
func (s *Filter) plain(from, to int) {
	start := from
	for i := from; i < to; {
		if s.line[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.line[i:to])
		if form := oneForm(r); form != "" {
			s.Out = append(append(s.Out, s.line[start:i]...), form...)
			start = i + size
			if r == '«' && strings.HasPrefix(s.line[start:to], " ") {
				start++ // « so » is the same as «so»
				size++
			}
			if r == '»' && len(s.Out) > 1 && s.Out[len(s.Out)-2] == ' ' {
				s.Out = append(s.Out[:len(s.Out)-2], form...)
			}
		}
		i += size
	}
	s.Out = append(s.Out, s.line[start:to]...)
}

// oneForm returns the hashed form of a punctuation mark that regions write in several ways, or "" for other
// characters.
func oneForm(r rune) string {
	switch r {
	case '“', '”', '„', '‟', '«', '»', '″', '＂':
		return `"`
	case '‘', '’', '‚', '‛', '′', '‹', '›', '´', '＇':
		return "'"
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return "-"
	case '…':
		return "..."
	}
	return ""
}

// tokens appends the tokens of a line to list. In scripts without spaces between words, each letter is a token.
func tokens(list []token, line string) []token {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		t := token{kind: kindOf(r), start: i, end: i + size}
		i = t.end
		if unicode.IsSpace(r) {
			continue
		}
		for t.kind != sign && i < len(line) {
			next, size := utf8.DecodeRuneInString(line[i:])
			if !unicode.IsMark(next) && (kindOf(next) != t.kind || t.kind == word && (unspaced(r) || unspaced(next))) {
				break
			}
			i += size
			t.end = i
		}
		if t.kind == word {
			t.word = strings.ToLower(line[t.start:t.end])
		}
		list = append(list, t)
	}
	return list
}

func kindOf(r rune) tokenKind {
	switch {
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		return word
	case '0' <= r && r <= '9':
		return digits
	case r < utf8.RuneSelf:
		return sign
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return word
	case unicode.IsDigit(r):
		return digits
	}
	return sign
}

func unspaced(r rune) bool {
	const firstThai = 0x0e00 // scripts with lower codes put spaces between words
	return r >= firstThai &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar)
}
