package noise

import (
	"strings"
	"unicode"
)

// heading is a heading above the current line.
type heading struct {
	level int
	words []string // in lower case
	facts bool     // numbers below it are information
}

// Section forgets the headings above, because the next lines begin a separate part of the page.
func (s *Filter) Section() { s.headings = s.headings[:0] }

// Heading appends the hashed form of a heading. The lines after the heading count as below it, until there is a
// heading of the same level or a higher one.
func (s *Filter) Heading(level int, text string) {
	for n := len(s.headings); n > 0 && s.headings[n-1].level >= level; n-- {
		s.headings = s.headings[:n-1]
	}
	if n := len(s.headings); n > 0 && s.headings[n-1].level < 2 {
		s.headings = s.headings[:n-1] // the title of the page does not name what is below another heading
	}
	s.Block(text)
	h := heading{level: level}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		h.words = append(h.words, w)
		h.facts = h.facts || lineVocabulary().facts[w]
	}
	s.headings = append(s.headings, h)
}
