package app

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// TestST1OneHeap checks that all connections of a process use the heap of package sqlitefile: those of two stores on
// one folder, of a backup and its restore, and of an index. Each holds more of the heap than what was held before.
func TestST1OneHeap(t *testing.T) {
	last := 0
	grown := func(step string) {
		t.Helper()
		used, kept := sqlitefile.Memory()
		for range 200 { // connections of other tests may still be closing
			if used > last && kept > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
			used, kept = sqlitefile.Memory()
		}
		if used <= last || kept == 0 {
			t.Errorf("%s: %d bytes are used, %d before; %d are kept", step, used, last, kept)
		}
		last = used
	}
	dir := t.TempDir()
	opened := func(step, name string) {
		s, err := sqlitestore.Open(filepath.Join(dir, name), sqlitestore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		table := s.Table("rows")
		if err := table.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The body of this blob is in a file, so restore reports its progress while the database is open.
		blobs := s.Container("blobs")
		if err := blobs.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := blobs.Put(t.Context(), step, storage.Blob{Body: make([]byte, 1<<20)}); err != nil {
			t.Fatal(err)
		}
		row := storage.Op{Entity: storage.Entity{Key: storage.Key{Partition: step, Row: name}}}
		if _, err := table.Transact(t.Context(), row); err != nil {
			t.Fatal(err)
		}
		grown(step)
	}
	opened("first open", "one")
	opened("second open", "one")
	restored(t, last, filepath.Join(dir, "one"), filepath.Join(dir, "two"))
	opened("restored", "two")
	index, err := sqlitesearch.Open(filepath.Join(dir, "index.db"), sqlitesearch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if err := index.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	grown("index")
}

// restored backs up a store and restores it, and checks that restoring holds more of the heap than what was held.
func restored(t *testing.T, held int, from, to string) {
	var backup bytes.Buffer
	o := sqlitestore.BackupOptions{MadeAt: time.Now(), Scratch: from + ".scratch"}
	if _, err := sqlitestore.Backup(t.Context(), from, &backup, o); err != nil {
		t.Fatal(err)
	}
	most := 0
	o.Progress = func(string, int64, int64) {
		used, _ := sqlitefile.Memory()
		most = max(most, used)
	}
	if _, err := sqlitestore.Restore(t.Context(), &backup, to, o); err != nil {
		t.Fatal(err)
	}
	if most <= held {
		t.Errorf("restore: %d bytes are used, %d before", most, held)
	}
}
