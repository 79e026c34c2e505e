package main

import (
	"context"
	"database/sql"
	"strings"
	"unicode"

	_ "modernc.org/sqlite"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/passage"
)

// plainIndex is SQLite's FTS5 over the same pieces: words as unicode61 has them, joined by OR, ranked by bm25 with
// equal weights for title, headings and text. It is the baseline.
type plainIndex struct {
	db     *sql.DB
	pieces []piece
}

func newPlainIndex(pieces []piece) (*plainIndex, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	const table = "CREATE VIRTUAL TABLE pieces USING fts5 (title, heading, body, tokenize = 'unicode61')"
	if _, err := tx.Exec(table); err != nil {
		return nil, err
	}
	insert, err := tx.Prepare("INSERT INTO pieces (rowid, title, heading, body) VALUES (?, ?, ?, ?)")
	if err != nil {
		return nil, err
	}
	for i, p := range pieces {
		if _, err := insert.Exec(i+1, p.title, p.heading, p.text); err != nil {
			return nil, err
		}
	}
	return &plainIndex{db, pieces}, tx.Commit()
}

// plainTop is the number of pieces that a question finds. More do not fit in any budget.
const plainTop = 200

func (x *plainIndex) find(text string) (pages []string, fit func(int) ([]passage.Passage, error), err error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	fit = func(int) ([]passage.Passage, error) { return nil, nil }
	if len(words) == 0 {
		return nil, fit, nil
	}
	rows, err := x.db.QueryContext(context.Background(),
		"SELECT rowid FROM pieces WHERE pieces MATCH ? ORDER BY bm25(pieces) LIMIT ?", `"`+strings.Join(words, `" OR "`)+`"`,
		plainTop)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var ranked []passage.Passage
	seen := map[string]bool{}
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, nil, err
		}
		p := x.pieces[id-1]
		ranked = append(ranked, passage.Passage{Page: search.Result{URL: p.page}, Text: p.text,
			Heading: chunk.HeadingPath(p.heading)})
		if !seen[p.page] && len(pages) < deep {
			pages = append(pages, p.page)
		}
		seen[p.page] = true
	}
	fit = func(tokens int) ([]passage.Passage, error) { return passage.Fit(ranked, tokens), nil }
	return pages, fit, rows.Err()
}
