package sqlitesearch

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

const (
	maxTitled  = 500   // pages whose titles are looked at for one suggestion
	maxWords   = 20000 // words that begin alike, of which the most frequent are wanted
	wordsFirst = 3     // words that are suggested before titles take their places
)

// Suggest completes what somebody types by titles, the shortest first, and a single word by the words of titles and
// headings, those of most pages first.
func (ix *Index) Suggest(ctx context.Context, typed string) ([]string, error) {
	if err := search.CheckTyped(typed); err != nil {
		return nil, err
	}
	terms := parse(typed)
	if len(terms) == 0 {
		return nil, nil
	}
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, ix.fault("suggest", err)
	}
	defer tx.Rollback()
	terms[len(terms)-1].prefix = true
	titles, err := texts(ctx, tx, `
SELECT title FROM pages WHERE rowid IN (SELECT rowid FROM names WHERE names MATCH ? LIMIT ?)
GROUP BY title ORDER BY length(title), title LIMIT ?`, "{title} : ("+expression(terms, "AND")+")", maxTitled,
		search.MaxSuggestions)
	if err != nil {
		return nil, ix.fault("suggest", err)
	}
	var words []string
	if last := terms[0].tokens; len(terms) == 1 && len(last) == 1 {
		words, err = texts(ctx, tx, `
SELECT term FROM (SELECT term, doc FROM terms WHERE term > ? AND term < ? LIMIT ?) ORDER BY doc DESC, term LIMIT ?`,
			last[0], last[0]+"\U0010ffff", maxWords, search.MaxSuggestions)
	}
	return merged(titles, words), ix.fault("suggest", err)
}

// merged are some words and titles, each once; whatever its case.
func merged(titles, words []string) (all []string) {
	first := min(wordsFirst, len(words))
	seen := map[string]bool{}
	for _, text := range slices.Concat(words[:first], titles, words[first:]) {
		if key := strings.ToLower(text); !seen[key] && len(all) < search.MaxSuggestions {
			seen[key] = true
			all = append(all, text)
		}
	}
	return all
}

// texts reads the only column of a query.
func texts(ctx context.Context, tx *sql.Tx, query string, args ...any) (all []string, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
