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
	Score   float64 // for the score of the page
	Passage float64 // for the choice of passages to show; without the title's part
	Hidden  bool    // the chunk adds to the score of its page but is not shown
	has     []bool  // by term, whether the chunk contains this content term
	body    uint64  // digest of the chunk's text
}

// Scorer scores chunks for one query. It is not safe for concurrent use.
type Scorer struct {
	query   Query
	m       *matcher
	content []bool             // by term, whether it is a content term
	rarity  float64            // sum of the rarity of all content terms
	asked   map[string]float64 // by word, 1 for a word of the query, or less for another form of such a word
	fits    map[string]fit     // titles and headings that were scored before

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

// Score scores a chunk by the title of its page, the path of its headings and its text. It multiplies the scores by
// the given factor; see [ZoneFactor].
func (r *Scorer) Score(id int64, title, heading, body string, factor float64) Chunk {
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
	c.Score, c.Passage = factor*c.Score, factor*c.Passage
	return c
}

// Coverage returns the factor that reduces the score of a chunk without some content terms. It depends on two sums of
// rarity: that of the terms in the chunk, and that of all terms.
func Coverage(have, all float64) float64 { return leastCoverage + (1-leastCoverage)*have/all }

// saturated returns the term frequency factor of BM25: each further occurrence adds less than the previous one.
func saturated(times float64) float64 { return (1 + saturation) * times / (times + saturation) }

// parts returns the share of a symbol's parts that the chunk contains.
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

// isSpelled reports whether the spelling of a word matters beyond its letters: whether it has signs or inner
// capitals.
func isSpelled(raw string) bool {
	return strings.ContainsAny(raw, "_.:#") || strings.ToLower(raw[1:]) != raw[1:] && strings.ToUpper(raw) != raw
}

// likeness returns the weight of a term in a text. The weight is smaller if the text spells the term differently.
func likeness(t Term, text string, times float64) float64 {
	if times == 0 || !isSpelled(t.Raw) || isSpelledIn(text, t.Raw) {
		return 1
	}
	return unlike
}

// isSpelledIn reports whether a text contains exactly this name, and not only as part of another name.
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

// Highlights returns the ranges of a text that match content terms, in order and without overlaps. If the text does
// not contain a symbol as a whole, Highlights returns the ranges of the symbol's parts.
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

// merged joins overlapping ranges. The ranges must be sorted.
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
