package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Querier runs queries: an [sql.DB], an [sql.Conn] or an [sql.Tx].
type Querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// VersionError is the error for a file that another version of the program wrote.
type VersionError struct {
	Path        string
	Have, Known int
	Other       string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has version %d, this program knows version %d; %s", e.Path, e.Have, e.Known, e.Other)
}

// pragma reads a pragma with a number as its value.
func pragma(ctx context.Context, db Querier, name string) (n int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA "+name).Scan(&n)
	return n, err
}

// CheckVersion returns an error unless the file has the format f.Format. Errors: Invalid for a file of another
// program; a [VersionError], which is also Invalid, for a file of another version.
func (f *File) CheckVersion(ctx context.Context, db Querier) error {
	id, err := pragma(ctx, db, "application_id")
	if err != nil {
		return err
	}
	version, err := pragma(ctx, db, "user_version")
	switch {
	case err != nil:
		return err
	case id != f.Format.ApplicationID:
		return fault.New(fault.Invalid, "%s is a database of another program; choose another folder", f.Path)
	case version != f.Format.Version:
		return fault.New(fault.Invalid, "%w", &VersionError{f.Path, version, f.Format.Version, f.Format.Other})
	}
	return nil
}

// Inspect reads enough of the file to decide whether it can be used: its id, its version and the root pages of its
// tables. This takes about a millisecond, however large the file is. Damage to other pages is reported only when they
// are read. A file without tables is reported as empty.
func (f *File) Inspect(ctx context.Context, db Querier) (empty bool, err error) {
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
	if err != nil || tables == 0 {
		return err == nil, err
	}
	if err := f.CheckVersion(ctx, db); err != nil {
		return false, err
	}
	var discard sql.NullInt64
	for _, q := range f.Format.Roots {
		err := db.QueryRowContext(ctx, q).Scan(&discard)
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqlite3.SQLITE_ERROR {
			return false, fmt.Errorf("%w: %w", Damage("a table is missing"), err)
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// Create creates the tables unless another process has created them first. One transaction creates all tables, so no
// file ever has only some of them.
func (f *File) Create(ctx context.Context, conn *sql.Conn) error {
	version, err := pragma(ctx, conn, "user_version")
	if err != nil || version == f.Format.Version {
		return err
	}
	if err := f.useWAL(ctx, conn); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if version, err = pragma(ctx, tx, "user_version"); err != nil || version == f.Format.Version {
		return err
	}
	marks := fmt.Sprintf("PRAGMA application_id(%d); PRAGMA user_version(%d);", f.Format.ApplicationID, f.Format.Version)
	if _, err := tx.ExecContext(ctx, f.Format.Schema+marks); err != nil {
		return err
	}
	return tx.Commit()
}

// useWAL switches the file to WAL mode, which is not possible inside a transaction. SQLite does not wait for another
// process that is doing the same, so useWAL waits itself.
func (f *File) useWAL(ctx context.Context, conn *sql.Conn) error {
	for end := time.Now().Add(f.Wait); ; {
		_, err := conn.ExecContext(ctx, "PRAGMA journal_mode(WAL)")
		if causeOf(err) != busy || time.Now().After(end) || defaults.Pause(ctx, 5*time.Millisecond) != nil {
			return err
		}
	}
}

// Integrity makes SQLite check the whole database. It returns a list of the damage, with at most the given number of
// entries.
func Integrity(ctx context.Context, db *sql.DB, most int) (damage []string, err error) {
	var text string
	for err := range Rows(ctx, db, fmt.Sprintf("PRAGMA integrity_check(%d)", most), nil, &text) {
		if err != nil {
			return nil, err
		}
		if text != "ok" {
			damage = append(damage, text)
		}
	}
	return damage, nil
}
