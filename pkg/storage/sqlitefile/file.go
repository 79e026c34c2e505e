// Package sqlitefile opens the SQLite files of Tidemark, checks them, and explains their errors. It never writes a
// file of another program or of another version. Every error has a kind, and an error that does not pass by itself
// says what an operator must do. Each statement is prepared once, however often it is used.
//
// A [File] describes one file. Its user opens connections to the file ([File.Writer], [File.Readers]), checks whether
// it can be used ([File.Inspect]), creates the tables in a new file ([File.Create]), and passes each error through
// [File.Explain].
package sqlitefile

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/tidemark/tidemark/pkg/base/health"
)

// File is an SQLite file. Its methods are safe for concurrent use.
type File struct {
	Path    string
	Format  *Format
	Wait    time.Duration // how long a call waits for other processes
	Pragmas []string      // set on every connection, such as "synchronous(FULL)"
	Name    string        // begins the messages for operators; Path when empty
	Repair  string        // tells an operator what to do about damage
	Health  health.Memory // the failures that an operator must deal with
}

// Format holds the properties common to all files of one kind.
type Format struct {
	ApplicationID int    // distinguishes these files from other databases
	Version       int    // must rise with every change of the tables or of an encoding in them
	Schema        string // the statements that create the tables
	// Roots contains queries that return one number, or null, and read the root page of each table and index.
	Roots []string
	Other string // tells an operator what to do about a file of another version
}

// Writer prepares the one connection that writes. Its transactions begin as write transactions. The connection is
// opened at its first use.
func (f *File) Writer(pragmas ...string) (*sql.DB, error) { return f.open(1, "immediate", pragmas) }

// Readers prepares connections that only read. Each connection is opened at its first use.
func (f *File) Readers(most int, pragmas ...string) (*sql.DB, error) {
	return f.open(most, "deferred", append([]string{"query_only(1)"}, pragmas...))
}

func (f *File) open(most int, lock string, pragmas []string) (*sql.DB, error) {
	wait := fmt.Sprintf("busy_timeout(%d)", f.Wait.Milliseconds())
	common := []string{wait, "temp_store(MEMORY)", "cache_size(-16000)"}
	q := url.Values{"_txlock": {lock}, "_pragma": slices.Concat(common, f.Pragmas, pragmas)}
	// The path is the opaque part of the URL, so relative paths and paths with odd characters stay unchanged.
	path := (&url.URL{Path: filepath.ToSlash(f.Path)}).EscapedPath()
	name := url.URL{Scheme: "file", Opaque: path, RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}
