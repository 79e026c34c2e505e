package sqlitestore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestST1ShrinkKeepsConnections checks that an idle store gives back the pages of its readers, and goes on with the
// file that it has opened: when the file was moved away and back meanwhile, nothing that was acknowledged is lost, and
// nothing else is at its place (ST1).
func TestST1ShrinkKeepsConnections(t *testing.T) {
	dir := storagetest.TempDir(t)
	s := open(t, dir)
	rows := s.Table("Rows")
	if err := rows.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	add := func(n int) {
		t.Helper()
		_, err := rows.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
			Key:   storage.Key{Partition: "p", Row: fmt.Sprint("r", n)},
			Props: storage.Properties{"text": strings.Repeat("tide ", 5000)}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func() (n int) {
		t.Helper()
		for _, err := range rows.Query(t.Context(), storage.Query{Partition: "p"}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	for n := range 40 {
		add(n)
	}
	read()
	most, _ := sqlitefile.Memory()
	sqlitefile.Shrink(t.Context())
	if used, _ := sqlitefile.Memory(); used >= most {
		t.Errorf("%d bytes are used after Shrink, %d before", used, most)
	}
	path, away := s.file.Path, filepath.Join(dir, "away")
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	sqlitefile.Shrink(t.Context())
	add(40)
	if n := read(); n != 41 {
		t.Errorf("%d rows are read while the file is away", n)
	}
	if err := s.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "file is gone") {
		t.Errorf("ping: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("another file was made in its place")
	}
	if err := os.Rename(away, path); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	rows = s.Table("Rows")
	if n := read(); n != 41 {
		t.Errorf("%d rows are there afterwards", n)
	}
}
