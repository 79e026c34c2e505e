package sqlitestore

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestST1QuietStore checks that the connection that writes gives back its pages when no write comes, and writes on
// (ST1).
func TestST1QuietStore(t *testing.T) {
	s := open(t, storagetest.TempDir(t))
	s.w.quiet = 100 * time.Millisecond // before the first write, so the writer's channel orders it
	rows := s.Table("Rows")
	if err := rows.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	add := func(n int) {
		_, err := rows.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
			Key:   storage.Key{Partition: "p", Row: strings.Repeat("r", n+1)},
			Props: storage.Properties{"text": strings.Repeat("tide ", 5000)}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	before, _ := sqlitefile.Memory()
	for n := range 60 {
		add(n)
	}
	most, _ := sqlitefile.Memory()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if used, _ := sqlitefile.Memory(); used-before < (most-before)/4 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("%d bytes are used, %d after the writes and %d before", used, most, before)
		}
	}
	add(60)
}

// TestK9FirstVisible checks that one read says of all queues when their first message is visible (K9).
func TestK9FirstVisible(t *testing.T) {
	now := time.Now()
	s, err := Open(storagetest.TempDir(t), Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, delays := range map[string][]time.Duration{"none": {}, "one": {time.Minute, 0}, "later": {time.Hour}} {
		if err := s.Queue(name).Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, d := range delays {
			if err := s.Queue(name).Send(t.Context(), []byte("x"), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	first, err := s.FirstVisible(t.Context())
	if err != nil || len(first) != 2 || !first["one"].Equal(now) || !first["later"].Equal(now.Add(time.Hour)) {
		t.Errorf("%v, %v", first, err)
	}
}
