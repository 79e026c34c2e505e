package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// holding returns a store that holds deferred writes for as long as it may, and a table in it.
func holding(t *testing.T) (*Store, storage.Table) {
	t.Helper()
	s := open(t, storagetest.TempDir(t))
	s.w.held.limit = time.Hour
	return s, create(t, s).Table
}

// later inserts a row and need not wait.
func later(t *testing.T, table storage.Table, row string) storage.ETag {
	t.Helper()
	tags, err := table.Transact(storage.Deferred(t.Context()), insert(row, nil))
	if err != nil {
		t.Fatal(err)
	}
	return tags[0]
}

// committed reports whether a row is in the database.
func committed(t *testing.T, s *Store, row string) (found bool) {
	t.Helper()
	if err := s.readers.QueryRow("SELECT EXISTS (SELECT 1 FROM rows WHERE row = ?)", row).Scan(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestHeld checks how many deferred writes share a commit, and what ends the transaction.
func TestHeld(t *testing.T) {
	s, table := holding(t)
	before := s.w.commits
	for i := range storage.MaxHeld - 1 {
		later(t, table, fmt.Sprint("a", i))
	}
	if committed(t, s, "a0") {
		t.Error("the transaction did not stay open")
	}
	later(t, table, "a") // the last that fits
	if n := s.w.commits - before; n != 1 || !committed(t, s, "a0") {
		t.Errorf("%d writes took %d commits, want 1", storage.MaxHeld, n)
	}
	for what, end := range map[string]func() error{
		"flush":        func() error { return s.Flush(t.Context()) },
		"read":         func() error { _, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: "a"}); return err },
		"message":      func() error { return s.Queue("jobs").Send(t.Context(), []byte("x"), 0) },
		"another":      func() error { return open(t, s.dir).Queue("jobs").Send(t.Context(), []byte("x"), 0) },
		"other table":  func() error { return s.Table("other").Create(t.Context()) },
		"deleted blob": func() error { return s.Container("blobs").Delete(t.Context(), "none") },
	} {
		row := "end " + what
		later(t, table, row)
		if committed(t, s, row) {
			t.Errorf("%s: not held", what)
		}
		if err := end(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if have, want := committed(t, s, row), what != "deleted blob"; have != want { // which only looked for the blob
			t.Errorf("%s: committed is %v, want %v", what, have, want)
		}
	}
	later(t, table, "closed")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !committed(t, open(t, s.dir), "closed") {
		t.Error("lost when the store was closed")
	}
}

// TestHeldEndsByItself writes nothing more.
func TestHeldEndsByItself(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	later(t, create(t, s).Table, "a")
	eventually(t, "the row is committed", func() bool { return committed(t, s, "a") })
}

// TestHeldIsRepeated loses the open transaction, as on a full disk. What was acknowledged is there all the same, with
// the same revision, whether the next write waits or not.
func TestHeldIsRepeated(t *testing.T) {
	broken := errors.New("broken")
	for name, ctx := range map[string]context.Context{
		"waits": t.Context(), "deferred": storage.Deferred(t.Context()),
	} {
		t.Run(name, func(t *testing.T) {
			s, table := holding(t)
			later(t, table, "first")
			if _, err := table.Transact(storage.Deferred(t.Context()), insert("first", nil)); err == nil { // takes a revision
				t.Error("inserted twice")
			}
			tag := later(t, table, "a")
			if _, err := s.Container("blobs").Put(storage.Deferred(t.Context()), "b", storage.Blob{Body: large}); err != nil {
				t.Fatal(err)
			}
			err := s.submit(ctx, &job{deferred: storage.IsDeferred(ctx), do: func(x *tx) error {
				_, _ = x.exec("ROLLBACK")
				return broken
			}})
			if !errors.Is(err, broken) {
				t.Errorf("have %v", err)
			}
			e, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: "a"})
			if err != nil || e.ETag != tag {
				t.Errorf("have %v (%v), want revision %s", e, err, tag)
			}
			if next := later(t, table, "c"); revision(next) <= revision(tag) {
				t.Errorf("revision %s after %s", next, tag)
			}
			if b, err := s.Container("blobs").Get(t.Context(), "b"); err != nil || len(b.Body) != len(large) {
				t.Errorf("have %d bytes (%v)", len(b.Body), err)
			}
			checkFiles(t, s)
		})
	}
}

// TestHeldIsLost loses the open transaction, and another process writes before it can be repeated. From then on the
// store refuses to write, because the rows of what follows would be there without what was acknowledged before.
func TestHeldIsLost(t *testing.T) {
	s, table := holding(t)
	if _, err := table.Transact(t.Context(), insert("before", nil)); err != nil {
		t.Fatal(err)
	}
	later(t, table, "a")
	err := s.write(t.Context(), func(x *tx) error {
		_, _ = x.exec("ROLLBACK")
		db, err := sql.Open("sqlite", s.file.Path)
		if err == nil {
			_, err = db.Exec("UPDATE counter SET n = n + 1")
		}
		return errors.Join(err, db.Close(), errors.New("broken"))
	})
	if err == nil {
		t.Error("the write that failed succeeded")
	}
	for range 2 {
		if _, err := table.Transact(t.Context(), insert("after", nil)); !fault.Is(err, fault.Unavailable) {
			t.Errorf("have %v", err)
		}
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("the store says that it is well")
	}
	s.Close()
	s = open(t, s.dir)
	if !committed(t, s, "before") || committed(t, s, "a") || committed(t, s, "after") {
		t.Error("have other rows than before the loss")
	}
	later(t, s.Table("rows"), "a")
}

// TestHeldBodies kills the process, as it were, while the row of a body is held. The body goes when the folder is
// opened again, and it goes at once.
func TestHeldBodies(t *testing.T) {
	s, _ := holding(t)
	ctx := storage.Deferred(t.Context())
	if created, err := s.Container("blobs").Put(ctx, "a", storage.Blob{Body: large}); err != nil || !created {
		t.Fatal(created, err)
	}
	dir := copied(t, s.dir)
	time.Sleep(20 * time.Millisecond) // the file system's clock has ticks
	next := open(t, dir)
	checkFiles(t, next)
	eventually(t, "no file", func() bool { return len(filesBelow(t, next)) == 0 })
	if created, err := next.Container("blobs").Put(ctx, "a", storage.Blob{Body: large}); err != nil || !created {
		t.Errorf("again: have %v (%v)", created, err)
	}
	if err := errors.Join(s.Flush(t.Context()), next.Flush(t.Context())); err != nil {
		t.Error(err)
	}
	checkFiles(t, s)
	checkFiles(t, next)
}
