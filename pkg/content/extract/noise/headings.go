package noise

import (
	"strings"
	"unicode"
)

// heading is a heading above the next lines.
type heading struct {
	level int
	words []string // in lower case
	facts bool     // numbers below it are what the page is about
}

// Section forgets the headings above: the next lines begin a part of the page of its own.
func (s *Filter) Section() { s.headings = s.headings[:0] }

// Heading appends the hashed form of a heading. The lines after it are below it, until a heading of the same level or
// a higher one.
func (s *Filter) Heading(level int, text string) {
	for n := len(s.headings); n > 0 && s.headings[n-1].level >= level; n-- {
		s.headings = s.headings[:n-1]
	}
	if n := len(s.headings); n > 0 && s.headings[n-1].level < 2 {
		s.headings = s.headings[:n-1] // a line below two headings is not what the title of the page names
	}
	s.Block(text)
	h := heading{level: level}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		h.words = append(h.words, w)
		h.facts = h.facts || lineVocabulary().facts[w]
	}
	s.headings = append(s.headings, h)
}
