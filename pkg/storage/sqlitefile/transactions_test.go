package sqlitefile

import (
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const addRow = "INSERT INTO t (n) VALUES (?)"

// opened returns a file with the table t, and the connection that writes it.
func opened(t *testing.T) (f *File, writer *sql.DB) {
	t.Helper()
	f = &File{Path: filepath.Join(t.TempDir(), "file.db"), Format: &Format{}, Wait: 10 * time.Second}
	writer, err := f.Writer("journal_mode(WAL)")
	if err == nil {
		_, err = writer.ExecContext(t.Context(), "CREATE TABLE t (n INTEGER PRIMARY KEY)")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Close() })
	return f, writer
}

// add adds a row in a transaction of its own, and then does as it is told.
func add(t *testing.T, from *Transactions, n int, end func(*sql.Tx) error) error {
	tx, s, err := from.Begin(t.Context(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := s.ExecContext(t.Context(), addRow, n); err != nil {
		return err
	}
	return end(tx)
}

func rows(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTransactionsKeepStatements checks that a statement is prepared once for all transactions after the first, and
// that it works after a transaction that was undone, after one whose statement failed, after another process has
// changed the tables, and after the connection was lost.
func TestTransactionsKeepStatements(t *testing.T) {
	f, db := opened(t)
	from := NewTransactions(db)
	commit := (*sql.Tx).Commit
	undo := (*sql.Tx).Rollback
	for n, end := range []func(*sql.Tx) error{commit, undo, commit} {
		if err := add(t, from, n, end); err != nil {
			t.Fatal(err)
		}
	}
	kept := from.stmt(addRow)
	if kept == nil {
		t.Fatal("after three transactions the statement is not kept")
	}
	if err := add(t, from, 0, commit); err == nil {
		t.Error("the same row was added twice")
	}
	other, err := f.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "ALTER TABLE t ADD COLUMN m"); err != nil {
		t.Fatal(err)
	}
	if err := add(t, from, 3, commit); err != nil {
		t.Error("after a change of the tables:", err)
	}
	db.SetMaxIdleConns(0) // closes the connection
	db.SetMaxIdleConns(1)
	if err := add(t, from, 4, commit); err != nil {
		t.Error("after the connection was lost:", err)
	}
	if n := rows(t, db); n != 4 || from.stmt(addRow) != kept {
		t.Errorf("%d rows, want 4; the statement is the same: %v", n, from.stmt(addRow) == kept)
	}
}

// TestTransactionsAtOnce checks that transactions at once wait for the only connection, and do not for each other's
// statements.
func TestTransactionsAtOnce(t *testing.T) {
	_, db := opened(t)
	from := NewTransactions(db)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			for n := range 10 {
				errs[i] = errors.Join(errs[i], add(t, from, i*10+n, (*sql.Tx).Commit))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if n := rows(t, db); n != 80 {
		t.Errorf("%d rows, want 80", n)
	}
}
