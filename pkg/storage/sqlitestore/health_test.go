package sqlitestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// clockOf opens a store with a clock that the test advances.
func clockOf(t *testing.T, dir string) (s *Store, later func()) {
	t.Helper()
	now := time.Now()
	s, err := Open(dir, Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, func() { now = now.Add(health.BetweenTries) }
}

// limitPages limits the database, like a full disk, to that many pages more than it has.
func limitPages(t *testing.T, s *Store, more int) {
	t.Helper()
	var pages int
	err := s.w.conn.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages)
	if err == nil {
		_, err = s.w.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count(%d)", pages+more))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func wantTrouble(t *testing.T, err error, texts ...string) {
	t.Helper()
	if _, ok := errors.AsType[*health.Trouble](err); !ok || !fault.Is(err, fault.Unavailable) {
		t.Fatalf("have %v, want trouble that an operator is told", err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("have %v, want %q in it", err, text)
		}
	}
}

// TestS6FullDatabase checks that a store that met a full disk reports that until a write has room, however often it
// is asked, and that its tries leave nothing behind.
func TestS6FullDatabase(t *testing.T) {
	s, later := clockOf(t, storagetest.TempDir(t))
	table := create(t, s).Table
	limitPages(t, s, 2)
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("before a write met the full disk: %v", err)
	}
	_, err := table.Transact(t.Context(), insert("large", storage.Properties{"B": make([]byte, 60<<10)}))
	wantTrouble(t, err, "disk is full")
	for range 2 {
		wantTrouble(t, s.Ping(t.Context()), "disk is full", "free some space", s.dir)
		wantTrouble(t, s.Ping(t.Context()), "disk is full")
		later()
	}
	limitPages(t, s, 1<<20)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("there is room again: %v", err)
	}
	var left int
	if err := s.readers.QueryRow("SELECT count(*) FROM rows").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows left behind (%v)", left, err)
	}
	checkFiles(t, s)
}

// TestS6UnwritableStore checks the same for a store that cannot be written.
func TestS6UnwritableStore(t *testing.T) {
	s, later := clockOf(t, storagetest.TempDir(t))
	table := create(t, s).Table
	setReadOnly := func(on int) {
		t.Helper()
		if _, err := s.w.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA query_only(%d)", on)); err != nil {
			t.Fatal(err)
		}
	}
	setReadOnly(1)
	_, err := table.Transact(t.Context(), insert("a", nil))
	wantTrouble(t, err, "cannot be written")
	wantTrouble(t, s.Ping(t.Context()), "cannot be written")
	setReadOnly(0)
	later()
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// overwritten damages 20 pages in the middle of a closed store's database.
func overwritten(t *testing.T, dir string) {
	t.Helper()
	path := newStore(dir, Options{}).file.Path
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	middle := len(data) / page / 2 * page
	if middle < 20*page {
		t.Fatalf("the database has only %d bytes", len(data))
	}
	copy(data[middle:], bytes.Repeat([]byte{0xa5}, 20*page))
	write(t, path, data)
}

func readAll(ctx context.Context, table storage.Table) error {
	for _, err := range table.Query(ctx, storage.Query{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestS6DamagedStore checks that once damage is met, no write is accepted, and the health check reports it.
func TestS6DamagedStore(t *testing.T) {
	dir := storagetest.TempDir(t)
	s := open(t, dir)
	fill(t, s, 20_000)
	s.Close()
	overwritten(t, dir)
	s, later := clockOf(t, dir)
	m := made{s.Table("rows"), s.Queue("jobs"), s.Container("blobs")}
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("before damage was met: %v", err)
	}
	met := readAll(t.Context(), m.Table)
	wantTrouble(t, met, "is damaged; stop the program", s.file.Path)
	_, transact := m.Table.Transact(t.Context(), insert("zzz", nil))
	_, small := m.Container.Put(t.Context(), "small", storage.Blob{Body: []byte("x")})
	_, big := m.Container.Put(t.Context(), "large", storage.Blob{Body: large})
	send := m.Queue.Send(t.Context(), []byte("x"), 0)
	later()
	for i, err := range []error{transact, small, big, send, s.Table("other").Create(t.Context()), s.Ping(t.Context())} {
		if err == nil || err.Error() != met.Error() {
			t.Errorf("call %d: have %v, want %v", i, err, met)
		}
	}
	if _, err := m.Table.Get(t.Context(), storage.Key{Partition: "p", Row: "000000"}); err != nil {
		t.Errorf("what can be read is read: %v", err)
	}
}
