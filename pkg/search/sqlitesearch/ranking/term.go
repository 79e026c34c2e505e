package ranking

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// Term is a word, a phrase or a symbol of a query.
type Term struct {
	Text     string // the term with separators, in the form of texts in the index
	Raw      string // the term as the query has it
	Phrase   bool   // the term was quoted
	Prefix   bool   // the last word may be the beginning of a longer word
	Tokens   []string
	Variants []string // other forms of the word, and other spellings that the index has
	// Spellings are the other spellings of the term ([search.Spellings]), in the form of Variants.
	Spellings []string
	// Symbol is set for a name of several parts, such as os.path.join. Chunks with only some of the parts also match.
	Symbol       bool
	FunctionWord bool // an article, a preposition or the like, which finds pages only if there are no other words

	DF  float64 // document frequency: number of chunks that contain the term
	IDF float64 // inverse document frequency, as in BM25
}

// Parse returns the terms of a query.
func Parse(text string) []Term {
	var terms []Term
	all := search.Terms(text)
	spellings := search.Spellings(all)
	for i, t := range all {
		p := Term{Text: tokens.Separate(tokens.Plain(t.Text)), Raw: t.Text, Phrase: t.Phrase, Prefix: t.Prefix}
		p.Tokens = tokens.Of(p.Text)
		p.Symbol = !p.Phrase && !p.Prefix && isSymbol(t.Text, len(p.Tokens))
		p.FunctionWord = !p.Phrase && !p.Prefix && len(p.Tokens) == 1 && tokens.IsFunctionWord(p.Tokens[0])
		if len(p.Tokens) > 0 {
			p.Spellings = wordsOf(spellings[i], p.Tokens)
			terms = append(terms, p)
		}
	}
	return terms
}

// wordsOf returns the words of spellings, joined by spaces, without those that are the given words.
func wordsOf(spellings, words []string) (others []string) {
	own := strings.Join(words, " ")
	for _, s := range spellings {
		other := strings.Join(tokens.Of(tokens.Separate(tokens.Plain(s))), " ")
		if other != own && other != "" && !slices.Contains(others, other) {
			others = append(others, other)
		}
	}
	return others
}

// isSymbol reports whether a text is a name of the kind in programs: parts that are joined by dots, colons or
// underscores.
func isSymbol(text string, parts int) bool {
	return parts > 1 && parts <= 8 && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._:#()[]<>&*$@!,;?", r)
	}) && strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsAny(text, "._:#") &&
		!slices.ContainsFunc(tokens.Of(text), func(part string) bool { return len(part) < 2 || part[0] <= '9' })
}

// Weigh computes a term's inverse document frequency in an index with the given number of chunks.
func (t *Term) Weigh(chunks float64) {
	t.IDF = math.Log(1 + (chunks-min(t.DF, chunks)+.5)/(t.DF+.5))
}

// IsCommon reports whether a word is too frequent to be significant. Of all chunks in the index, df chunks contain
// it.
func IsCommon(df, chunks float64) bool { return df > max(commonAtLeast, chunks*commonPart) }

// A word is common if it is in more chunks than this share of all chunks, and in more than this number of chunks.
const (
	commonPart    = .1
	commonAtLeast = 1000
)

// Content returns the content terms of a query, the rarest first. Only content terms find pages; the other terms
// affect only the ranking. If all terms of a query are common or function words, all of them are content terms.
func Content(terms []Term, chunks float64) []Term {
	var out []Term
	for _, t := range terms {
		if !t.FunctionWord && (t.Phrase || t.DF < commonAtLeast || t.DF < chunks*commonPart) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		for _, t := range terms {
			if !t.FunctionWord {
				out = append(out, t)
			}
		}
	}
	if len(out) == 0 {
		out = slices.Clone(terms)
	}
	slices.SortStableFunc(out, func(a, b Term) int { return cmp.Compare(a.DF, b.DF) })
	return out
}

// Query is a query in the form that chunks and pages are compared with.
type Query struct {
	Terms   []Term
	Content []Term  // the content terms; see [Content]
	Length  float64 // average number of words in a chunk's text
}

// IsContent reports for each term whether it is a content term.
func (q Query) IsContent() []bool {
	is := make([]bool, len(q.Terms))
	for i, t := range q.Terms {
		is[i] = slices.ContainsFunc(q.Content, func(c Term) bool { return c.Text == t.Text && c.Prefix == t.Prefix })
	}
	return is
}
