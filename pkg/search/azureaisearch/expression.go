package azureaisearch

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

// expression returns a query in full Lucene syntax (https://learn.microsoft.com/azure/search/query-lucene-syntax):
// terms joined by AND or OR. Words and phrases are in quotes, where only the quote and the backslash are special. The
// service analyzes them, so a word of several parts ("o'brien", a run of Chinese) becomes a phrase of its parts. A
// word may match in any searched field, and so may its other spellings. A phrase or prefix may match only in the fields
// with unstemmed words, and so may a word of one letter: only there C++ is another word than C.
func expression(terms []search.Term, operator string) string {
	spellings := search.Spellings(terms)
	var parts []string
	for i, t := range terms {
		switch {
		case t.Prefix:
			parts = append(parts, beginning(t.Text))
		case t.Phrase || isLetter(t.Text):
			parts = append(parts, exactly(quoted(t.Text)))
		default:
			parts = append(parts, anyOf(t.Text, spellings[i]))
		}
	}
	return strings.Join(parts, " "+operator+" ")
}

// isLetter reports whether a text has a single letter from A to Z, and besides only signs, as C++ does.
func isLetter(text string) bool {
	text = strings.TrimFunc(text, func(r rune) bool { return !search.IsWordRune(r) })
	return len(text) == 1 && (text[0]|' ' >= 'a' && text[0]|' ' <= 'z')
}

// anyOf returns an expression for a term or any of its other spellings.
func anyOf(text string, spellings []string) string {
	if len(spellings) == 0 {
		return quoted(text)
	}
	parts := []string{quoted(text)}
	for _, s := range spellings {
		parts = append(parts, quoted(s))
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// beginning returns an expression for a prefix. Only the last word can be a prefix. The words before it must occur,
// but not necessarily next to it.
func beginning(text string) string {
	words := split(text)
	last := fold(words[len(words)-1])
	if last == "" || isSpaceless([]rune(last)[0]) {
		return exactly(quoted(text)) // the last word is a single character of a script without spaces
	}
	starts := exactly(last + "*")
	if len(words) == 1 {
		return starts
	}
	return "(" + exactly(quoted(strings.Join(words[:len(words)-1], " "))) + " AND " + starts + ")"
}

// exactly returns an expression that searches the fields with unstemmed words for one unit, which is a quoted text or
// a prefix.
func exactly(unit string) string {
	return "(title:" + unit + " OR heading:" + unit + " OR text:" + unit + ")"
}

func quoted(text string) string { return `"` + escaper.Replace(blanked(text)) + `"` }

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// blanked replaces control characters by spaces.
func blanked(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, plain(text))
}

// searchFields returns the fields to search: those with unstemmed words, and the stemmed field of the query's
// language. If the query has no language, the stemmed fields of all languages are searched.
func searchFields(language string) string {
	fields := []string{"title", "heading", "text"}
	if language != "" {
		if stems := stemFieldOf(language); stems != "" {
			fields = append(fields, stems)
		}
		return strings.Join(fields, ",")
	}
	for _, f := range stemFields() {
		fields = append(fields, f.name)
	}
	return strings.Join(fields, ",")
}

// quotedOData escapes a text for a quoted string in a filter.
func quotedOData(text string) string { return strings.ReplaceAll(blanked(text), "'", "''") }

// filter returns the OData filter for the chunks that a query may find
// (https://learn.microsoft.com/azure/search/search-query-odata-filter).
func filter(q search.Query) string {
	f := "kind eq 'chunk'"
	for _, part := range []struct{ field, value string }{{"host", q.Host}, {"type", q.Type}, {"language", q.Language}} {
		if part.value != "" {
			f += " and " + part.field + " eq '" + quotedOData(part.value) + "'"
		}
	}
	if q.Tag != "" {
		f += " and tags/any(t: t eq '" + quotedOData(q.Tag) + "')"
	}
	if q.Path != "" {
		from, to := search.PathRange(q.Path)
		f += " and path ge '" + quotedOData(from) + "' and path lt '" + quotedOData(to) + "'"
	}
	if !q.Since.IsZero() {
		f += " and changedAt ge " + q.Since.UTC().Format(time.RFC3339)
	}
	if !q.PublishedAfter.IsZero() {
		f += " and publishedAt ge " + q.PublishedAfter.UTC().Format(time.RFC3339)
	}
	return f
}

// idsPerFilter is the maximum number of ids in one filter, because search.in accepts only hundreds of values
// (https://learn.microsoft.com/azure/search/search-query-odata-search-in-function).
const idsPerFilter = 100

// in returns a filter for documents whose field has one of the given values, which must be keys.
func in(field string, values []string) string {
	return "search.in(" + field + ", '" + strings.Join(values, ",") + "', ',')"
}
