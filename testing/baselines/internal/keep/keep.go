// Package keep stores pages for the baselines as a Go developer would in an afternoon: in one SQLite file with the
// body, the extracted content, and a full-text index of its chunks.
package keep

import (
	"database/sql"
	"net/http"

	_ "modernc.org/sqlite"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// Page is a fetched page.
type Page struct {
	URL    string
	Header http.Header
	Body   []byte
	doc    extract.Document
	chunks []chunk.Chunk
}

// Read extracts the content of a page with Tidemark's own extractor and splits it into chunks.
func (p *Page) Read() (err error) {
	p.doc, err = web.Extract(p.Body, p.Header.Get("Content-Type"), p.URL, extract.Limits{})
	if err == nil {
		p.chunks, _ = chunk.Split(chunk.Page{ID: p.URL, Title: p.doc.Title, Blocks: p.doc.Blocks})
	}
	return err
}

// Keeper is the SQLite file.
type Keeper struct{ db *sql.DB }

// open creates the file. A transaction is durable when its commit has returned.
func open(file string) (*Keeper, error) {
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	_, err = db.Exec(`
		create table pages (url text primary key, etag text, title text, hash text, body blob, checks int default 1);
		create virtual table chunks using fts5 (url unindexed, heading, text)`)
	return &Keeper{db}, err
}

func (k *Keeper) Close() error { return k.db.Close() }

// Store stores pages in one transaction. Callers must call [Page.Read] before.
func (k *Keeper) Store(pages ...*Page) error {
	return k.within(func(tx *sql.Tx) error {
		for _, p := range pages {
			if err := storePage(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func storePage(tx *sql.Tx, p *Page) error {
	_, err := tx.Exec("insert into pages (url, etag, title, hash, body) values (?, ?, ?, ?, ?)",
		p.URL, p.Header.Get("ETag"), p.doc.Title, p.doc.ContentHash(), p.Body)
	for _, c := range p.chunks {
		if err == nil {
			_, err = tx.Exec("insert into chunks values (?, ?, ?)", p.URL, c.Heading, c.Text)
		}
	}
	return err
}

// Checked counts a check of each page, in one transaction.
func (k *Keeper) Checked(urls []string) error {
	return k.within(func(tx *sql.Tx) (err error) {
		for _, u := range urls {
			if err == nil {
				_, err = tx.Exec("update pages set checks = checks + 1 where url = ?", u)
			}
		}
		return err
	})
}

func (k *Keeper) within(do func(tx *sql.Tx) error) error {
	tx, err := k.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// ETags returns the validators of all pages by their addresses.
func (k *Keeper) ETags() (map[string]string, error) {
	rows, err := k.db.Query("select url, etag from pages")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var url, etag string
		if err := rows.Scan(&url, &etag); err != nil {
			return nil, err
		}
		found[url] = etag
	}
	return found, rows.Err()
}
