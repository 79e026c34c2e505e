package sqlitestore

import (
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// busyLimit limits the time that a call waits for other processes.
const busyLimit = 30 * time.Second

// readers limits the number of reads that run at once. More would not be faster, because the CPU limits reads.
const readers = 4

// databaseAt describes the database file of a store.
func databaseAt(path string) *sqlitefile.File {
	dir := filepath.Dir(path)
	return &sqlitefile.File{
		Path: path, Format: &format, Wait: busyLimit,
		Pragmas: []string{"synchronous(FULL)", "foreign_keys(0)"},
		Name:    "store in " + dir,
		Repair:  "stop the program, keep a copy of " + dir + ", and restore a backup or repair it with sqlite3's .recover",
	}
}

// format is the format of state.db. The program refuses unknown versions: the file is the only copy of the state, so
// it must not be misread.
var format = sqlitefile.Format{
	ApplicationID: 0x54445354, // "TDST"
	Version:       2,
	Schema: `
CREATE TABLE created (
	id INTEGER PRIMARY KEY,
	kind TEXT NOT NULL, name TEXT NOT NULL,
	UNIQUE (kind, name)
);
CREATE TABLE counter (n INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
CREATE TABLE rows (
	tbl INTEGER NOT NULL, part TEXT NOT NULL, row TEXT NOT NULL,
	rev INTEGER NOT NULL, props BLOB NOT NULL,
	PRIMARY KEY (tbl, part, row)
) WITHOUT ROWID;
CREATE TABLE messages (
	id INTEGER PRIMARY KEY,
	queue INTEGER NOT NULL, visible INTEGER NOT NULL,
	receipt INTEGER NOT NULL, dequeued INTEGER NOT NULL, inserted INTEGER NOT NULL,
	body BLOB NOT NULL
);
CREATE INDEX schedule ON messages (queue, visible, id);
CREATE TABLE blobs (
	container INTEGER NOT NULL, name TEXT NOT NULL,
	file TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, sum INTEGER NOT NULL,
	type TEXT NOT NULL, metadata BLOB NOT NULL, body BLOB,
	UNIQUE (container, name)
);
`,
	Roots: []string{
		"SELECT n FROM counter", "SELECT max(id) FROM created", "SELECT min(tbl) FROM rows",
		"SELECT min(id) FROM messages", "SELECT min(visible) FROM messages WHERE queue = 0",
		"SELECT min(container) FROM blobs", "SELECT count(*) FROM blobs WHERE file = ''",
	},
	Other: "run the program that wrote it, or choose another folder",
}
