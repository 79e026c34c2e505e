package sqlitestore

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestRefusedFiles opens files that are not a store.
func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		stage func(t *testing.T, dir string)
		kind  fault.Kind
		text  string
	}{
		{"a newer version", func(t *testing.T, dir string) { change(t, dir, "PRAGMA user_version(99)") }, fault.Invalid,
			"version 99"},
		{"another program's database", func(t *testing.T, dir string) { change(t, dir, "PRAGMA application_id(7)") },
			fault.Invalid, "another program"},
		{"no database", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "state.db"), bytes.Repeat([]byte("not a database. "), 1000))
		}, fault.Unavailable, "damaged"},
		{"a damaged page", func(t *testing.T, dir string) {
			change(t, dir, "VACUUM")
			data, err := os.ReadFile(filepath.Join(dir, "state.db"))
			if err != nil {
				t.Fatal(err)
			}
			copy(data[4096:], bytes.Repeat([]byte{0xff}, len(data)-4096))
			write(t, filepath.Join(dir, "state.db"), data)
		}, fault.Unavailable, "damaged"},
		{"a table that is missing", func(t *testing.T, dir string) { change(t, dir, "DROP TABLE counter") },
			fault.Unavailable, "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := storagetest.TempDir(t)
			s := open(t, dir)
			create(t, s)
			s.Close()
			c.stage(t, dir)
			refused(t, dir, c.kind, c.text)
			refused(t, dir, c.kind, c.text) // the first try has not changed the file
		})
	}
	t.Run("a file where the folder should be", func(t *testing.T) {
		path := filepath.Join(storagetest.TempDir(t), "file")
		write(t, path, nil)
		refused(t, path, fault.Unavailable, path)
	})
}

func refused(t *testing.T, dir string, kind fault.Kind, text string) {
	t.Helper()
	s, err := Open(dir, Options{})
	if err == nil {
		s.Close()
		t.Fatal("it was opened")
	}
	if fault.KindOf(err) != kind || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), dir) {
		t.Errorf("have %s: %v; want %s, %s and %q", fault.KindOf(err), err, kind, dir, text)
	}
}

func change(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFullDisk writes until the database cannot grow, then makes room and writes again. Nothing is lost, and writes
// that fit succeed next to those that do not.
func TestFullDisk(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := create(t, s).Table
	var pages int
	if err := s.w.conn.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		t.Helper()
		if _, err := s.w.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count(%d)", n)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 20)
	large := storage.Properties{"B": make([]byte, 60<<10), "C": make([]byte, 60<<10)}
	insertOne := func(row string, p storage.Properties) func() error {
		return func() error { _, err := table.Transact(t.Context(), insert(row, p)); return err }
	}
	errs := joined(t, s, insertOne("a", nil), insertOne("large", large), insertOne("b", nil))
	if errs[0] != nil || errs[2] != nil {
		t.Errorf("small writes beside a large one: %v, %v", errs[0], errs[2])
	}
	if err := errs[1]; !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "disk is full") ||
		!strings.Contains(err.Error(), s.dir) {
		t.Errorf("have %v", err)
	}
	if _, ok := errors.AsType[*storage.OpError](errs[1]); ok {
		t.Error("one op is blamed for a full disk")
	}
	limit(1 << 30)
	if err := insertOne("large", large)(); err != nil {
		t.Error(err)
	}
	check(t, s)
}

// TestReadOnlyFolder needs a user who is subject to permissions.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := storagetest.TempDir(t)
	open(t, dir).Close()
	for _, path := range []string{filepath.Join(dir, "state.db"), dir} {
		if err := os.Chmod(path, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(dir, 0o700)
	refused(t, dir, fault.Unavailable, "cannot be written")
}

// TestUnwritable checks the same with an error of the driver, for users who are not subject to permissions.
func TestUnwritable(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := create(t, s).Table
	if _, err := s.w.conn.ExecContext(t.Context(), "PRAGMA query_only(1)"); err != nil {
		t.Fatal(err)
	}
	_, err := table.Transact(t.Context(), insert("a", nil))
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), s.dir) ||
		!strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("have %v", err)
	}
}

// TestDamagedBodies checks that a body that differs from the one put is never returned.
func TestDamagedBodies(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	blobs := create(t, s).Container
	for name, damage := range map[string]func(path string) error{
		"changed": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("y"), len(large)), 0o600) },
		"cut off": func(path string) error { return os.Truncate(path, 2) },
		"longer":  func(path string) error { return os.Truncate(path, 1<<30) },
		"missing": os.Remove,
	} {
		if _, err := blobs.Put(t.Context(), name, storage.Blob{Body: large}); err != nil {
			t.Fatal(err)
		}
		var file string
		if err := s.readers.QueryRow("SELECT file FROM blobs WHERE name = ?", name).Scan(&file); err != nil {
			t.Fatal(err)
		}
		path := s.bodies.body("blobs", file).path
		if err := damage(path); err != nil {
			t.Fatal(err)
		}
		_, err := blobs.Get(t.Context(), name)
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: have %v", name, err)
		}
		if err := blobs.Delete(t.Context(), name); err != nil {
			t.Errorf("%s: delete: %v", name, err)
		}
	}
	checkFiles(t, s)
}

// TestDamagedSmallBody checks the same for a body in its row.
func TestDamagedSmallBody(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	blobs := create(t, s).Container
	for name, damage := range map[string]string{"changed": "'bodx'", "cut off": "'bo'", "longer": "'bodybody'"} {
		if _, err := blobs.Put(t.Context(), name, storage.Blob{Body: []byte("body")}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.w.conn.ExecContext(t.Context(), "UPDATE blobs SET body = "+damage+" WHERE name = ?",
			name); err != nil {
			t.Fatal(err)
		}
		if _, err := blobs.Get(t.Context(), name); !fault.Is(err, fault.Unavailable) ||
			!strings.Contains(err.Error(), s.file.Path) {
			t.Errorf("%s: have %v", name, err)
		}
		if err := blobs.Delete(t.Context(), name); err != nil {
			t.Errorf("%s: delete: %v", name, err)
		}
	}
}

// TestDamagedRow checks that unreadable columns are Unavailable and are never read as other columns.
func TestDamagedRow(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := create(t, s).Table
	if _, err := table.Transact(t.Context(), insert("r", storage.Properties{"A": "1"})); err != nil {
		t.Fatal(err)
	}
	if _, err := s.w.conn.ExecContext(t.Context(), "UPDATE rows SET props = x'01ff'"); err != nil {
		t.Fatal(err)
	}
	op := insert("r", nil)
	op.Kind, op.Entity.ETag = storage.Merge, storage.AnyETag
	_, getErr := table.Get(t.Context(), op.Entity.Key)
	_, mergeErr := table.Transact(t.Context(), op)
	for _, err := range []error{getErr, mergeErr} {
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), s.file.Path) {
			t.Errorf("have %v", err)
		}
	}
}

func TestClosed(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	m := create(t, s)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(s.file.Path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log was not written back (%v)", err)
	}
	_, getErr := m.Table.Get(t.Context(), storage.Key{Partition: "p", Row: "r"})
	_, writeErr := m.Table.Transact(t.Context(), insert("r", nil))
	_, receiveErr := m.Queue.Receive(t.Context(), 1, time.Second)
	for _, err := range []error{getErr, writeErr, receiveErr, s.Ping(t.Context()), s.Table("other").Create(t.Context())} {
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "closed") {
			t.Errorf("have %v", err)
		}
	}
}

func TestPingMissesTheFile(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	if err := os.Rename(s.file.Path, s.file.Path+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), s.file.Path) {
		t.Errorf("have %v", err)
	}
}

func TestFoldersWithOddCharacters(t *testing.T) {
	dir := filepath.Join(storagetest.TempDir(t), "a b?c#d%20é&_pragma=x")
	s := open(t, dir)
	fill(t, s, 100)
	s.Close()
	if _, err := os.Stat(filepath.Join(dir, "state.db")); err != nil {
		t.Error(err)
	}
	if _, err := open(t, dir).Table("rows").Get(t.Context(), storage.Key{Partition: "p", Row: "000099"}); err != nil {
		t.Error(err)
	}
}

func TestMaxBlobBytes(t *testing.T) {
	dir := storagetest.TempDir(t)
	large := create(t, open(t, dir)).Container
	if _, err := large.Put(t.Context(), "a", storage.Blob{Body: make([]byte, 11)}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, Options{MaxBlobBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, getErr := s.Container("blobs").Get(t.Context(), "a")
	_, putErr := s.Container("blobs").Put(t.Context(), "b", storage.Blob{Body: make([]byte, 11)})
	if !fault.Is(getErr, fault.TooLarge) || !fault.Is(putErr, fault.TooLarge) {
		t.Errorf("have %v and %v, want TooLarge", getErr, putErr)
	}
}
