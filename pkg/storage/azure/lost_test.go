package azure_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
)

// lossy executes requests and drops some of the answers. Before it drops one, it can make the write of another
// client.
type lossy struct {
	mu        sync.Mutex
	drop      int    // how many answers to writes it will still drop
	meanwhile func() // called once, after the first dropped answer
}

func (l *lossy) Do(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || req.Method == http.MethodGet || req.Method == http.MethodHead {
		return resp, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drop == 0 {
		return resp, nil
	}
	l.drop--
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if f := l.meanwhile; f != nil {
		l.meanwhile = nil
		f()
	}
	return nil, errors.New("connection reset by peer")
}

// lose makes lossy drop the answers to the next n writes.
func (l *lossy) lose(n int, meanwhile func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop, l.meanwhile = n, meanwhile
}

func entity(row string, p storage.Properties) storage.Entity {
	return storage.Entity{Key: storage.Key{Partition: "p", Row: row}, Props: p}
}

func op(kind storage.OpKind, row string, tag storage.ETag) storage.Op {
	e := entity(row, storage.Properties{"V": "mine"})
	e.ETag = tag
	return storage.Op{Kind: kind, Entity: e}
}

var tableNames struct {
	sync.Mutex
	n int
}

func newTable(t *testing.T, s, other storage.Store) (mine, theirs storage.Table) {
	t.Helper()
	tableNames.Lock()
	defer tableNames.Unlock()
	tableNames.n++
	name := "lost" + strings.Repeat("x", tableNames.n)
	if err := other.Table(name).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s.Table(name), other.Table(name)
}

// TestLostAnswers checks that only the write of another client causes a conflict. Each kind of write is applied and
// its answer is lost. The retry is then refused because of the first attempt, which the caller must not see.
func TestLostAnswers(t *testing.T) {
	l := &lossy{}
	s, other := open(t, azure.Options{Transport: l}), open(t, azure.Options{})
	for _, batch := range []bool{false, true} {
		for name, kind := range map[string]storage.OpKind{
			"insert": storage.Insert, "replace": storage.Replace, "merge": storage.Merge, "upsert": storage.Upsert,
			"delete": storage.Delete,
		} {
			if batch {
				name += " in a batch"
			}
			t.Run(name, func(t *testing.T) {
				mine, theirs := newTable(t, s, other)
				ops := prepared(t, theirs, kind, batch)
				l.lose(1, nil)
				tags, err := mine.Transact(t.Context(), ops...)
				if err != nil {
					t.Fatalf("our own write came back as %v", err)
				}
				// The next write can use the returned revisions.
				for i, o := range ops {
					if o.Kind == storage.Delete {
						if tags[i] != "" {
							t.Errorf("a delete has the revision %s", tags[i])
						}
						continue
					}
					if _, err := mine.Transact(t.Context(), op(storage.Replace, o.Entity.Row, tags[i])); err != nil {
						t.Errorf("write with the revision of op %d: %v", i, err)
					}
				}
			})
		}
	}
}

// prepared creates the rows that a write of this kind needs, and returns its ops.
func prepared(t *testing.T, table storage.Table, kind storage.OpKind, batch bool) []storage.Op {
	t.Helper()
	rows := []string{"a"}
	if batch {
		rows = append(rows, "b", "c'd")
	}
	var ops []storage.Op
	for _, row := range rows {
		var tag storage.ETag
		if kind != storage.Insert {
			tags, err := table.Transact(t.Context(),
				storage.Op{Kind: storage.Insert, Entity: entity(row, storage.Properties{"V": "old"})})
			if err != nil {
				t.Fatal(err)
			}
			tag = tags[0]
		}
		ops = append(ops, op(kind, row, tag))
	}
	return ops
}

// write returns a function that makes the write of another client.
func write(t *testing.T, table storage.Table, row string) func() {
	return func() {
		e := entity(row, storage.Properties{"V": "theirs"})
		if _, err := table.Transact(context.Background(), storage.Op{Kind: storage.Upsert, Entity: e}); err != nil {
			t.Error(err)
		}
	}
}

// TestLostAnswersToStaleWrites checks that an earlier write of another client is a conflict, also when an answer was
// lost.
func TestLostAnswersToStaleWrites(t *testing.T) {
	l := &lossy{}
	s, other := open(t, azure.Options{Transport: l}), open(t, azure.Options{})
	t.Run("the row was there before", func(t *testing.T) {
		mine, their := newTable(t, s, other)
		write(t, their, "a")()
		l.lose(1, nil)
		_, err := mine.Transact(t.Context(), op(storage.Insert, "a", ""))
		wantKind(t, err, fault.Conflict)
		l.lose(1, nil)
		_, err = mine.Transact(t.Context(), op(storage.Insert, "b", ""), op(storage.Insert, "a", ""))
		wantKind(t, err, fault.Conflict)
		wantValue(t, their, "a", "theirs")
	})
	t.Run("a stale revision", func(t *testing.T) {
		mine, their := newTable(t, s, other)
		ops := prepared(t, their, storage.Replace, true)
		write(t, their, "b")()
		l.lose(1, nil)
		_, err := mine.Transact(t.Context(), ops...)
		wantKind(t, err, fault.Conflict)
		var blame *storage.OpError
		if !errors.As(err, &blame) || blame.Index != 1 {
			t.Errorf("have %v, want op 1 blamed", err)
		}
		wantValue(t, their, "a", "old")
	})
	t.Run("a stale delete", func(t *testing.T) {
		mine, their := newTable(t, s, other)
		ops := prepared(t, their, storage.Delete, true)
		write(t, their, "b")()
		for _, refused := range [][]storage.Op{ops, ops[1:2]} {
			l.lose(1, nil)
			_, err := mine.Transact(t.Context(), refused...)
			wantKind(t, err, fault.Conflict)
		}
		wantValue(t, their, "b", "theirs")
	})
	t.Run("a row that never was", func(t *testing.T) {
		mine, _ := newTable(t, s, other)
		l.lose(1, nil)
		_, err := mine.Transact(t.Context(), op(storage.Replace, "a", storage.AnyETag))
		wantKind(t, err, fault.NotFound)
	})
}

// TestLostAnswersAndOthers checks that a write of another client between two attempts is a conflict, and that its
// revision is never returned to this client.
func TestLostAnswersAndOthers(t *testing.T) {
	l := &lossy{}
	s, other := open(t, azure.Options{Transport: l}), open(t, azure.Options{})
	t.Run("overwritten at once, alone", func(t *testing.T) {
		mine, their := newTable(t, s, other)
		l.lose(1, write(t, their, "a"))
		_, err := mine.Transact(t.Context(), op(storage.Insert, "a", ""))
		wantKind(t, err, fault.Conflict)
	})
	t.Run("overwritten at once, one of three", func(t *testing.T) {
		mine, their := newTable(t, s, other)
		ops := prepared(t, their, storage.Replace, true)
		l.lose(1, write(t, their, "b"))
		tags, err := mine.Transact(t.Context(), ops...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mine.Transact(t.Context(), op(storage.Replace, "a", tags[0])); err != nil {
			t.Errorf("our row: %v", err)
		}
		for _, kind := range []storage.OpKind{storage.Replace, storage.Merge, storage.Delete} {
			_, err = mine.Transact(t.Context(), op(kind, "b", tags[1]))
			wantKind(t, err, fault.Conflict)
			_, err = mine.Transact(t.Context(), op(kind, "b", tags[1]), op(storage.Upsert, "x", ""))
			wantKind(t, err, fault.Conflict)
		}
		wantValue(t, their, "b", "theirs")
	})
	t.Run("deletes and an insert", func(t *testing.T) {
		mine, their := newTable(t, s, other)
		ops := append(prepared(t, their, storage.Delete, true), op(storage.Insert, "due|2", ""))
		l.lose(1, nil)
		tags, err := mine.Transact(t.Context(), ops...)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]bool{true, true, true, false}, []bool{tags[0] == "", tags[1] == "", tags[2] == "",
			tags[3] == ""}); d != "" {
			t.Errorf("empty revisions (-want +have):\n%s", d)
		}
	})
	t.Run("every answer lost", func(t *testing.T) {
		mine, their := newTable(t, s, other)
		l.lose(4, nil)
		_, err := mine.Transact(t.Context(), op(storage.Insert, "a", ""))
		wantKind(t, err, fault.Unavailable)
		l.lose(0, nil)
		wantValue(t, their, "a", "mine")
	})
}

func TestLostAnswerToPut(t *testing.T) {
	l := &lossy{}
	s := open(t, azure.Options{Transport: l})
	c := s.Container("lost-put")
	if err := c.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.lose(1, nil)
	created, err := c.Put(t.Context(), "a", storage.Blob{Body: []byte("x")})
	if err != nil || !created {
		t.Errorf("our own blob: have %v, %v, want created", created, err)
	}
	l.lose(1, nil)
	created, err = c.Put(t.Context(), "a", storage.Blob{Body: []byte("y")})
	if err != nil || created {
		t.Errorf("somebody else's blob: have %v, %v, want not created", created, err)
	}
	b, err := c.Get(t.Context(), "a")
	if err != nil || len(b.Metadata) != 0 {
		t.Errorf("have metadata %v (%v), want the token hidden", b.Metadata, err)
	}
}

func wantKind(t *testing.T, err error, k fault.Kind) {
	t.Helper()
	if !fault.Is(err, k) {
		t.Fatalf("have %v, want %s", err, k)
	}
}

func wantValue(t *testing.T, table storage.Table, row, want string) {
	t.Helper()
	e, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: row})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(storage.Properties{"V": want}, e.Props); d != "" {
		t.Fatalf("row %s (-want +have):\n%s", row, d)
	}
}
