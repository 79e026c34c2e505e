// Command colly crawls a list of pages with colly, extracts them with Tidemark's own extractor and
// keeps them in SQLite, durably: the program a Go developer would write in an afternoon, as the
// baseline for Tidemark's pages per second.
package main

import (
	"bufio"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gocolly/colly/v2"
	_ "modernc.org/sqlite"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

func main() {
	list := flag.String("urls", "", "file with one URL a line")
	parallel := flag.Int("parallel", 4, "requests in flight")
	flag.Parse()
	if err := run(*list, *parallel); err != nil {
		fmt.Fprintln(os.Stderr, "colly:", err)
		os.Exit(1)
	}
}

func run(list string, parallel int) error {
	urls, err := lines(list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "colly-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	k, err := open(filepath.Join(dir, "pages.db"))
	if err != nil {
		return err
	}
	defer k.db.Close()
	c := colly.NewCollector(colly.Async(true))
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallel}); err != nil {
		return err
	}
	c.OnResponse(k.keep)
	began := time.Now()
	for _, u := range urls {
		if err := c.Visit(u); err != nil {
			return fmt.Errorf("%s: %w", u, err)
		}
	}
	c.Wait()
	took := time.Since(began)
	n, err := k.count()
	fmt.Printf("%d pages, %.1f pages/s\n", n, float64(n)/took.Seconds())
	return err
}

func lines(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		out = append(out, s.Text())
	}
	return out, s.Err()
}

// keeper stores pages: the body, what was extracted, and a full-text index of its pieces, in one
// durable transaction per page.
type keeper struct{ db *sql.DB }

func open(file string) (*keeper, error) {
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	_, err = db.Exec(`
		create table pages (url text primary key, etag text, title text, hash text, body blob);
		create virtual table chunks using fts5 (url unindexed, heading, text)`)
	return &keeper{db}, err
}

func (k *keeper) keep(r *colly.Response) {
	doc, err := extract.Extract(r.Body, r.Headers.Get("Content-Type"), r.Request.URL.String(), extract.Limits{})
	if err == nil {
		err = k.store(r, doc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, r.Request.URL, err)
	}
}

func (k *keeper) store(r *colly.Response, doc extract.Document) error {
	tx, err := k.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	url := r.Request.URL.String()
	_, err = tx.Exec("insert into pages values (?, ?, ?, ?, ?)", url, r.Headers.Get("ETag"), doc.Title, doc.ContentHash(),
		r.Body)
	if err != nil {
		return err
	}
	chunks, _ := chunk.Split(chunk.Page{ID: url, Title: doc.Title, Blocks: doc.Blocks})
	for _, c := range chunks {
		if _, err := tx.Exec("insert into chunks values (?, ?, ?)", url, c.Heading, c.Text); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (k *keeper) count() (n int, err error) {
	err = k.db.QueryRow("select count(*) from pages").Scan(&n)
	return n, err
}
