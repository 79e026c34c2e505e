package sqlitesearch

import (
	"time"

	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

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
	Version:       18,
	Schema: `
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
CREATE INDEX pages_host ON pages (host, changed_at);
CREATE TABLE images (
	page INTEGER NOT NULL, id TEXT NOT NULL, ordinal INTEGER NOT NULL,
	src TEXT NOT NULL, alt TEXT NOT NULL, title TEXT NOT NULL, caption TEXT NOT NULL,
	PRIMARY KEY (page, id)
) WITHOUT ROWID;
CREATE TABLE chunks (
	id INTEGER PRIMARY KEY, document INTEGER NOT NULL DEFAULT 0,
	key TEXT NOT NULL, uid TEXT NOT NULL,
	title TEXT NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL,
	anchor TEXT NOT NULL DEFAULT '', zone TEXT NOT NULL DEFAULT ''
);
CREATE TABLE begun (name TEXT NOT NULL);
INSERT INTO begun VALUES (lower(hex(randomblob(8))));
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE model (name TEXT NOT NULL);
CREATE TABLE forms (language TEXT NOT NULL, stem TEXT NOT NULL, word TEXT NOT NULL,
	PRIMARY KEY (language, stem, word)) WITHOUT ROWID;
` + bitsTable + postings.Schema,
	Roots: []string{"SELECT max(rowid) FROM pages", "SELECT max(id) FROM chunks", "SELECT max(page) FROM images",
		"SELECT max(chunk) FROM vectors", "SELECT max(id) FROM leaves", "SELECT max(id) FROM lists",
		"SELECT max(block) FROM documents", "SELECT count(*) FROM segments"},
	Other: "use a newer program, or remove the file and rebuild",
}
