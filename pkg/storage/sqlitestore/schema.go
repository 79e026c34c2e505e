package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// schemaVersion is raised with every change of the tables or of an encoding in them. A program
// refuses files of versions it does not know: what is in them is the truth, so nothing is guessed.
const schemaVersion = 2

// applicationID marks our files ("TDST"), so that nobody's database is taken for a store.
const applicationID = 0x54445354

const schema = `
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
`

// querier is what a connection and a pool share.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func pragma(ctx context.Context, db querier, name string) (n int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA "+name).Scan(&n)
	return n, err
}

// inspect reads enough of the file to know whether it can be used: its marks and the roots of the
// tables, about a millisecond whatever the size. Damage deeper inside is reported where it is met.
func (s *Store) inspect(ctx context.Context, db querier) (empty bool, err error) {
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return false, err
	}
	if tables == 0 {
		return true, nil
	}
	if err := s.checkMarks(ctx, db); err != nil {
		return false, err
	}
	var discard sql.NullInt64
	for _, q := range []string{
		"SELECT n FROM counter", "SELECT max(id) FROM created", "SELECT min(tbl) FROM rows",
		"SELECT min(id) FROM messages", "SELECT min(visible) FROM messages WHERE queue = 0",
		"SELECT min(container) FROM blobs", "SELECT count(*) FROM blobs WHERE file = ''",
	} {
		err := db.QueryRowContext(ctx, q).Scan(&discard)
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqlite3.SQLITE_ERROR {
			return false, s.damaged(err) // a table is missing
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

func (s *Store) checkMarks(ctx context.Context, db querier) error {
	id, err := pragma(ctx, db, "application_id")
	if err != nil {
		return err
	}
	version, err := pragma(ctx, db, "user_version")
	switch {
	case err != nil:
		return err
	case id != applicationID:
		return fault.New(fault.Invalid, "%s is a database of another program; choose another folder", s.path)
	case version != schemaVersion:
		return fault.New(fault.Invalid,
			"%s has version %d, this program knows version %d; run the program that wrote it, or choose another folder", s.path,
			version, schemaVersion)
	}
	return nil
}

// createSchema makes the tables of a new file, in one transaction, so that there is never a file
// with some of them.
func createSchema(ctx context.Context, conn *sql.Conn) error {
	// The mode belongs to the file and cannot be set inside a transaction.
	if _, err := conn.ExecContext(ctx, "PRAGMA journal_mode(WAL)"); err != nil {
		return err
	}
	marks := fmt.Sprintf("PRAGMA application_id(%d); PRAGMA user_version(%d);", applicationID, schemaVersion)
	_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE;"+schema+marks+"COMMIT;")
	return err
}
