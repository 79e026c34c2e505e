package sqlitesearch

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// Examine reads the index in the file at path without changing the file. Other processes may use the file at the same
// time. Examine returns the number of pages. If deep is set, it also checks that the whole file can be read. Errors:
// NotFound if there is no index. Other errors report the problem that [Open] would find: damage, or a file of a newer
// program.
func Examine(ctx context.Context, path string, deep bool) (pages int, err error) {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return 0, fault.New(fault.NotFound, "%s: %w", path, fs.ErrNotExist)
	}
	ix := &Index{file: databaseAt(path)}
	ix.file.Repair = "stop the program and move the file away; the next start fills a new index"
	if err := ix.examine(); err != nil {
		return 0, ix.file.Explain(err)
	}
	db, err := ix.file.Readers(1)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(&pages)
	if err == nil && deep {
		err = examineAll(ctx, db)
	}
	return pages, ix.file.Explain(err)
}

// examineAll reads the whole file.
func examineAll(ctx context.Context, db *sql.DB) error {
	damage, err := sqlitefile.Integrity(ctx, db, 1)
	if err != nil {
		return err
	}
	if len(damage) > 0 {
		return sqlitefile.Damage(damage[0])
	}
	return compareWords(ctx, db)
}

// compareWords checks that the words of the index agree with the texts of the chunks.
func compareWords(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	prepared := sqlitefile.NewStatements(tx)
	r, err := postings.NewReader(ctx, prepared)
	if err != nil {
		return err
	}
	known, err := r.Check()
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, tx: prepared}
	a := ranking.NewAnalyzer(postings.MaxWord)
	const most = 1000 // maximum number of rows to read at once
	for after := int64(0); ; {
		chunks, err := w.readRange(after+1, math.MaxInt64, most)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			words, _ := a.Words(c.title, c.heading, c.body, ranking.ZoneFactor(c.zone))
			want := postings.Known{Key: c.id, Words: len(words)}
			if have := known[c.document]; have != want {
				return fmt.Errorf("%w: chunk %d has %d words, the index has %d of %d", postings.ErrDamaged, c.id, want.Words,
					have.Words, have.Key)
			}
			delete(known, c.document)
			after = c.id
		}
		switch {
		case len(chunks) == most:
		case len(known) > 0:
			return fmt.Errorf("%w: it has %d chunks that are gone", postings.ErrDamaged, len(known))
		default:
			return nil
		}
	}
}

// databaseAt returns the file of an index. SQLite syncs the file only when it writes back the log. Pages that are
// lost in a power failure are put again.
func databaseAt(path string) *sqlitefile.File {
	return &sqlitefile.File{
		Path: path, Format: &format, Wait: 10 * time.Second, Pragmas: []string{"synchronous(NORMAL)"},
		Repair: "restart the program, which puts the file aside and fills a new index by itself",
	}
}

// format is the format of the index. Files of earlier versions are set aside and filled again, because everything in
// them is derived. Files of later versions are refused. The database index on host and date serves the most selective
// filter, and the date filter that often accompanies it.
var format = sqlitefile.Format{
	ApplicationID: 0x54494445, // "TIDE"
	Version:       19,
	Schema: `
CREATE TABLE pages (
	rowid INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	url TEXT NOT NULL, host TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
	language TEXT NOT NULL, mime TEXT NOT NULL, indexed_at TEXT NOT NULL, changed_at INTEGER NOT NULL,
	images INTEGER NOT NULL DEFAULT 0,
	same TEXT NOT NULL, place INTEGER NOT NULL,
	published_at INTEGER NOT NULL DEFAULT 0,
	tags TEXT NOT NULL DEFAULT '', path TEXT NOT NULL DEFAULT '', capture TEXT NOT NULL DEFAULT '',
	written INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX pages_host ON pages (host, changed_at);
CREATE TABLE images (
	page INTEGER NOT NULL, id TEXT NOT NULL, ordinal INTEGER NOT NULL,
	src TEXT NOT NULL, alt TEXT NOT NULL, title TEXT NOT NULL, caption TEXT NOT NULL,
	PRIMARY KEY (page, id)
) WITHOUT ROWID;
CREATE TABLE chunks (
	id INTEGER PRIMARY KEY, document INTEGER NOT NULL DEFAULT 0, written INTEGER NOT NULL DEFAULT 0,
	key TEXT NOT NULL, uid TEXT NOT NULL,
	title TEXT NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL,
	anchor TEXT NOT NULL DEFAULT '', zone TEXT NOT NULL DEFAULT ''
);
CREATE TABLE writes (
	number INTEGER PRIMARY KEY, page TEXT NOT NULL, at INTEGER NOT NULL,
	whole INTEGER NOT NULL, keys TEXT NOT NULL, was TEXT NOT NULL
);
CREATE TABLE feed (name TEXT NOT NULL, forgotten INTEGER NOT NULL);
INSERT INTO feed VALUES (lower(hex(randomblob(8))), 0);
CREATE TABLE begun (name TEXT NOT NULL);
INSERT INTO begun VALUES (lower(hex(randomblob(8))));
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE model (name TEXT NOT NULL);
CREATE TABLE forms (language TEXT NOT NULL, stem TEXT NOT NULL, word TEXT NOT NULL,
	PRIMARY KEY (language, stem, word)) WITHOUT ROWID;
` + bitsTable + postings.Schema,
	Roots: []string{"SELECT max(rowid) FROM pages", "SELECT max(id) FROM chunks", "SELECT max(page) FROM images",
		"SELECT max(chunk) FROM vectors", "SELECT max(id) FROM leaves", "SELECT max(id) FROM lists",
		"SELECT max(block) FROM documents", "SELECT max(number) FROM writes",
		"SELECT count(*) FROM segments"},
	Other: "use a newer program, or remove the file and rebuild",
}
