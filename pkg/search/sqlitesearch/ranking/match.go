package ranking

import (
	"bytes"
	"math"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// matcher finds the terms of a query in texts. It is reused for each text, and is not safe for concurrent use.
type matcher struct {
	terms    []Term
	runs     []run
	words    map[string][]runWord
	lengths  [256]uint64 // by first byte, a bit for each possible length of a word; rejects most tokens fast
	prefixes []prefixWord
	text     string // the text that is being scanned
}

// run is the sequence of the words of a term, or of another form of the term.
type run struct {
	term, words int
	form        bool
	chains      []chain // by word, the latest match of the run's words up to this word
}

// runWord is a word of a run.
type runWord struct{ run, part int }

type prefixWord struct {
	prefix []byte
	runWord
}

// chain is the latest match of the first words of a run. It holds the position of the last of these words in the
// text, and the byte offset of the first.
type chain struct{ position, from int }

func newMatcher(terms []Term) *matcher {
	m := &matcher{terms: terms, words: map[string][]runWord{}}
	for i, t := range terms {
		m.add(i, t.Tokens, false)
		if t.Prefix {
			last := len(t.Tokens) - 1
			m.prefixes = append(m.prefixes, prefixWord{[]byte(t.Tokens[last]), runWord{len(m.runs) - 1, last}})
		}
		for _, v := range t.Variants {
			m.add(i, strings.Fields(v), true)
		}
	}
	return m
}

func (m *matcher) add(term int, words []string, form bool) {
	for part := len(words) - 1; part >= 0; part-- { // the last word first: scan must read a chain before it changes
		m.words[words[part]] = append(m.words[words[part]], runWord{len(m.runs), part})
		m.lengths[words[part][0]] |= 1 << min(len(words[part]), 63)
	}
	m.runs = append(m.runs, run{term, len(words), form, make([]chain, len(words))})
}

// hit is an occurrence of a term in a text.
type hit struct {
	term, position int // position is that of the last word of the occurrence
	search.Range
}

// scanned records the terms that a text contains, and their positions.
type scanned struct {
	length int       // number of words in the text
	times  []float64 // by term, the number of occurrences; other forms weigh less
	forms  []float64 // by term, twice the weight of the next occurrence of another form
	parts  []uint64  // by term, a bit for each of its words that occurs
	hits   []hit     // occurrences of whole terms, in order
	single []hit     // occurrences of parts of symbols
}

// scan finds the terms in a text. It overwrites s.
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
	tokens.Each(text, func(t tokens.Token) bool {
		if m.lengths[t.Word[0]]&(1<<min(len(t.Word), 63)) != 0 {
			for _, p := range m.words[string(t.Word)] {
				m.advance(p, t, s)
			}
		}
		for _, p := range m.prefixes {
			if len(t.Word) > len(p.prefix) && bytes.HasPrefix(t.Word, p.prefix) {
				m.advance(p.runWord, t, s)
			}
		}
		s.length++
		return true
	})
}

// advance records that a token is the given word of a run.
func (m *matcher) advance(p runWord, t tokens.Token, s *scanned) {
	r := &m.runs[p.run]
	if !r.form {
		s.parts[r.term] |= 1 << min(p.part, 63)
	}
	from, follows := t.From, p.part == 0
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
		case m.terms[r.term].Symbol && m.goesOn(from, t.To): // the text has only a part of another name here
			s.times[r.term] += unlike
		default:
			s.times[r.term]++
		}
		s.hits = append(s.hits, hit{r.term, s.length, search.Range{From: from, To: t.To}})
	case m.terms[r.term].Symbol && !r.form:
		s.single = append(s.single, hit{r.term, s.length, search.Range{From: t.From, To: t.To}})
	}
}

// goesOn reports whether the range of the text is only a piece of a longer name.
func (m *matcher) goesOn(from, to int) bool {
	return from > 0 && m.text[from-1] == '_' || to < len(m.text) && m.text[to] == '_'
}

// another returns the weight of one more occurrence of another form of a term. Each occurrence has half the weight of
// the previous one, so together they weigh less than formWeight.
func (s *scanned) another(i int) float64 {
	s.forms[i] /= 2
	return s.forms[i]
}

// has returns 1 if a term occurs, a smaller number if only another form of it occurs, and 0 if neither occurs.
func (s *scanned) has(i int) float64 {
	switch {
	case s.times[i] >= 1:
		return 1
	case s.times[i] > 0:
		return formOccurs
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

// near returns how close together the content terms are in the text that was scanned last. It returns 1 if they are
// adjacent, and 0 if the text has fewer than two of them.
func (r *Scorer) near() float64 {
	last := make([]int, len(r.query.Terms))
	n := 0
	for i := range last {
		last[i] = -1
		if r.content[i] && r.body.times[i] > 0 {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	shortest, seen := math.MaxInt, 0
	for _, h := range r.body.hits {
		if !r.content[h.term] {
			continue
		}
		if last[h.term] < 0 {
			seen++
		}
		last[h.term] = h.position
		if seen < n {
			continue
		}
		first := h.position
		for i, at := range last {
			if r.content[i] && at >= 0 {
				first = min(first, at)
			}
		}
		shortest = min(shortest, h.position-first)
	}
	if shortest == math.MaxInt {
		return 0
	}
	return float64(n-1) / float64(max(shortest, n-1))
}
