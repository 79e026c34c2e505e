package azure_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
)

// TestCounterCountsWhatIsBilled checks that a batch counts as one request, and a retry as one more.
func TestCounterCountsWhatIsBilled(t *testing.T) {
	l, n := &lossy{}, &azure.Counter{}
	s := open(t, azure.Options{Transport: l, Policies: []policy.Policy{n.Policy()}})
	table, _ := newTable(t, s, open(t, azure.Options{}))
	ctx := t.Context()
	count := func(name string, want azure.Counts, do func() error) {
		t.Helper()
		before := n.Snapshot()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, n.Snapshot().Sub(before)); d != "" {
			t.Errorf("%s (-want +have):\n%s", name, d)
		}
	}
	transact := func(ops ...storage.Op) func() error {
		return func() error { _, err := table.Transact(ctx, ops...); return err }
	}
	count("one insert", azure.Counts{Table: 1, RowsWritten: 1}, transact(op(storage.Insert, "a", "")))
	count("a batch of three", azure.Counts{Table: 1, RowsWritten: 3},
		transact(op(storage.Insert, "b", ""), op(storage.Insert, "c", ""), op(storage.Insert, "d", "")))
	count("get", azure.Counts{Table: 1, RowsRead: 1}, func() error {
		_, err := table.Get(ctx, storage.Key{Partition: "p", Row: "a"})
		return err
	})
	count("query in two pages", azure.Counts{Table: 2, RowsRead: 4}, func() error {
		for _, err := range table.Query(ctx, storage.Query{Partition: "p", PageSize: 3}) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	l.lose(1, nil)
	count("an insert retried and read back", azure.Counts{Table: 3, RowsRead: 1, RowsWritten: 1},
		transact(op(storage.Insert, "e", "")))

	q, c := s.Queue("counted"), s.Container("counted")
	count("queue", azure.Counts{Queue: 3}, func() error {
		if err := q.Create(ctx); err != nil {
			return err
		}
		if err := q.Send(ctx, []byte("x"), 0); err != nil {
			return err
		}
		_, err := q.Receive(ctx, 1, time.Second)
		return err
	})
	count("blobs", azure.Counts{Blob: 3}, func() error {
		if err := c.Create(ctx); err != nil {
			return err
		}
		if _, err := c.Put(ctx, "a", storage.Blob{Body: []byte("x")}); err != nil {
			return err
		}
		_, err := c.Get(ctx, "a")
		return err
	})
}

func TestRawQueues(t *testing.T) {
	raw, coded := open(t, azure.Options{RawQueues: true}), open(t, azure.Options{})
	ctx := t.Context()
	if err := raw.Queue("raw").Create(ctx); err != nil {
		t.Fatal(err)
	}
	body := []byte("not base64: <é> & \"x\"\n")
	if err := raw.Queue("raw").Send(ctx, body, 0); err != nil {
		t.Fatal(err)
	}
	got, err := coded.Queue("raw").Receive(ctx, 1, time.Minute)
	if err != nil || len(got) != 1 || !got[0].Malformed || !bytes.Equal(got[0].Body, body) {
		t.Fatalf("have %+v (%v), want the text as stored, marked malformed", got, err)
	}
	// Extend leaves the text of a malformed message unchanged.
	if _, err := coded.Queue("raw").Extend(ctx, got[0], 0); err != nil {
		t.Fatal(err)
	}
	got, err = raw.Queue("raw").Receive(ctx, 1, time.Minute)
	if err != nil || len(got) != 1 || got[0].Malformed || !bytes.Equal(got[0].Body, body) {
		t.Fatalf("have %+v (%v), want the text as sent", got, err)
	}
	for _, bad := range []string{"\x00", "\xff", "\uffff", "a\x0bb"} {
		wantKind(t, raw.Queue("raw").Send(ctx, []byte(bad), 0), fault.Invalid)
	}
}

func TestMaxBlobBytes(t *testing.T) {
	small, large := open(t, azure.Options{MaxBlobBytes: 10}), open(t, azure.Options{})
	ctx := t.Context()
	if err := large.Container("bounded").Create(ctx); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"ten": 10, "eleven": 11} {
		if _, err := large.Container("bounded").Put(ctx, name, storage.Blob{Body: make([]byte, size)}); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := small.Container("bounded").Get(ctx, "ten"); err != nil || len(b.Body) != 10 {
		t.Errorf("at the bound: have %d bytes, %v", len(b.Body), err)
	}
	_, err := small.Container("bounded").Get(ctx, "eleven")
	wantKind(t, err, fault.TooLarge)
	_, err = small.Container("bounded").Put(ctx, "more", storage.Blob{Body: make([]byte, 11)})
	wantKind(t, err, fault.TooLarge)
}
