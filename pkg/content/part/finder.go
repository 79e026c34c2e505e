package part

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// maxSearched bounds the bytes that are searched for the lines of a part, for one comparison. Each search for a line or
// a word counts as eachSearch bytes more.
const (
	maxSearched = 128 << 20
	eachSearch  = 64
)

// finder finds the watched part in the lines of the whole page.
type finder struct {
	counts map[string]bool // the lines of the part; false for those that are ignored
	lines  []string        // the lines that may stand within longer lines of the page, each once
	cut    bool            // words may have been cut out of the lines
	left   int             // bytes that may still be searched
}

func finderOf(p *Part) *finder {
	m := &finder{counts: map[string]bool{}, cut: len(p.spec.Exclude) > 0, left: maxSearched}
	times := map[string]int{}
	for l := range linesOf(p.Doc.Text) {
		m.counts[l] = false
		times[l]++
	}
	for l := range linesOf(p.Text) {
		m.counts[l] = true
	}
	if p.Whole() { // Then a line of the part that is a line of the page is nowhere else.
		for l := range linesOf(p.page) {
			times[l]--
		}
	}
	for l := range linesOf(p.Doc.Text) {
		if times[l] > 0 {
			m.lines = append(m.lines, l)
		}
		times[l] = 0
	}
	return m
}

// linesOf yields the lines of a text that are not blank, without the space around them.
func linesOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for l := range strings.SplitSeq(text, "\n") {
			if l = strings.TrimSpace(l); l != "" && !yield(l) {
				return
			}
		}
	}
}

// span is a part of a line, from one byte to another.
type span struct{ from, to int }

// match says what a line of a page has to do with the part.
type match struct {
	differs bool   // words of the line that count differ
	holds   bool   // some of the line counts, whether it differs or not
	ignored string // a line of the part that is ignored, and in which words differ
}

// of compares the differing words of a line with the part. If the line is too expensive to search, all of it counts:
// nothing is said to be ignored that may count.
func (m *finder) of(line string, hits []span) (out match) {
	all := match{differs: true, holds: true}
	if counts, known := m.counts[strings.TrimSpace(line)]; counts {
		return all
	} else if known {
		return match{ignored: line}
	}
	for _, l := range m.lines {
		found := m.find(line, l)
		if m.left < 0 {
			return all
		}
		meet := overlap(found, hits)
		if m.counts[l] {
			out.differs, out.holds = out.differs || meet, out.holds || len(found) > 0
		} else if meet {
			out.ignored = l
		}
	}
	return out
}

// find returns where a line of the part is in a line of the page.
func (m *finder) find(line, text string) []span {
	if m.left -= eachSearch; len(text) > len(line) {
		return nil
	}
	m.left -= len(line)
	found := m.occurrences(line, text)
	if len(found) == 0 && m.cut {
		m.left -= len(line)
		found = m.scattered(line, text)
	}
	return found
}

// overlap reports whether spans of two lists, each in order, have bytes in common.
func overlap(a, b []span) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].to <= b[0].from:
			a = a[1:]
		case b[0].to <= a[0].from:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// hitsOf returns the words of a line that differ, without the space around them.
func hitsOf(pieces []textdiff.Piece) (out []span) {
	at := 0
	for _, piece := range pieces {
		if word := strings.TrimSpace(piece.Text); piece.Hit && word != "" {
			from := at + strings.Index(piece.Text, word)
			out = append(out, span{from, from + len(word)})
		}
		at += len(piece.Text)
	}
	return out
}

// occurrences returns where a text is in a line as whole words.
func (m *finder) occurrences(line, text string) (out []span) {
	for at := 0; ; {
		found, ok := m.next(line, text, at)
		if !ok {
			return out
		}
		out, at = append(out, found), found.to
	}
}

// next returns the first place of a text in a line, from a byte on, at which the text is of whole words.
func (m *finder) next(line, text string, at int) (found span, ok bool) {
	for {
		i := strings.Index(line[at:], text)
		if m.left -= eachSearch; i < 0 || m.left < 0 {
			return found, false
		}
		found = span{at + i, at + i + len(text)}
		if !joins(line[:found.from], text) && !joins(text, line[found.to:]) {
			return found, true
		}
		at = found.to
	}
}

// joins reports whether two texts meet within a word or a number. In scripts without capitals it returns false, because
// many of them do not separate words.
func joins(before, after string) bool {
	a, _ := utf8.DecodeLastRuneInString(before)
	b, _ := utf8.DecodeRuneInString(after)
	cased := func(r rune) bool { return unicode.IsLower(r) || unicode.IsUpper(r) }
	return cased(a) && cased(b) || unicode.IsDigit(a) && unicode.IsDigit(b)
}

// scattered returns where the words of a text are in a line, if all of them are, in their order: what is between them
// may have been cut out of the text.
func (m *finder) scattered(line, text string) (out []span) {
	at := 0
	for text = strings.TrimSpace(text); text != ""; {
		n := wordEnd(text)
		found, ok := m.next(line, text[:n], at)
		if !ok {
			return nil
		}
		out, at = append(out, found), found.to
		text = strings.TrimSpace(text[n:])
	}
	return out
}

// wordEnd returns the length of the first word of a text, or of its first character if that is of no word.
func wordEnd(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	for n < len(text) && joins(text[:n], text[n:]) {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	return n
}
