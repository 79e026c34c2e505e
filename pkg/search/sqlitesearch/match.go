package sqlitesearch

import (
	"bytes"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

// matcher finds the terms of a query in texts.
type matcher struct {
	terms    []term
	runs     []run
	words    map[string][]place
	lengths  [256]uint64 // of words by their first byte, a bit each: most tokens are none of them
	prefixes []prefixPlace
	text     string // that is read now
}

// run is what makes a term: its words, or those of another form of it, in order.
type run struct {
	term, words int
	form        bool
	chains      []chain // how far each of its words has come
}

// place is a word of a run.
type place struct{ run, part int }

type prefixPlace struct {
	prefix []byte
	place
}

// chain is the last place in the text where a word of a run followed the words before it.
type chain struct{ position, from int }

// formWeight is how much other forms of a word count, however many there are: less than the word itself.
const formWeight = .5

func newMatcher(terms []term) *matcher {
	m := &matcher{terms: terms, words: map[string][]place{}}
	for i, t := range terms {
		m.add(i, t.tokens, false)
		if t.prefix {
			last := len(t.tokens) - 1
			m.prefixes = append(m.prefixes, prefixPlace{[]byte(t.tokens[last]), place{len(m.runs) - 1, last}})
		}
		for _, v := range t.variants {
			m.add(i, strings.Fields(v), true)
		}
	}
	return m
}

func (m *matcher) add(term int, words []string, form bool) {
	for part := len(words) - 1; part >= 0; part-- { // the last first: see scan
		m.words[words[part]] = append(m.words[words[part]], place{len(m.runs), part})
		m.lengths[words[part][0]] |= 1 << min(len(words[part]), 63)
	}
	m.runs = append(m.runs, run{term, len(words), form, make([]chain, len(words))})
}

// hit is where a term stands in a text.
type hit struct {
	term, position int // the number of its last word
	search.Range
}

// scanned is what a text has of the terms.
type scanned struct {
	length int       // words
	times  []float64 // by term
	forms  []float64 // by term: what its other forms may still count
	parts  []uint64  // by term: which of its words there are
	hits   []hit     // of whole terms, in order
	single []hit     // of the parts of symbols
}

// scan reads a text into s, which may be used again.
func (m *matcher) scan(text string, s *scanned) {
	m.text = text
	s.length, s.hits, s.single = 0, s.hits[:0], s.single[:0]
	s.times, s.parts = zeroed(s.times, len(m.terms)), zeroed(s.parts, len(m.terms))
	s.forms = zeroed(s.forms, len(m.terms))
	for i := range s.forms {
		s.forms[i] = formWeight
	}
	for i := range m.runs {
		for j := range m.runs[i].chains {
			m.runs[i].chains[j].position = -2
		}
	}
	tokens(text, func(t token) bool {
		if m.lengths[t.word[0]]&(1<<min(len(t.word), 63)) != 0 {
			for _, p := range m.words[string(t.word)] {
				m.advance(p, t, s)
			}
		}
		for _, p := range m.prefixes {
			if len(t.word) > len(p.prefix) && bytes.HasPrefix(t.word, p.prefix) {
				m.advance(p.place, t, s)
			}
		}
		s.length++
		return true
	})
}

// advance notes that a token stands at a place of a run.
func (m *matcher) advance(p place, t token, s *scanned) {
	r := &m.runs[p.run]
	if !r.form {
		s.parts[r.term] |= 1 << min(p.part, 63)
	}
	from, follows := t.from, p.part == 0
	if !follows && r.chains[p.part-1].position == s.length-1 {
		from, follows = r.chains[p.part-1].from, true
	}
	if follows {
		r.chains[p.part] = chain{s.length, from}
	}
	switch {
	case follows && p.part == r.words-1:
		switch {
		case r.form:
			s.times[r.term] += s.another(r.term)
		case m.terms[r.term].symbol && m.goesOn(from, t.to): // the beginning of another name
			s.times[r.term] += unlike
		default:
			s.times[r.term]++
		}
		s.hits = append(s.hits, hit{r.term, s.length, search.Range{From: from, To: t.to}})
	case m.terms[r.term].symbol && !r.form:
		s.single = append(s.single, hit{r.term, s.length, search.Range{From: t.from, To: t.to}})
	}
}

// goesOn reports whether what stands from one place to another is only a part of a name.
func (m *matcher) goesOn(from, to int) bool {
	return from > 0 && m.text[from-1] == '_' || to < len(m.text) && m.text[to] == '_'
}

// another is how much one more of the other forms of a term counts.
func (s *scanned) another(i int) float64 {
	s.forms[i] /= 2
	return s.forms[i]
}

// has reports whether a term is there: 1, or less for another form of it, or 0.
func (s *scanned) has(i int) float64 {
	switch {
	case s.times[i] >= 1:
		return 1
	case s.times[i] > 0:
		return .85
	}
	return 0
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
