// Package sqlitefile opens the SQLite files of Tidemark, checks them, and explains their errors. It never writes a
// file of another program or of another version. Every error has a kind. An error that does not pass by itself says
// what an operator must do. Each statement is prepared once, however often it is used.
//
// A [File] describes a file. [File.Writer] and [File.Readers] open connections to it. [File.Inspect] checks whether
// the file can be used, and [File.Create] creates the tables in a new file. Callers pass each error through
// [File.Explain].
package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/tidemark/tidemark/pkg/base/health"
	_ "modernc.org/sqlite" // the driver
)

// File is an SQLite file. Its methods are safe for concurrent use.
type File struct {
	Path    string
	Format  *Format
	Wait    time.Duration // the time that a call waits for other processes
	Pragmas []string      // to be set on every connection, such as "synchronous(FULL)"
	Name    string        // begins the messages for operators; if empty, Path is used
	Repair  string        // instructions to operators for a damaged file
	Health  health.Memory // the failures that an operator must deal with
}

// Format holds the properties that all files of one kind share.
type Format struct {
	ApplicationID int    // distinguishes these files from other databases
	Version       int    // must increase with every change of the tables or of an encoding in them
	Schema        string // the statements that create the tables
	// Roots are queries that read the root page of each table and index. Each query returns one number or null.
	Roots []string
	Other string // instructions to operators for a file of another version
}

// maxLog is the size in bytes to which the log of a file is truncated when it restarts.
const maxLog = 64 << 20

// checkpointPages is the size of the log, in pages of 4 KiB, at which the log is copied into the file. With SQLite's
// default of 1,000, a first crawl wrote 1.4 times as many bytes: it changes the same pages again and again.
const checkpointPages = 8000

// Writer prepares the only connection that writes. Its transactions begin as write transactions. The connection is
// opened at its first use.
func (f *File) Writer(pragmas ...string) (*sql.DB, error) { return f.open(1, "immediate", pragmas) }

// Readers prepares connections that only read, at most the given number. Each connection is opened at its first use.
func (f *File) Readers(most int, pragmas ...string) (*sql.DB, error) {
	return f.open(most, "deferred", append([]string{"query_only(1)"}, pragmas...))
}

func (f *File) open(most int, lock string, pragmas []string) (*sql.DB, error) {
	if configured != nil {
		return nil, configured
	}
	common := []string{fmt.Sprintf("busy_timeout(%d)", f.Wait.Milliseconds()), "temp_store(MEMORY)", "cache_size(-16000)",
		fmt.Sprintf("wal_autocheckpoint(%d)", checkpointPages), fmt.Sprintf("journal_size_limit(%d)", maxLog)}
	q := url.Values{"_txlock": {lock}, "_pragma": slices.Concat(common, f.Pragmas, pragmas)}
	// The path is the opaque part of the URL. So relative paths and paths with odd characters stay unchanged.
	path := (&url.URL{Path: filepath.ToSlash(f.Path)}).EscapedPath()
	name := url.URL{Scheme: "file", Opaque: path, RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	register(db)
	return db, nil
}

// shrinkTime bounds how long Shrink waits for the connections of a pool.
const shrinkTime = 100 * time.Millisecond

// pools are the pools of connections of this process that are still in use.
var pools = struct {
	mu  sync.Mutex
	all map[weak.Pointer[sql.DB]]struct{}
}{all: map[weak.Pointer[sql.DB]]struct{}{}}

func register(db *sql.DB) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	pools.all[weak.Make(db)] = struct{}{}
}

// Shrink makes the connections to all files of this process that nobody uses give back the memory of their pages, which
// is up to 30 MB each. They stay open: a connection that is opened again could find another file at the path, or make
// one, while the connection that writes goes on in the file that was there before.
func Shrink(ctx context.Context) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	for pointer := range pools.all {
		if db := pointer.Value(); db != nil {
			shrink(ctx, db)
		} else {
			delete(pools.all, pointer)
		}
	}
}

func shrink(ctx context.Context, db *sql.DB) {
	ctx, cancel := context.WithTimeout(ctx, shrinkTime)
	defer cancel()
	for range db.Stats().Idle {
		conn, err := db.Conn(ctx)
		if err != nil {
			return // it is in use again, or closed
		}
		// After the loop: the pool would hand out the same connection again.
		defer conn.Close()
		_, _ = conn.ExecContext(ctx, "PRAGMA shrink_memory") // the pages stay until the next try
	}
}
