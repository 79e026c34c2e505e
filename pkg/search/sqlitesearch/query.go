package sqlitesearch

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

// term is a word or a phrase. Whatever its text, it is only ever put into an expression quoted,
// so the syntax of FTS5 is out of a user's reach.
type term struct {
	text     string // separated like the texts that are searched
	phrase   bool   // was quoted
	prefix   bool   // the last word may go on
	variants []string
}

// parse reads a query.
func parse(text string) []term {
	var terms []term
	for _, t := range search.Terms(text) {
		terms = append(terms, term{text: separated(plain(t.Text)), phrase: t.Phrase, prefix: t.Prefix})
	}
	return terms
}

// expression is the FTS5 query for terms joined by AND or OR
// (https://sqlite.org/fts5.html#full_text_query_syntax): each is a quoted string, in which only
// the quote itself means something.
func expression(terms []term, operator string) string {
	var parts []string
	for _, t := range terms {
		part := quoted(t.text)
		if t.prefix {
			part += "*"
		}
		if len(t.variants) > 0 {
			part = "(" + part
			for _, v := range t.variants {
				part += " OR " + quoted(v)
			}
			part += ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " "+operator+" ")
}

// literal is the expression without other forms; "" when there are none.
func literal(terms []term, operator string) string {
	plain := slices.Clone(terms)
	wide := false
	for i := range plain {
		wide = wide || len(plain[i].variants) > 0
		plain[i].variants = nil
	}
	if !wide {
		return ""
	}
	return expression(plain, operator)
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
