package ranking

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// fit describes how well a title or heading matches the query, and how certain it is that the title or heading
// defines each term. All values are from 0 to 1.
type fit struct {
	fit     float64
	defines []float64 // by term
}

// fitOf compares the query with a title, or with a heading below that title.
func (r *Scorer) fitOf(text, title string) fit {
	if f, known := r.fits[title+"\n"+text]; known {
		return f
	}
	f := fit{defines: make([]float64, len(r.query.Terms))}
	r.m.scan(text, &r.part)
	if !r.hasAny(&r.part) {
		r.fits[title+"\n"+text] = f
		return f
	}
	for part := range segments(text) {
		words := 0
		tokens.Each(part, func(t tokens.Token) bool {
			if !tokens.IsFunctionWord(string(t.Word)) && t.Word[0] > '9' { // excludes section numbers
				words++
			}
			return true
		})
		s := &r.part
		if part != text { // the whole text was scanned already
			r.m.scan(part, s)
		}
		var have float64
		for i, t := range r.query.Terms {
			if r.content[i] && s.times[i] > 0 {
				have += t.IDF * s.has(i)
			}
		}
		matched := r.matched(s)
		if words > 0 && r.rarity > 0 {
			f.fit = max(f.fit, have/r.rarity*min(1, float64(matched)/float64(words)))
		}
		if name := definedName(part); name != "" && r.mayName(name) {
			r.names(newNaming(name, definesSurely(part)), title, f.defines)
		}
	}
	r.fits[title+"\n"+text] = f
	return f
}

// matched counts the words of a text that belong to content terms.
func (r *Scorer) matched(s *scanned) (n int) {
	last := -1
	for _, h := range s.hits {
		if !r.content[h.term] {
			continue
		}
		n += min(len(r.query.Terms[h.term].Tokens), h.position-last)
		last = max(last, h.position)
	}
	return n
}

// hasAny reports whether a text has a word of any content term, in the form that the query has.
func (r *Scorer) hasAny(s *scanned) bool {
	for i, parts := range s.parts {
		if r.content[i] && parts != 0 {
			return true
		}
	}
	return false
}

// defined returns the amount that definitions add to the score of a chunk that contains them.
func (r *Scorer) defined(titled, headed fit, title, body string) (score float64) {
	best := make([]float64, len(r.query.Terms))
	for i := range best {
		best[i] = max(titleDefines*titled.defines[i], headed.defines[i])
	}
	if mayDefine(body) {
		for name := range definitions(body) {
			if r.mayName(name) {
				r.names(newNaming(name, 1), title, best)
			}
		}
	}
	for i, t := range r.query.Terms {
		if r.content[i] {
			score += definesIt * t.IDF * best[i]
		}
	}
	return score
}

// DefinesAt returns the byte offset at which a text defines a term of the query, or -1.
func (r *Scorer) DefinesAt(text string) int {
	if !mayDefine(text) {
		return -1
	}
	at, most := -1, surelyDefined
	for name := range definitions(text) {
		if !r.mayName(name) {
			continue
		}
		best := make([]float64, len(r.query.Terms))
		r.names(newNaming(name, 1), "", best)
		if sure := slices.Max(best); sure > most {
			at, most = max(0, strings.Index(text, name)), sure
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

// mayName reports whether a name contains the last part of any term. Other names cannot define a term.
func (r *Scorer) mayName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(r.query.Terms, func(t Term) bool {
		return !t.FunctionWord && (strings.Contains(lower, t.Tokens[len(t.Tokens)-1]) ||
			slices.ContainsFunc(t.Variants, func(form string) bool { return strings.Contains(lower, form) }))
	})
}

// names updates best, which holds for each term how certain it is that a defined name is that term. The query must
// contain the last part of the name. The parts before it, such as a module, may be in the query or in the title.
func (r *Scorer) names(name naming, title string, best []float64) {
	if len(name.leaf) == 0 || len(name.all) > 12 {
		return
	}
	asked, all := 0., true
	for _, part := range name.leaf {
		asked, all = asked+r.asked[part], all && r.asked[part] > 0
	}
	part := name.sure * asked / float64(len(name.leaf))
	if !all {
		part *= partlyNamed
	}
	if part == 0 {
		return
	}
	var titled []string
	for i, t := range r.query.Terms {
		if t.Prefix || isSpelled(t.Raw) && len(t.Tokens) == 1 && !isSpelledIn(name.raw, t.Raw) {
			continue
		}
		have := 0
		for _, word := range t.Tokens {
			if slices.Contains(name.all, word) {
				have++
				continue
			}
			if titled == nil {
				titled = tokens.Of(bareTitle(title))
			}
			if slices.Contains(titled, word) {
				have++
			}
		}
		switch {
		case slices.Contains(name.all, t.Tokens[len(t.Tokens)-1]):
			best[i] = max(best[i], part*float64(have)/float64(len(t.Tokens)))
		case slices.ContainsFunc(t.Variants, func(form string) bool { return slices.Contains(name.all, form) }):
			best[i] = max(best[i], part)
		}
	}
}

// bareTitle returns a title with the modules removed from its names: std::vec::Vec is about Vec, not about std.
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
