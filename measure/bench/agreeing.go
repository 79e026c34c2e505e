package main

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// For each kind of query, the results of at most agreedOf queries are compared with the results of scoring all
// chunks. The comparison takes at most agreedTime.
const (
	agreedOf   = 25
	agreedTime = 20 * time.Second
)

// agree returns, for each kind of query, the share of the true ten best results that a search finds. The true best
// results come from scoring all chunks. A result with the same score as the tenth counts as well.
func (b *bench) agree(path string, c *corpus) (map[string]float64, error) {
	usual, err := sqlitesearch.Open(path, sqlitesearch.Options{})
	if err != nil {
		return nil, err
	}
	defer usual.Close()
	all, err := sqlitesearch.Open(path, sqlitesearch.Options{Exhaustive: true})
	if err != nil {
		return nil, err
	}
	defer all.Close()
	agree := map[string]float64{}
	for _, kind := range askedKinds {
		right, wanted, began := 0, 0, time.Now()
		for _, q := range c.queries(kind)[:agreedOf] {
			if time.Since(began) > agreedTime {
				break
			}
			r, n, err := b.agreed(usual, all, q)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", q.Text, err)
			}
			right, wanted = right+r, wanted+n
		}
		agree[kind.name] = float64(right) / float64(max(1, wanted))
	}
	return agree, nil
}

func (b *bench) agreed(usual, all *sqlitesearch.Index, q search.Query) (right, wanted int, err error) {
	found, err := usual.Search(b.ctx, q)
	if err != nil {
		return 0, 0, err
	}
	top := q.Top
	q.Top = search.MaxTop
	best, err := all.Search(b.ctx, q)
	if err != nil {
		return 0, 0, err
	}
	wanted = min(top, len(best.Results))
	if wanted == 0 {
		return 0, 0, nil
	}
	const alike = 1e-9
	good := map[string]bool{}
	for _, r := range best.Results {
		if r.Score >= best.Results[wanted-1].Score-alike {
			good[r.ID] = true
		}
	}
	for _, r := range found.Results {
		if good[r.ID] {
			right++
		}
	}
	return right, wanted, nil
}

func printAgreement(all []sized) {
	columns := []string{"query"}
	for _, s := range all {
		columns = append(columns, thousands(s.chunks)+" chunks")
	}
	section("Part of the ten best, by scoring everything, that are found", columns...)
	for _, kind := range askedKinds {
		cells := []any{kind.name}
		for _, s := range all {
			cells = append(cells, s.agree[kind.name])
		}
		row(cells...)
	}
}
