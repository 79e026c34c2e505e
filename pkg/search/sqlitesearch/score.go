package sqlitesearch

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// What a chunk is worth, in parts of what its words are worth by their rarity.
const (
	titleTimes, headingTimes = 3.0, 2.0 // a word in the title or a heading counts like so many in the text
	saturation               = 1.2      // k1 of BM25
	lengthPart               = .6       // b of BM25
	titleFit                 = 1.0      // the title is the query
	headingFit               = .9       // the last heading is
	definesIt                = 1.2      // it is the place where a word is defined
	nearness                 = .5       // the words stand side by side
	unlike                   = .3       // a symbol stands there written in another way
	elsewhere                = .25      // a word stands in another chunk of the page
	others                   = .08      // what the second and third best chunk add
	shorter                  = .0003    // of two like addresses the shorter comes first
	copied                   = .7       // a chunk that stands on other pages, too
	manyCopies               = 3        // from how many on
	formNames                = .8       // another form of a word is what is defined
	listing                  = .55      // a page that lists what others say
)

// chunkScore is what a chunk is worth.
type chunkScore struct {
	chunk int64
	total float64 // for its page
	said  float64 // as a passage: the title aside
	body  uint64  // digest of its text
	has   []bool  // which words that say something
	aside bool    // it makes its page worth more, and is not shown
}

// scorer gives chunks their worth.
type scorer struct {
	s       *statement
	m       *matcher
	content []bool             // by term
	rarity  float64            // of all content terms together
	asked   map[string]float64 // all words of the query, 1, and their other forms, less
	fits    map[string]fit

	title, heading, body, part scanned
}

// fit is how well a title or heading is the query, and what it defines.
type fit struct {
	fit     float64
	defines []float64 // by term
}

func (s *statement) newScorer() *scorer {
	r := &scorer{s: s, m: newMatcher(s.terms), fits: map[string]fit{}, asked: map[string]float64{},
		content: make([]bool, len(s.terms))}
	for i, t := range s.terms {
		for _, form := range t.variants {
			r.asked[form] = max(r.asked[form], formNames)
		}
		for _, word := range t.tokens {
			r.asked[word] = 1
		}
		r.content[i] = !t.empty || s.says(i)
		if r.content[i] {
			r.rarity += t.idf
		}
	}
	return r
}

// score gives a chunk its worth.
func (r *scorer) score(chunk int64, title, heading, body string) chunkScore {
	c := chunkScore{chunk: chunk, body: xxhash.Sum64String(body), has: make([]bool, len(r.s.terms))}
	r.m.scan(title, &r.title)
	r.m.scan(heading, &r.heading)
	r.m.scan(body, &r.body)
	titled, headed := r.fitOf(title, ""), r.fitOf(lastHeading(heading), title)
	norm := 1 - lengthPart + lengthPart*float64(r.body.length)/r.s.words.tokens
	var covered float64
	for i, t := range r.s.terms {
		said := r.body.times[i] / norm * likeness(t, body, r.body.times[i])
		inTitle := r.title.has(i) * likeness(t, title, r.title.times[i])
		inHeading := r.heading.has(i) * likeness(t, heading, r.heading.times[i])
		if t.symbol && said+inTitle+inHeading == 0 {
			said = r.parts(i, len(t.tokens)) * .5
		}
		all := said + titleTimes*inTitle + headingTimes*inHeading
		if all == 0 {
			continue
		}
		c.total += t.idf * saturated(all)
		c.said += t.idf * (saturated(said) + .3*saturated(headingTimes*inHeading))
		if r.content[i] {
			c.has[i], covered = true, covered+t.idf
		}
	}
	near := nearness * r.rarity * r.near()
	defined := r.defined(titled, headed, title, body)
	c.total += near + defined + r.rarity*(titleFit*titled.fit+headingFit*headed.fit)
	c.said += near + 2*defined + r.rarity*.3*headed.fit
	if r.rarity > 0 {
		c.total *= coverage(covered, r.rarity)
	}
	return c
}

// coverage is what is left of the worth of a chunk that has not all words, each taken by its rarity.
func coverage(have, all float64) float64 { return .4 + .6*have/all }

func saturated(times float64) float64 { return (1 + saturation) * times / (times + saturation) }

// parts is how many of the parts of a symbol the chunk has, of 1.
func (r *scorer) parts(i, n int) float64 {
	have := r.title.parts[i] | r.heading.parts[i] | r.body.parts[i]
	count := 0
	for p := range n {
		if have&(1<<min(p, 63)) != 0 {
			count++
		}
	}
	return float64(count) / float64(n)
}

// isWritten reports a word of which more can be compared than its letters: one with signs, or with capitals within.
func isWritten(raw string) bool {
	return strings.ContainsAny(raw, "_.:#") || strings.ToLower(raw[1:]) != raw[1:] && strings.ToUpper(raw) != raw
}

// likeness is how much a term counts in a text that has it: less where it is written in another way.
func likeness(t term, text string, times float64) float64 {
	if times == 0 || !isWritten(t.raw) || isWrittenIn(text, t.raw) {
		return 1
	}
	return unlike
}

// isWrittenIn reports whether a name stands in a text, and not as a part of another.
func isWrittenIn(text, name string) bool {
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

// near is how close the content words of the query stand together in the text: 1 if side by side.
func (r *scorer) near() float64 {
	last := make([]int, len(r.s.terms))
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
	best, seen := math.MaxInt, 0
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
		best = min(best, h.position-first)
	}
	if best == math.MaxInt {
		return 0
	}
	return float64(n-1) / float64(max(best, n-1))
}

// defined is what it is worth that the chunk is where words are defined.
func (r *scorer) defined(titled, headed fit, title, body string) (worth float64) {
	best := make([]float64, len(r.s.terms))
	for i := range best {
		best[i] = max(.8*titled.defines[i], headed.defines[i])
	}
	if mayDefine(body) {
		for name := range definitions(body) {
			if r.mayName(name) {
				r.names(newNaming(name, 1), title, best)
			}
		}
	}
	for i, t := range r.s.terms {
		if r.content[i] {
			worth += definesIt * t.idf * best[i]
		}
	}
	return worth
}

// definesAt is where the text defines what is asked for; -1 if it does not.
func (r *scorer) definesAt(text string) int {
	if !mayDefine(text) {
		return -1
	}
	at, most := -1, .75
	for name := range definitions(text) {
		if !r.mayName(name) {
			continue
		}
		best := make([]float64, len(r.s.terms))
		r.names(newNaming(name, 1), "", best)
		if worth := slices.Max(best); worth > most {
			at, most = max(0, strings.Index(text, name)), worth
			for _, before := range []string{"\n" + name + "\n", "\n" + name + "(", " " + name + "("} {
				if i := strings.Index("\n"+text, before); i >= 0 {
					at = i
					break
				}
			}
		}
	}
	return at
}

// mayName reports whether a name has the last part of any term.
func (r *scorer) mayName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(r.s.terms, func(t term) bool {
		return !t.empty && (strings.Contains(lower, t.tokens[len(t.tokens)-1]) ||
			slices.ContainsFunc(t.variants, func(form string) bool { return strings.Contains(lower, form) }))
	})
}

// names tells for each term how well a name that is defined is what the query asks for. The last part of the
// name has to be in the query; what it is in, such as a module, may be, or its title.
func (r *scorer) names(name naming, title string, best []float64) {
	if len(name.leaf) == 0 || len(name.all) > 12 {
		return
	}
	asked, all := 0., true
	for _, part := range name.leaf {
		asked, all = asked+r.asked[part], all && r.asked[part] > 0
	}
	part := name.sure * asked / float64(len(name.leaf))
	if !all {
		part *= .3
	}
	if part == 0 {
		return
	}
	var titled []string
	for i, t := range r.s.terms {
		if t.prefix || isWritten(t.raw) && len(t.tokens) == 1 && !isWrittenIn(name.raw, t.raw) {
			continue
		}
		have := 0
		for _, word := range t.tokens {
			if slices.Contains(name.all, word) {
				have++
				continue
			}
			if titled == nil {
				titled = tokensOf(bareTitle(title))
			}
			if slices.Contains(titled, word) {
				have++
			}
		}
		switch {
		case slices.Contains(name.all, t.tokens[len(t.tokens)-1]):
			best[i] = max(best[i], part*float64(have)/float64(len(t.tokens)))
		case slices.ContainsFunc(t.variants, func(form string) bool { return slices.Contains(name.all, form) }):
			best[i] = max(best[i], part)
		}
	}
}

// bareTitle is a title whose names are without the modules that they are in: std::vec::Vec is a Vec, and nothing
// of std.
func bareTitle(title string) string {
	if !strings.Contains(title, "::") {
		return title
	}
	words := strings.Fields(title)
	for i, w := range words {
		words[i] = w[strings.LastIndex(w, ":")+1:]
	}
	return strings.Join(words, " ")
}

// copies makes chunks that stand on several pages alike say less of each, but for the page where they say most.
func copies(byRow map[int64]*candidate) {
	type place struct {
		page  *candidate
		chunk *chunkScore
	}
	same := map[uint64][]place{}
	for _, p := range byRow {
		for i := range p.chunks {
			c := &p.chunks[i]
			same[c.body] = append(same[c.body], place{p, c})
		}
	}
	for _, places := range same {
		if len(places) < manyCopies {
			continue
		}
		best := slices.MinFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(b.chunk.total, a.chunk.total), cmp.Compare(len(a.page.url), len(b.page.url)),
				cmp.Compare(a.page.id, b.page.id))
		})
		for _, p := range places {
			if p.page != best.page {
				p.chunk.total *= copied
			}
		}
	}
}

// fitOf tells how well a title, or a heading below one, is the query.
func (r *scorer) fitOf(text, title string) fit {
	if f, known := r.fits[title+"\n"+text]; known {
		return f
	}
	f := fit{defines: make([]float64, len(r.s.terms))}
	r.m.scan(text, &r.part)
	if !r.hasAny(&r.part) {
		r.fits[title+"\n"+text] = f
		return f
	}
	for part := range segments(text) {
		words := 0
		tokens(part, func(t token) bool {
			if !functionWords[string(t.word)] && t.word[0] > '9' { // and no number of a section
				words++
			}
			return true
		})
		s := &r.part
		if part != text { // which was read already
			r.m.scan(part, s)
		}
		var have float64
		for i, t := range r.s.terms {
			if r.content[i] && s.times[i] > 0 {
				have += t.idf * s.has(i)
			}
		}
		matched := r.matched(s)
		if words > 0 && r.rarity > 0 {
			f.fit = max(f.fit, have/r.rarity*min(1, float64(matched)/float64(words)))
		}
		if name := definedName(part); name != "" && r.mayName(name) {
			r.names(newNaming(name, defines(part)), title, f.defines)
		}
	}
	r.fits[title+"\n"+text] = f
	return f
}

// matched is how many words of a text are of terms that say something.
func (r *scorer) matched(s *scanned) (n int) {
	last := -1
	for _, h := range s.hits {
		if !r.content[h.term] {
			continue
		}
		n += min(len(r.s.terms[h.term].tokens), h.position-last)
		last = max(last, h.position)
	}
	return n
}

// hasAny reports whether a text has a word of any term that says something, in its own form.
func (r *scorer) hasAny(s *scanned) bool {
	for i, parts := range s.parts {
		if r.content[i] && parts != 0 {
			return true
		}
	}
	return false
}
