package sqlitesearch

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// maxTerms bounds the words and phrases of a query that are used; what comes after is passed
// over, so that a pasted paragraph still finds its page.
const maxTerms = 32

// term is a word or a phrase. Whatever its text, it is only ever put into an expression quoted,
// so the syntax of FTS5 is out of a user's reach.
type term struct {
	text     string // separated like the texts that are searched
	phrase   bool   // was quoted
	prefix   bool   // the last word may go on
	variants []string
}

// checkQuery refuses what the port refuses.
func checkQuery(q search.Query) error {
	switch {
	case q.Top < 1 || q.Top > search.MaxTop:
		return fault.Field("top", "top must be 1 to %d", search.MaxTop)
	case q.Skip < 0 || q.Skip > search.MaxSkip:
		return fault.Field("skip", "skip must be 0 to %d", search.MaxSkip)
	case utf8.RuneCountInString(q.Text) > search.MaxQueryRunes:
		return fault.Field("q", "query is longer than %d characters", search.MaxQueryRunes)
	}
	return nil
}

// parse reads a query: words, "phrases", and a * behind either for a prefix. A quote that is not
// closed is no quote. What holds no letter or digit is nothing to look for.
func parse(text string) []term {
	var terms []term
	add := func(s string, phrase, prefix bool) {
		t := term{text: separated(plain(s)), phrase: phrase, prefix: prefix}
		known := slices.ContainsFunc(terms, func(o term) bool { return o.text == t.text && o.prefix == prefix })
		if len(terms) < maxTerms && strings.ContainsFunc(t.text, isWordRune) && !known {
			terms = append(terms, t)
		}
	}
	text = straightQuotes.Replace(text)
	for text != "" {
		before, rest, quoted := strings.Cut(text, `"`)
		phrase, after, closed := strings.Cut(rest, `"`)
		for word := range strings.FieldsSeq(before) {
			addWord(word, add)
		}
		if !quoted {
			break
		}
		if !closed {
			text = rest
			continue
		}
		after, prefix := strings.CutPrefix(after, "*")
		add(phrase, true, prefix)
		text = after
	}
	return terms
}

// straightQuotes maps the quotes that keyboards and word processors make.
var straightQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)

func addWord(word string, add func(s string, phrase, prefix bool)) {
	trimmed := strings.TrimRight(word, "*")
	add(trimmed, false, trimmed != word)
}

// expression is the FTS5 query for terms joined by AND or OR
// (https://sqlite.org/fts5.html#full_text_query_syntax): each is a quoted string, in which only
// the quote itself means something. A word stands twice before its other forms, so that what was
// asked for ranks above them.
func expression(terms []term, operator string) string {
	var parts []string
	for _, t := range terms {
		part := quoted(t.text)
		if t.prefix {
			part += "*"
		}
		if len(t.variants) > 0 {
			part = "(" + part + " OR " + part
			for _, v := range t.variants {
				part += " OR " + quoted(v)
			}
			part += ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " "+operator+" ")
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
