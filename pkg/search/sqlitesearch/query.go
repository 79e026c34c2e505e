package sqlitesearch

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/postings"
)

// term is a word, a phrase or a symbol of a query.
type term struct {
	text     string // separated like the texts that are searched
	raw      string // as it was written
	phrase   bool   // was quoted
	prefix   bool   // the last word may go on
	tokens   []string
	variants []string // other forms of a word, or what a prefix may become
	// symbol is a name of several parts, such as os.path.join: chunks that only have the parts will do.
	symbol bool
	empty  bool // says nothing beside other words: an article, a preposition

	df   float64 // chunks that have it, as far as that was counted
	idf  float64
	hits []postings.Hit // where it stands, if that is known
}

// parse reads a query.
func parse(text string) []term {
	var terms []term
	for _, t := range search.Terms(text) {
		p := term{text: separated(plain(t.Text)), raw: t.Text, phrase: t.Phrase, prefix: t.Prefix}
		p.tokens = tokensOf(p.text)
		p.symbol = !p.phrase && !p.prefix && isSymbol(t.Text, len(p.tokens))
		p.empty = !p.phrase && !p.prefix && len(p.tokens) == 1 && functionWords[p.tokens[0]]
		if len(p.tokens) > 0 {
			terms = append(terms, p)
		}
	}
	return terms
}

// isSymbol reports a name as programs have them: parts joined by dots, colons or underscores.
func isSymbol(text string, parts int) bool {
	return parts > 1 && parts <= 8 && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._:#()[]<>&*$@!,;?", r)
	}) && strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsAny(text, "._:#") &&
		!slices.ContainsFunc(tokensOf(text), func(part string) bool { return len(part) < 2 || part[0] <= '9' })
}

// functionWords join what others say. Those of other languages are known by how often they stand.
var functionWords = func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`a about after all also am an and any are as at be because been before being between
		but by can could did do does doing during each else for from get had has have having he her his how i if in into
		is it its itself just like may me might my need no not of on or other our out over own s shall she should so
		some such t than that the their them then there these they this those through to too under up us use used using
		versus very vs was way we were what when where whether which while who whom why will with within without would you your`) {
		words[w] = true
	}
	return words
}()

// common is the part of all chunks from which on a word is one that says little, and fewest how many
// they are at least.
const (
	common = .1
	fewest = 1000
)

// content are the terms that pages are found by, the rarest first. The others only rank; where there are no
// others, all are.
func content(terms []term, chunks float64) []term {
	var out []term
	for _, t := range terms {
		if !t.empty && (t.phrase || t.df < fewest || t.df < chunks*common) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		for _, t := range terms {
			if !t.empty {
				out = append(out, t)
			}
		}
	}
	if len(out) == 0 {
		out = slices.Clone(terms)
	}
	slices.SortStableFunc(out, func(a, b term) int { return int(math.Copysign(1, a.df-b.df)) * btoi(a.df != b.df) })
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
