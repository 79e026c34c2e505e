package ranking

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/search"
)

// Chunk is a chunk with its scores for a query.
type Chunk struct {
	ID      int64
	Score   float64 // for its page
	Passage float64 // as a passage to show: the title does not count
	Hidden  bool    // it adds to the score of its page, and is not shown
	has     []bool  // by term: whether the chunk has it, of content terms
	body    uint64  // digest of its text
}

// Scorer scores chunks for one query. It is used by one goroutine.
type Scorer struct {
	query   Query
	m       *matcher
	content []bool             // by term: whether it is a content term
	rarity  float64            // of all content terms together
	asked   map[string]float64 // by word of the query: 1, and less for other forms of it
	fits    map[string]fit     // of titles and headings that were scored before

	title, heading, body, part scanned
}

// NewScorer returns the scorer of a query.
func NewScorer(q Query) *Scorer {
	r := &Scorer{query: q, m: newMatcher(q.Terms), fits: map[string]fit{}, asked: map[string]float64{},
		content: make([]bool, len(q.Terms))}
	is := q.IsContent()
	for i, t := range q.Terms {
		for _, form := range t.Variants {
			r.asked[form] = max(r.asked[form], formNames)
		}
		for _, word := range t.Tokens {
			r.asked[word] = 1
		}
		r.content[i] = !t.FunctionWord || is[i]
		if r.content[i] {
			r.rarity += t.IDF
		}
	}
	return r
}

// Score scores a chunk by the title of its page, the path of its headings and its text.
func (r *Scorer) Score(id int64, title, heading, body string) Chunk {
	c := Chunk{ID: id, body: xxhash.Sum64String(body), has: make([]bool, len(r.query.Terms))}
	r.m.scan(title, &r.title)
	r.m.scan(heading, &r.heading)
	r.m.scan(body, &r.body)
	titled, headed := r.fitOf(title, ""), r.fitOf(lastHeading(heading), title)
	norm := 1 - lengthPart + lengthPart*float64(r.body.length)/r.query.Length
	var covered float64
	for i, t := range r.query.Terms {
		inBody := r.body.times[i] / norm * likeness(t, body, r.body.times[i])
		inTitle := r.title.has(i) * likeness(t, title, r.title.times[i])
		inHeading := r.heading.has(i) * likeness(t, heading, r.heading.times[i])
		if t.Symbol && inBody+inTitle+inHeading == 0 {
			inBody = r.parts(i, len(t.Tokens)) * symbolParts
		}
		all := inBody + titleTimes*inTitle + headingTimes*inHeading
		if all == 0 {
			continue
		}
		c.Score += t.IDF * saturated(all)
		c.Passage += t.IDF * (saturated(inBody) + passageHeading*saturated(headingTimes*inHeading))
		if r.content[i] {
			c.has[i], covered = true, covered+t.IDF
		}
	}
	near := nearness * r.rarity * r.near()
	defined := r.defined(titled, headed, title, body)
	c.Score += near + defined + r.rarity*(titleFit*titled.fit+headingFit*headed.fit)
	c.Passage += near + passageDefines*defined + r.rarity*passageHeading*headed.fit
	if r.rarity > 0 {
		c.Score *= Coverage(covered, r.rarity)
	}
	return c
}

// Coverage is the factor by which the score of a chunk is reduced that does not have all content terms: the rarity of
// those that it has, of the rarity of all.
func Coverage(have, all float64) float64 { return leastCoverage + (1-leastCoverage)*have/all }

// saturated is the term frequency of BM25: each further occurrence adds less.
func saturated(times float64) float64 { return (1 + saturation) * times / (times + saturation) }

// parts is the share of the parts of a symbol that the chunk has.
func (r *Scorer) parts(i, n int) float64 {
	have := r.title.parts[i] | r.heading.parts[i] | r.body.parts[i]
	count := 0
	for p := range n {
		if have&(1<<min(p, 63)) != 0 {
			count++
		}
	}
	return float64(count) / float64(n)
}

// isSpelled reports a word that has more to compare than its letters: one with signs, or with capitals within.
func isSpelled(raw string) bool {
	return strings.ContainsAny(raw, "_.:#") || strings.ToLower(raw[1:]) != raw[1:] && strings.ToUpper(raw) != raw
}

// likeness is how much a term counts in a text that has it: less where the text spells it in another way.
func likeness(t Term, text string, times float64) float64 {
	if times == 0 || !isSpelled(t.Raw) || isSpelledIn(text, t.Raw) {
		return 1
	}
	return unlike
}

// isSpelledIn reports whether a text has a name exactly, and not as a part of another name.
func isSpelledIn(text, name string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inName(before) && !inName(after) {
			return true
		}
		from = at + 1
	}
}

func inName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Highlights returns the ranges of a text that are content terms, in order and without overlaps: of a symbol that the
// text does not have, its parts.
func (r *Scorer) Highlights(text string) []search.Range {
	r.m.scan(text, &r.part)
	is := r.query.IsContent()
	var ranges []search.Range
	for _, h := range r.part.hits {
		if is[h.term] {
			ranges = append(ranges, h.Range)
		}
	}
	for _, h := range r.part.single {
		if r.part.times[h.term] == 0 && is[h.term] {
			ranges = append(ranges, h.Range)
		}
	}
	slices.SortFunc(ranges, func(a, b search.Range) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To))
	})
	return merged(ranges)
}

// merged joins sorted ranges that overlap.
func merged(ranges []search.Range) (apart []search.Range) {
	for _, r := range ranges {
		if n := len(apart); n > 0 && r.From < apart[n-1].To {
			apart[n-1].To = max(apart[n-1].To, r.To)
			continue
		}
		apart = append(apart, r)
	}
	return apart
}
