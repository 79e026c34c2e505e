package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// busyLimit bounds how long a call waits for other processes.
const busyLimit = 30 * time.Second

// readers is how many reads run at once; more wait. Reads are bound by CPU.
const readers = 4

// maxWAL is the size above which the log is cut when it begins anew.
const maxWAL = 64 << 20

// checkpointPages is how long the log gets, in pages of 4 KiB, before it is copied into the file. At SQLite's 1,000 a
// first crawl wrote 1.4 times as many bytes, for the same pages change again and again.
const checkpointPages = 8000

// openPool prepares connections; the first use opens one.
func openPool(path string, conns int, extra ...string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, extra))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

func dsn(path string, extra []string) string {
	q := url.Values{"_pragma": append([]string{
		fmt.Sprintf("busy_timeout(%d)", busyLimit.Milliseconds()),
		"synchronous(FULL)", "foreign_keys(0)", "temp_store(MEMORY)", "cache_size(-16000)",
		fmt.Sprintf("wal_autocheckpoint(%d)", checkpointPages), fmt.Sprintf("journal_size_limit(%d)", maxWAL),
	}, extra...)}
	// As an opaque part, relative paths and those with odd characters stay what they are.
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: q.Encode()}
	return name.String()
}

// pool is the readers' connections with their prepared statements.
type pool struct {
	db    *sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func openReaders(path string) (*pool, error) {
	db, err := openPool(path, readers, "query_only(1)")
	if err != nil {
		return nil, err
	}
	return &pool{db: db, stmts: map[string]*sql.Stmt{}}, nil
}

// prepared returns the statement for a query text, of which this package has a fixed number.
func (p *pool) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.Lock()
	stmt := p.stmts[query]
	p.mu.Unlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := p.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first := p.stmts[query]; first != nil {
		stmt.Close()
		return first, nil
	}
	p.stmts[query] = stmt
	return stmt, nil
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, stmt := range p.stmts {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, p.db.Close())...)
}

// row reads one row into dest; sql.ErrNoRows when there is none.
func (p *pool) row(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := p.prepared(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(dest...)
}

// each calls scan for every row until it returns false.
func (p *pool) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) (more bool, err error)) error {
	stmt, err := p.prepared(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if more, err := scan(rows); err != nil || !more {
			return err
		}
	}
	return rows.Err()
}
