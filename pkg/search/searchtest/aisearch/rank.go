package aisearch

import (
	"math"
	"slices"
	"strings"
)

// indexed is a document with the words of each field.
type indexed struct {
	doc    document
	tokens map[string][]token
	values map[string][]string // texts of a field; the tokens hold offsets into these texts
}

// gap separates the positions of the values in a collection, so that no phrase spans two values.
const gap = 1_000_000

func (ix *index) digest(doc document) *indexed {
	s := &indexed{doc: doc, tokens: map[string][]token{}, values: map[string][]string{}}
	for name, analyze := range ix.analyzers {
		for i, text := range texts(doc[name]) {
			s.values[name] = append(s.values[name], text)
			for _, t := range analyze(text) {
				t.position += i * gap
				s.tokens[name] = append(s.tokens[name], t)
			}
		}
	}
	return s
}

// span is a run of matching tokens of a field.
type span struct{ first, last int }

// leaf holds the matches of a clause in one field.
type leaf struct {
	field string
	spans map[string][]span // the matches, by document
	boost float64
	fixed bool // set for prefixes, whose score does not depend on their frequency
	// The mean number of words in the field, and the number of documents with words in the field.
	length, n float64
}

// matches is an evaluated query.
type matches struct {
	ix    *index
	all   bool // the query is "*" and matches every document
	root  node
	leafs []*leaf
}

// node is a clause after analysis. It is empty if analysis left no words.
type node struct {
	empty bool
	and   bool
	kids  []node
	leafs []*leaf // the node matches where any of these leaves matches
}

func (ix *index) match(query string, fields []string) (*matches, error) {
	m := &matches{ix: ix, all: query == "*" || query == ""}
	if m.all {
		return m, nil
	}
	c, err := ix.definition.parseLucene(query)
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 {
		for _, f := range ix.definition.Fields {
			if ix.analyzers[f.Name] != nil {
				fields = append(fields, f.Name)
			}
		}
	}
	m.root = m.node(c, fields)
	return m, nil
}

func (m *matches) node(c clause, fields []string) node {
	n := node{and: c.and}
	for _, kid := range c.kids {
		if k := m.node(kid, fields); !k.empty {
			n.kids = append(n.kids, k)
		}
	}
	if len(c.kids) == 0 {
		if c.field != "" {
			fields = []string{c.field}
		}
		for _, f := range fields {
			if l := m.leaf(c, f); l != nil {
				n.leafs = append(n.leafs, l)
			}
		}
	}
	n.empty = len(n.kids)+len(n.leafs) == 0
	return n
}

// leaf finds a clause in one field of all documents. It returns nil if analysis leaves no words.
func (m *matches) leaf(c clause, field string) *leaf {
	l := &leaf{field: field, spans: map[string][]span{}, boost: m.ix.weight(field), fixed: c.prefix}
	words := []token{{term: c.text}} // a prefix is not analyzed
	if !c.prefix {
		words = m.ix.analyzers[field](c.text)
	}
	if len(words) == 0 {
		return nil
	}
	for key, doc := range m.ix.visible {
		if spans := find(doc.tokens[field], words, c.prefix); len(spans) > 0 {
			l.spans[key] = spans
		}
	}
	l.length, l.n = m.ix.average(field)
	m.leafs = append(m.leafs, l)
	return l
}

// find finds the positions at which the words follow each other.
func find(tokens, words []token, prefix bool) (spans []span) {
next:
	for i := range tokens {
		for j, w := range words {
			if i+j >= len(tokens) || tokens[i+j].position != tokens[i].position+w.position-words[0].position {
				continue next
			}
			if have := tokens[i+j].term; have != w.term && !(prefix && strings.HasPrefix(have, w.term)) {
				continue next
			}
		}
		spans = append(spans, span{i, i + len(words) - 1})
	}
	return spans
}

func (ix *index) weight(field string) float64 {
	for _, p := range ix.definition.ScoringProfiles {
		if w, found := p.Text.Weights[field]; found && p.Name == ix.definition.DefaultScoringProfile {
			return w
		}
	}
	return 1
}

func (m *matches) hits() []hit {
	var hits []hit
	for key, doc := range m.ix.visible {
		if m.all {
			hits = append(hits, hit{key, doc, 1})
		} else if m.holds(m.root, key) {
			hits = append(hits, hit{key, doc, m.score(key, doc)})
		}
	}
	return hits
}

func (m *matches) holds(n node, key string) bool {
	if len(n.leafs) > 0 {
		return slices.ContainsFunc(n.leafs, func(l *leaf) bool { return len(l.spans[key]) > 0 })
	}
	one := func(k node) bool { return m.holds(k, key) }
	if n.and {
		return len(n.kids) > 0 && !slices.ContainsFunc(n.kids, func(k node) bool { return !one(k) })
	}
	return slices.ContainsFunc(n.kids, one)
}

// score returns the BM25 score with the weights of the default scoring profile, over all documents
// (https://learn.microsoft.com/azure/search/index-similarity-and-scoring).
func (m *matches) score(key string, doc *indexed) (score float64) {
	const k1, b = 1.2, 0.75
	for _, l := range m.leafs {
		frequency := float64(len(l.spans[key]))
		if frequency == 0 {
			continue
		}
		if l.fixed {
			score += l.boost
			continue
		}
		found := float64(len(l.spans))
		idf := math.Log(1 + (l.n-found+0.5)/(found+0.5))
		norm := k1 * (1 - b + b*float64(len(doc.tokens[l.field]))/l.length)
		score += l.boost * idf * frequency * (k1 + 1) / (frequency + norm)
	}
	return score
}

// average returns the mean length of a field over the documents with words in the field, and the number of these
// documents.
func (ix *index) average(field string) (length, n float64) {
	for _, doc := range ix.visible {
		if len(doc.tokens[field]) > 0 {
			n++
			length += float64(len(doc.tokens[field]))
		}
	}
	return length / n, n
}

// nearest returns the k documents with the closest vectors among those that pass the filter.
func (ix *index) nearest(q vectorQuery, keep filter) ([]hit, error) {
	f := ix.definition.field(q.Fields)
	if f == nil || f.Type != vectorType || q.Kind != "vector" || q.K < 1 {
		return nil, refuse("vector query of kind %q in field %q, k %d", q.Kind, q.Fields, q.K)
	}
	if len(q.Vector) != f.Dimensions {
		return nil, refuse("The vector field '%s' has %d dimensions, the query %d", f.Name, f.Dimensions, len(q.Vector))
	}
	var hits []hit
	for key, doc := range ix.visible {
		if vector, ok := doc.doc[f.Name].([]any); ok && keep(doc.doc) {
			hits = append(hits, hit{key, doc, cosine(q.Vector, vector)})
		}
	}
	byScore(hits)
	return hits[:min(q.K, len(hits))], nil
}

// cosine returns the score of a neighbour, 1 / (2 - cos).
func cosine(a []float64, b []any) float64 {
	var dot, x, y float64
	for i := range a {
		v := b[i].(float64)
		dot, x, y = dot+a[i]*v, x+a[i]*a[i], y+v*v
	}
	return 1 / (2 - dot/math.Sqrt(x*y))
}
