package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
)

func fileAt(path string) *File {
	return &File{Path: path, Wait: 10 * time.Second, Name: "the words", Repair: "type them again",
		Format: &Format{ApplicationID: 1, Version: 3, Schema: "CREATE TABLE words (word TEXT);",
			Roots: []string{"SELECT max(rowid) FROM words"}, Other: "use another program"}}
}

func inspected(t *testing.T, f *File) (empty bool, err error) {
	t.Helper()
	db, err := f.Readers(1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return f.Inspect(t.Context(), db)
}

// create creates the tables and changes the file with statements.
func create(t *testing.T, f *File, change ...string) {
	t.Helper()
	db, err := f.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := f.Create(t.Context(), conn); err != nil {
		t.Error(err)
	}
	for _, statement := range change {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInspect checks that only a file with the format can be used.
func TestInspect(t *testing.T) {
	for _, c := range []struct{ name, change, text string }{
		{"its own", "INSERT INTO words VALUES ('tide')", ""},
		{"another program's", "PRAGMA application_id(7)", "another program"},
		{"an earlier version", "PRAGMA user_version(2)", "has version 2, this program knows version 3; use another program"},
		{"a table is missing", "DROP TABLE words; CREATE TABLE others (word TEXT)", "is damaged; type them again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fileAt(filepath.Join(t.TempDir(), "words.db"))
			if empty, err := inspected(t, f); !empty || err != nil {
				t.Fatalf("before it was made: %t, %v", empty, err)
			}
			create(t, f, c.change)
			empty, err := inspected(t, f)
			if err = f.Explain(err); empty || (err == nil) != (c.text == "") {
				t.Fatalf("empty %t, %v", empty, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), f.Path)) {
				t.Errorf("have %v, want %q", err, c.text)
			}
		})
	}
}

// TestCreateTogether makes several connections create one file at the same moment.
func TestCreateTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words.db")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { create(t, fileAt(path), "INSERT INTO words VALUES ('tide')") })
	}
	group.Wait()
	f := fileAt(path)
	db, err := f.Readers(1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var words int
	err = NewStatements(db).Row(t.Context(), "SELECT count(*) FROM words", nil, &words)
	if err != nil || words != 4 {
		t.Errorf("%d words, %v", words, err)
	}
	if damage, err := Integrity(t.Context(), db, 1); err != nil || len(damage) > 0 {
		t.Errorf("%v, %v", damage, err)
	}
}

// TestExplain checks that failures for an operator are recorded and say what to do.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err     error
		text    string
		trouble bool
	}{
		{fmt.Errorf("write: %w", syscall.ENOSPC), "the words: the disk is full", true},
		{&os.PathError{Op: "open", Path: "a", Err: syscall.EACCES}, "the words cannot be written", true},
		{&os.PathError{Op: "read", Path: "a", Err: syscall.EIO}, "the words: a file cannot be read", true},
		{Damage("no words"), "words.db is damaged; type them again (no words)", true},
		{context.Canceled, "words.db: context canceled", false},
	} {
		f := fileAt("words.db")
		err := f.Explain(c.err)
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), c.text) || !errors.Is(err, c.err) {
			t.Errorf("%v: have %v (%s)", c.err, err, fault.KindOf(err))
		}
		_, trouble := errors.AsType[*health.Trouble](err)
		remembered := f.Health.Check(time.Now(), func() error { return c.err }) != nil
		if trouble != c.trouble || remembered != c.trouble {
			t.Errorf("%v: trouble %t, remembered %t", c.err, trouble, remembered)
		}
	}
	for _, err := range []error{nil, errors.New("a bug"), fault.New(fault.Invalid, "known")} {
		if have := fileAt("words.db").Explain(err); have != err {
			t.Errorf("%v became %v", err, have)
		}
	}
}

// TestStatements checks that a statement that cannot be prepared is an error of its row, and that Each ends when scan
// returns false.
func TestStatements(t *testing.T) {
	f := fileAt(filepath.Join(t.TempDir(), "words.db"))
	create(t, f, "INSERT INTO words VALUES ('ebb'), ('flood'), ('tide')")
	db, err := f.Readers(2)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := NewStatements(db)
	if err := s.QueryRowContext(t.Context(), "SELECT letter FROM words").Scan(new(string)); err == nil {
		t.Error("a column that is not there was read")
	}
	var words []string
	var word string
	const query = "SELECT word FROM words WHERE word > ? ORDER BY word"
	for err := range s.Rows(t.Context(), query, []any{"a"}, &word) {
		if err != nil {
			t.Fatal(err)
		}
		if words = append(words, word); len(words) == 2 {
			break
		}
	}
	if strings.Join(words, " ") != "ebb flood" {
		t.Errorf("%q", words)
	}
	if len(s.known) != 1 {
		t.Errorf("%d statements prepared", len(s.known))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
