// Package sqlitefile opens the SQLite files of Tidemark, checks them, and explains what goes wrong with them. A file of
// another program or of another version is never written. Every failure has a kind, and one that does not pass by
// itself says what an operator has to do. A statement is prepared once, however often it is used.
//
// A [File] says what kind of file it is. Its user opens connections to it ([File.Writer], [File.Readers]), looks
// whether the file can be used ([File.Inspect]), makes the tables of a new one ([File.Create]), and passes each error
// through [File.Explain].
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

// File is an SQLite file. Its methods may be called concurrently.
type File struct {
	Path    string
	Format  *Format
	Wait    time.Duration // how long a call waits for other processes
	Pragmas []string      // of every connection, such as "synchronous(FULL)"
	Name    string        // begins what an operator is told; Path when empty
	Repair  string        // what an operator does about damage
	Health  health.Memory // what an operator has to deal with
}

// Format is what all files of one kind have in common.
type Format struct {
	ApplicationID int    // marks them, so that nobody's database is taken for one
	Version       int    // raised with every change of the tables or of an encoding in them
	Schema        string // makes the tables
	// Roots are queries of one number, or null, that read the root of each table and index.
	Roots []string
	Other string // what an operator does about a file of another version
}

// Writer prepares the one connection that writes; transactions on it begin as writers. The first use opens it.
func (f *File) Writer(pragmas ...string) (*sql.DB, error) { return f.open(1, "immediate", pragmas) }

// Readers prepares connections that only read. The first use of each opens it.
func (f *File) Readers(most int, pragmas ...string) (*sql.DB, error) {
	return f.open(most, "deferred", append([]string{"query_only(1)"}, pragmas...))
}

func (f *File) open(most int, lock string, pragmas []string) (*sql.DB, error) {
	wait := fmt.Sprintf("busy_timeout(%d)", f.Wait.Milliseconds())
	common := []string{wait, "temp_store(MEMORY)", "cache_size(-16000)"}
	q := url.Values{"_txlock": {lock}, "_pragma": slices.Concat(common, f.Pragmas, pragmas)}
	// As an opaque part, relative paths and those with odd characters stay what they are.
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
