package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// schemaVersion is raised with every change of the tables. Files of the versions that [upgrades] knows are
// upgraded; older ones are set aside and built anew, since everything in them is derived; files of newer ones
// are refused.
const schemaVersion = 14

// upgrades make the tables of older versions into those of the next; see also [fillDerived].
var upgrades = map[int]string{
	9:  "ALTER TABLE pages ADD COLUMN published_at INTEGER NOT NULL DEFAULT 0",
	10: namesTable,
	11: bitsTable,
	12: "ALTER TABLE pages ADD COLUMN tags TEXT NOT NULL DEFAULT ''; " +
		"ALTER TABLE pages ADD COLUMN path TEXT NOT NULL DEFAULT '';" + termsTable,
	13: "ALTER TABLE chunks ADD COLUMN anchor TEXT NOT NULL DEFAULT ''",
}

// upgraded is the oldest version that is.
const upgraded = 9

// namesTable makes the table of what pages are called (names.go).
const namesTable = `CREATE VIRTUAL TABLE names USING fts5(
	title, headings, defined, content='', contentless_delete=1, ` + tokenizer + `
);`

// termsTable names the words of names, and how many pages have each; it stores nothing.
const termsTable = "CREATE VIRTUAL TABLE terms USING fts5vocab(names, row);"

// tokenizer is said of below.
const tokenizer = `tokenize='unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc'' separators ''` +
	"\ufe0e\ufe0f" + `'''`

// applicationID marks our files ("TIDE"), so that nobody's database is taken for an index.
const applicationID = 0x54494445

// The tokenizer is part of the schema: words that were indexed with other options would not be
// found. Marks belong to words, or those of Hindi, Bengali or Tamil would be cut at every vowel; what
// picks the look of an emoji is none. Without the prefix index, w* took seconds among 23,000 chunks
// instead of a third of one. Segments are merged eight at a time instead of four, which saved a quarter
// of the processor time of writing and cost queries nothing that could be measured. No triggers keep
// fts true to chunks, writer.go does: a statement that fires triggers opens a savepoint, at which FTS5
// writes out what it has gathered, for every single row.
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
CREATE TABLE images (
	page INTEGER NOT NULL, id TEXT NOT NULL, ordinal INTEGER NOT NULL,
	src TEXT NOT NULL, alt TEXT NOT NULL, title TEXT NOT NULL, caption TEXT NOT NULL,
	PRIMARY KEY (page, id)
) WITHOUT ROWID;
CREATE TABLE chunks (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL, uid TEXT NOT NULL,
	title TEXT NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL,
	anchor TEXT NOT NULL DEFAULT ''
);
CREATE TABLE begun (name TEXT NOT NULL);
INSERT INTO begun VALUES (lower(hex(randomblob(8))));
CREATE VIRTUAL TABLE fts USING fts5(
	title, heading, body, content='chunks', content_rowid='id', ` + tokenizer + `, prefix='2 3'
);
INSERT INTO fts (fts, rank) VALUES ('automerge', 8);
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE model (name TEXT NOT NULL);
CREATE TABLE forms (language TEXT NOT NULL, stem TEXT NOT NULL, word TEXT NOT NULL,
	PRIMARY KEY (language, stem, word)) WITHOUT ROWID;
` + namesTable + bitsTable + termsTable

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
	if version <= 10 {
		if err := fillNames(ctx, tx); err != nil {
			return err
		}
	}
	if version <= 11 {
		if err := fillBits(ctx, tx); err != nil {
			return err
		}
	}
	if version <= 12 {
		return fillPaths(ctx, tx)
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

// fillNames writes what the pages of a file of an earlier version are called.
func fillNames(ctx context.Context, tx *sql.Tx) error {
	w := &writer{ctx: ctx, tx: tx, stmts: map[string]*sql.Stmt{}, names: map[int64]calling{}}
	titles, err := textsOf(ctx, tx, "SELECT rowid, title FROM pages")
	if err != nil {
		return err
	}
	for _, page := range slices.Sorted(maps.Keys(titles)) {
		chunks, err := w.readChunks(page)
		if err != nil {
			return err
		}
		w.call(page, separated(titles[page]), slices.SortedFunc(maps.Values(chunks), byID), false)
		if len(w.names) == manyNames {
			if err := w.putNames(); err != nil {
				return err
			}
		}
	}
	return w.putNames()
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
	for _, q := range []string{"SELECT max(rowid) FROM pages", "SELECT max(id) FROM chunks",
		"SELECT max(page) FROM images", "SELECT max(chunk) FROM vectors", "SELECT count(*) FROM fts('tidemark')"} {
		if err := db.QueryRowContext(ctx, q).Scan(&discard); err != nil {
			return err
		}
	}
	return nil
}
