package sqlitesearch

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

const (
	maxTitled  = 5000 // number of chunks whose titles are read for one suggestion
	wordsFirst = 3    // number of words that are suggested before any titles
)

// Suggest returns titles that complete the typed text, the shortest first. It also completes a single word with words
// of the index, the most frequent first.
func (ix *Index) Suggest(ctx context.Context, typed string) ([]string, error) {
	if err := search.CheckTyped(typed); err != nil {
		return nil, err
	}
	terms := ranking.Parse(typed)
	if len(terms) == 0 {
		return nil, nil
	}
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, ix.fault("suggest", err)
	}
	defer tx.Rollback()
	all, err := suggest(ctx, sqlitefile.NewStatements(tx), terms)
	return all, ix.fault("suggest", err)
}

func suggest(ctx context.Context, tx *sqlitefile.Statements, terms []ranking.Term) ([]string, error) {
	l, err := newLexicon(ctx, tx)
	if err != nil {
		return nil, err
	}
	last := &terms[len(terms)-1]
	last.Prefix, last.Symbol = true, false
	titles, err := l.titles(ctx, terms)
	if err != nil || len(terms) > 1 || len(last.Tokens) > 1 {
		return merged(titles, nil), err
	}
	words, err := l.complete(last.Tokens[0])
	return merged(titles, words), err
}

// titles returns the shortest of the titles that contain all terms.
func (l *lexicon) titles(ctx context.Context, terms []ranking.Term) ([]string, error) {
	lists := make([]list, len(terms))
	for i, t := range terms {
		hits, err := l.hitsOf(t)
		if err != nil {
			return nil, err
		}
		hits = slices.DeleteFunc(slices.Clone(hits), func(h postings.Hit) bool {
			return !ranking.Impact(h.Impact()).InTitle()
		})
		lists[i] = list{hits: hits, idf: 1}
	}
	matches := join(lists, len(lists))
	hits := make([]postings.Hit, min(maxTitled, len(matches)))
	for i := range hits {
		hits[i] = matches[i].hit
	}
	keys, err := l.postings.Keys(hits)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		keys[i] = key >> slotBits
	}
	return column[string](ctx, l.tx, "SELECT title FROM pages WHERE rowid IN (SELECT value FROM json_each(?)) "+
		"GROUP BY title ORDER BY length(title), title LIMIT ?", asJSON(slices.Compact(keys)), search.MaxSuggestions)
}

// complete returns the significant words that begin with the prefix, the most frequent word first.
func (l *lexicon) complete(prefix string) ([]string, error) {
	found, err := l.postings.Prefix(prefix, maxBegun)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(found, func(w string, _ postings.Entry) bool { return tokens.IsFunctionWord(w) })
	words := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b].Documents, found[a].Documents), cmp.Compare(a, b))
	})
	words = words[:min(len(words), search.MaxSuggestions)]
	return slices.DeleteFunc(words, func(w string) bool {
		n, e := l.number(w) // drops words that only removed chunks contain
		err = errors.Join(err, e)
		return n == 0
	}), err
}

// merged merges words and titles, without repeats in any letter case.
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
