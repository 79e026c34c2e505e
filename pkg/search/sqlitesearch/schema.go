package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/postings"
)

// schemaVersion is raised with every change of the tables. Files of the versions that [upgrades] knows are
// upgraded; older ones are set aside and built anew, since everything in them is derived; files of newer ones
// are refused.
const schemaVersion = 16

// upgrades make the tables of older versions into those of the next; see also [fillDerived].
var upgrades = map[int]string{
	9:  "ALTER TABLE pages ADD COLUMN published_at INTEGER NOT NULL DEFAULT 0",
	10: "",
	11: "",
	12: "ALTER TABLE pages ADD COLUMN tags TEXT NOT NULL DEFAULT ''; " +
		"ALTER TABLE pages ADD COLUMN path TEXT NOT NULL DEFAULT '';",
	13: "ALTER TABLE chunks ADD COLUMN anchor TEXT NOT NULL DEFAULT ''",
	14: "DROP TABLE IF EXISTS terms; DROP TABLE IF EXISTS names; DROP TABLE fts; DROP TABLE IF EXISTS bits; " +
		"ALTER TABLE chunks ADD COLUMN document INTEGER NOT NULL DEFAULT 0;" + pagesIndex + postings.Schema,
	15: "DROP TABLE IF EXISTS bits;" + bitsTable,
}

// upgraded is the oldest version that is.
const upgraded = 9

// pagesIndex has the filter that leaves out most, with the date that it often comes with.
const pagesIndex = "CREATE INDEX pages_host ON pages (host, changed_at);"

// applicationID marks our files ("TIDE"), so that nobody's database is taken for an index.
const applicationID = 0x54494445

const schema = `
CREATE TABLE pages (
	rowid INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	url TEXT NOT NULL, host TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
	language TEXT NOT NULL, mime TEXT NOT NULL, indexed_at TEXT NOT NULL, changed_at INTEGER NOT NULL,
	images INTEGER NOT NULL DEFAULT 0,
	same TEXT NOT NULL, place INTEGER NOT NULL,
	published_at INTEGER NOT NULL DEFAULT 0,
	tags TEXT NOT NULL DEFAULT '', path TEXT NOT NULL DEFAULT ''
);
` + pagesIndex + `
CREATE TABLE images (
	page INTEGER NOT NULL, id TEXT NOT NULL, ordinal INTEGER NOT NULL,
	src TEXT NOT NULL, alt TEXT NOT NULL, title TEXT NOT NULL, caption TEXT NOT NULL,
	PRIMARY KEY (page, id)
) WITHOUT ROWID;
CREATE TABLE chunks (
	id INTEGER PRIMARY KEY, document INTEGER NOT NULL DEFAULT 0,
	key TEXT NOT NULL, uid TEXT NOT NULL,
	title TEXT NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL,
	anchor TEXT NOT NULL DEFAULT ''
);
CREATE TABLE begun (name TEXT NOT NULL);
INSERT INTO begun VALUES (lower(hex(randomblob(8))));
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE model (name TEXT NOT NULL);
CREATE TABLE forms (language TEXT NOT NULL, stem TEXT NOT NULL, word TEXT NOT NULL,
	PRIMARY KEY (language, stem, word)) WITHOUT ROWID;
` + bitsTable + postings.Schema

// setWAL sets the mode of the file, which cannot be done inside a transaction. SQLite does not wait
// for another process that does the same, so it is done again until that one is through.
func setWAL(ctx context.Context, db *sql.DB) (err error) {
	const pause, tries = 5 * time.Millisecond, 2000
	for range tries {
		_, err = db.ExecContext(ctx, "PRAGMA journal_mode(WAL)")
		if err == nil || code(err) != sqlite3.SQLITE_BUSY || ctx.Err() != nil {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

// createSchema makes the tables of a new file, or upgrades them, once, whichever process comes first.
func createSchema(ctx context.Context, db *sql.DB) error {
	version, err := pragma(ctx, db, "user_version")
	if err != nil || version == schemaVersion {
		return err
	}
	if err := setWAL(ctx, db); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if version, err = pragma(ctx, tx, "user_version"); err != nil || version == schemaVersion {
		return err
	}
	statements := schema
	if version > 0 {
		statements = ""
		for v := version; v < schemaVersion; v++ {
			statements += upgrades[v] + ";"
		}
	}
	statements += fmt.Sprintf("; PRAGMA application_id(%d); PRAGMA user_version(%d);", applicationID, schemaVersion)
	if _, err := tx.ExecContext(ctx, statements); err != nil {
		return err
	}
	if version > 0 {
		if err := fillDerived(ctx, tx, version); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// fillDerived fills the tables that a file of an earlier version lacked.
func fillDerived(ctx context.Context, tx *sql.Tx, version int) error {
	if err := fillBits(ctx, tx); err != nil {
		return err
	}
	if version <= 12 {
		if err := fillPaths(ctx, tx); err != nil {
			return err
		}
	}
	if version <= 14 {
		return fillPostings(ctx, tx)
	}
	return nil
}

// fillPaths writes the paths of the pages of a file of an earlier version.
func fillPaths(ctx context.Context, tx *sql.Tx) error {
	urls, err := textsOf(ctx, tx, "SELECT rowid, url FROM pages")
	if err != nil {
		return err
	}
	for page, url := range urls {
		if _, err := tx.ExecContext(ctx, "UPDATE pages SET path = ? WHERE rowid = ?", search.PathOf(url), page); err != nil {
			return err
		}
	}
	return nil
}

// textsOf reads a text of each page.
func textsOf(ctx context.Context, tx *sql.Tx, query string) (texts map[int64]string, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	texts = map[int64]string{}
	for rows.Next() {
		var page int64
		var text string
		if err := rows.Scan(&page, &text); err != nil {
			return nil, err
		}
		texts[page] = text
	}
	return texts, rows.Err()
}

// fillPostings writes the words of the chunks of a file of an earlier version.
func fillPostings(ctx context.Context, tx *sql.Tx) error {
	const most = 1000 // chunks in a segment
	prepared := postings.NewTx(tx)
	w := &writer{ctx: ctx, tx: prepared, marker: newMarker(), postings: postings.NewWriter(ctx, prepared)}
	for after := int64(0); ; {
		chunks, err := w.readRange(after+1, math.MaxInt64, most)
		if err != nil {
			return err
		}
		for _, r := range chunks {
			if err := w.addText(&r); err != nil {
				return err
			}
			if err := w.exec("UPDATE chunks SET document = ? WHERE id = ?", r.document, r.id); err != nil {
				return err
			}
			after = r.id
		}
		w.added = nil
		if err := w.postings.Flush(); err != nil || len(chunks) < most {
			return err
		}
	}
}

// querier is what a database and a transaction share.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func pragma(ctx context.Context, db querier, name string) (n int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA "+name).Scan(&n)
	return n, err
}

// errOutdated marks a file of an older schema.
var errOutdated = fmt.Errorf("search index of an older version")

// inspect reads enough of a file to know whether it can be used: its marks and the roots of every
// table. It takes about a millisecond whatever the size; damage deeper inside is noticed when it
// is met (see [Index.fault]).
func inspect(ctx context.Context, db *sql.DB) error {
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil || tables == 0 {
		return err
	}
	id, err := pragma(ctx, db, "application_id")
	if err != nil {
		return err
	}
	version, err := pragma(ctx, db, "user_version")
	switch {
	case err != nil:
		return err
	case id != applicationID:
		return fault.New(fault.Invalid, "the file is a database of another program")
	case version > schemaVersion:
		return fault.New(fault.Invalid,
			"search index has version %d, this program knows versions up to %d: use a newer program, or remove the file and "+
				"rebuild", version, schemaVersion)
	case version < upgraded:
		return errOutdated
	}
	var discard sql.NullInt64
	roots := []string{"SELECT max(rowid) FROM pages", "SELECT max(id) FROM chunks", "SELECT max(page) FROM images",
		"SELECT max(chunk) FROM vectors"}
	if version == schemaVersion {
		roots = append(roots, "SELECT max(id) FROM leaves", "SELECT max(id) FROM lists", "SELECT max(block) FROM documents",
			"SELECT count(*) FROM segments")
	}
	for _, q := range roots {
		if err := db.QueryRowContext(ctx, q).Scan(&discard); err != nil {
			return err
		}
	}
	return nil
}
