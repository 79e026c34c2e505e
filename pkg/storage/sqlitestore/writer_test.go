package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// held keeps the writer busy until release is called, so that writes that arrive meanwhile are joined.
func held(t *testing.T, s *Store) (release func()) {
	t.Helper()
	begun, end := make(chan struct{}), make(chan struct{})
	var once, over sync.Once
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.write(context.Background(), func(*tx) error {
			once.Do(func() { close(begun) })
			<-end
			return fault.New(fault.Conflict, "nothing written")
		})
	}()
	<-begun
	release = func() { over.Do(func() { close(end) }); <-done }
	t.Cleanup(release)
	return release
}

// joined runs writes in one transaction and returns their errors.
func joined(t *testing.T, s *Store, writes ...func() error) []error {
	t.Helper()
	release := held(t, s)
	errs := make([]error, len(writes))
	var all sync.WaitGroup
	for i, write := range writes {
		all.Go(func() { errs[i] = write() })
	}
	time.Sleep(50 * time.Millisecond) // lets them queue; late ones would only weaken the test
	release()
	all.Wait()
	return errs
}

// TestRefusalsStayTheirOwn joins writes, some of which are refused after they have written.
func TestRefusalsStayTheirOwn(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := create(t, s).Table
	if _, err := table.Transact(t.Context(), insert("there", nil)); err != nil {
		t.Fatal(err)
	}
	before := s.w.commits
	var writes []func() error
	for i := range 20 {
		writes = append(writes, func() error {
			ops := []storage.Op{insert(fmt.Sprint("first", i), nil)}
			if i%2 == 1 {
				ops = append(ops, insert("there", nil))
			}
			_, err := table.Transact(t.Context(), ops...)
			return err
		})
	}
	for i, err := range joined(t, s, writes...) {
		want := []fault.Kind{"", fault.Conflict}[i%2]
		if fault.KindOf(err) != want {
			t.Errorf("write %d: have %v, want %q", i, err, want)
		}
		_, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: fmt.Sprint("first", i)})
		if want = []fault.Kind{"", fault.NotFound}[i%2]; fault.KindOf(err) != want {
			t.Errorf("row %d: have %v, want %q", i, err, want)
		}
	}
	if n := s.w.commits - before; n >= 10 {
		t.Errorf("20 writes took %d commits: they were not joined", n)
	}
}

// TestSpoiledTransaction makes one write fail as the driver does, which undoes the work of the joined writes. They
// must succeed all the same.
func TestSpoiledTransaction(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := create(t, s).Table
	broken := errors.New("broken")
	insertOne := func(row string) func() error {
		return func() error { _, err := table.Transact(t.Context(), insert(row, nil)); return err }
	}
	errs := joined(t, s, insertOne("a"), insertOne("b"), insertOne("c"), func() error {
		return s.write(t.Context(), func(x *tx) error {
			_, _ = x.exec("ROLLBACK") // as on a full disk
			return broken
		})
	})
	for i, err := range errs {
		if i < 3 && err != nil || i == 3 && !errors.Is(err, broken) {
			t.Errorf("write %d: have %v", i, err)
		}
	}
	for _, row := range []string{"a", "b", "c"} {
		if _, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: row}); err != nil {
			t.Errorf("row %s: %v", row, err)
		}
	}
}

// TestGivingUp checks that a write whose caller no longer waits has no effect, whatever it was waiting for.
func TestGivingUp(t *testing.T) {
	for name, hold := range map[string]func(*testing.T, *Store) (release func()){
		"this process": held,
		"another process": func(t *testing.T, s *Store) func() {
			other := open(t, s.dir)
			if !other.w.lock.acquire(time.Second) {
				t.Fatal("nobody has the turn, but it cannot be taken")
			}
			return other.w.lock.release
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, storagetest.TempDir(t))
			table := create(t, s).Table
			release := hold(t, s)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err := table.Transact(ctx, insert("a", nil))
			if !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("have %v", err)
			}
			release()
			if _, err := table.Transact(t.Context(), insert("a", nil)); err != nil {
				t.Errorf("the row is there: %v", err)
			}
		})
	}
}

// TestRevisionsAreNeverReused deletes and inserts one row again and again, across restarts of the store.
func TestRevisionsAreNeverReused(t *testing.T) {
	dir, seen, last := storagetest.TempDir(t), map[storage.ETag]bool{}, int64(0)
	for range 3 {
		s := open(t, dir)
		table := create(t, s).Table
		for range 5 {
			tags, err := table.Transact(t.Context(), insert("r", nil))
			if err != nil {
				t.Fatal(err)
			}
			if seen[tags[0]] || revision(tags[0]) <= last {
				t.Errorf("revision %s after %d", tags[0], last)
			}
			seen[tags[0]], last = true, revision(tags[0])
			if _, err := table.Transact(t.Context(), storage.Op{Kind: storage.Delete,
				Entity: storage.Entity{Key: storage.Key{Partition: "p", Row: "r"}, ETag: tags[0]}}); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
	}
}

// TestDurability checks the settings for durability on the connection that writes.
func TestDurability(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	for name, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "0",
		"busy_timeout": "30000", "wal_autocheckpoint": "8000"} {
		var have string
		if err := s.w.conn.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&have); err != nil || have != want {
			t.Errorf("%s: have %s (%v), want %s", name, have, err, want)
		}
	}
}

// TestPlans checks that reads use ranges of a key, without scans or sorts.
func TestPlans(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	for name, query := range map[string]string{
		"rows of a partition": inPartition,
		"rows of a table":     inTable,
		"due messages":        "SELECT id FROM messages WHERE queue = ? AND visible <= ? ORDER BY visible, id LIMIT ?",
		"leftovers":           "SELECT 1 FROM blobs WHERE file = ?",
		"names":               "SELECT name FROM blobs WHERE container = ? AND name >= ? ORDER BY name LIMIT ?",
	} {
		args := make([]any, strings.Count(query, "?"))
		for i := range args {
			args[i] = 1
		}
		rows, err := s.readers.Query("EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, none int
			var detail string
			if err := rows.Scan(&id, &parent, &none, &detail); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(detail, "SEARCH") {
				t.Errorf("%s: %s", name, detail)
			}
		}
		rows.Close()
	}
}

// TestNestedQueries reads and writes inside more queries than there are connections.
func TestNestedQueries(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := fill(t, s, 100)
	var all sync.WaitGroup
	for range 4 * readers {
		all.Go(func() {
			n := 0
			for e, err := range table.Query(t.Context(), storage.Query{Partition: "p", PageSize: 10}) {
				if err == nil {
					_, err = table.Get(t.Context(), e.Key)
				}
				if err != nil {
					t.Error(err)
					return
				}
				n++
			}
			if n != 100 {
				t.Errorf("have %d rows", n)
			}
		})
	}
	all.Wait()
}

// TestLargeRows checks that a page is cut before it takes too much memory, and that the next page continues after it.
func TestLargeRows(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := create(t, s).Table
	columns := storage.Properties{}
	for i := range 14 {
		columns[fmt.Sprint("B", i)] = make([]byte, 48<<10)
	}
	for i := range 20 {
		if _, err := table.Transact(t.Context(), insert(fmt.Sprintf("%02d", i), columns)); err != nil {
			t.Fatal(err)
		}
	}
	id, _ := table.(interface {
		ready(context.Context) (int64, error)
	}).ready(t.Context())
	pages, rows := 0, 0
	for p := s.Table("rows").(interface {
		firstPage(int64, storage.Query) *page
	}).firstPage(id, storage.Query{Partition: "p"}); p.more; pages++ {
		if err := p.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows += len(p.rows)
	}
	if pages < 3 || rows != 20 {
		t.Errorf("have %d rows in %d pages, want 20 in 3 or more", rows, pages)
	}
}

// TestLogStaysBounded writes many times the bound of the log, while there is always a reader.
func TestLogStaysBounded(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	table := create(t, s).Table
	columns := storage.Properties{}
	for i := range 8 {
		columns[fmt.Sprint("B", i)] = make([]byte, 16<<10)
	}
	for i := range 50 {
		if _, err := table.Transact(t.Context(), insert(fmt.Sprintf("%02d", i), columns)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for ctx.Err() == nil {
				for range table.Query(ctx, storage.Query{}) {
				}
			}
		})
	}
	largest := int64(0)
	for i := range 200 {
		op := insert(fmt.Sprintf("%02d", i%50), columns)
		op.Kind = storage.Upsert
		if _, err := table.Transact(t.Context(), op); err != nil {
			t.Error(err)
			break
		}
		if info, err := os.Stat(s.file.Path + "-wal"); err == nil {
			largest = max(largest, info.Size())
		}
	}
	cancel()
	all.Wait()
	// The writes take about 26 MB. The log restarts after 4 MB plus the writes made while the readers finish.
	if largest == 0 || largest > 16<<20 {
		t.Errorf("the log was up to %d MB long", largest>>20)
	}
}
