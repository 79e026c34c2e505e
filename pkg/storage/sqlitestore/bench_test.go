package sqlitestore

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// each runs a benchmark on this store, on this store without joined writes, and in memory.
func each(b *testing.B, run func(b *testing.B, s storage.Store)) {
	for _, c := range []struct {
		name string
		open func(b *testing.B) storage.Store
	}{
		{"joined", func(b *testing.B) storage.Store { return open(b, b.TempDir()) }},
		{"alone", func(b *testing.B) storage.Store { return openAlone(b) }},
		{"mem", func(b *testing.B) storage.Store { return mem.New(time.Now) }},
	} {
		b.Run(c.name, func(b *testing.B) { run(b, c.open(b)) })
	}
}

// openAlone opens a store without joined writes.
func openAlone(b *testing.B) *Store {
	s := open(b, b.TempDir())
	s.w.group = 1 // before the first write, so the writer's channel orders it
	return s
}

// item returns columns of about the size of a registered page.
func item(n int64) storage.Properties {
	return storage.Properties{
		"url": "https://example.org/some/path/to/a/page", "status": "Indexed", "nextCrawlAt": "2026-11-21T10:00:00.000Z",
		"generation": n, "attempts": int32(0), "contentHash": strings.Repeat("0123456789abcdef", 4), "etag": `"5f3-60c"`,
		"history": strings.Repeat("2026-11-21T10:00:00Z unchanged ", 20),
	}
}

// BenchmarkTransact measures transactions of 1 and of 97 operations, with 1 and with 16 writers.
func BenchmarkTransact(b *testing.B) {
	for _, ops := range []int{1, 97} {
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%dops/%dwriters", ops, writers), func(b *testing.B) {
				each(b, func(b *testing.B, s storage.Store) { transact(b, s, ops, writers) })
			})
		}
	}
}

func transact(b *testing.B, s storage.Store, ops, writers int) {
	table := create(b, s).Table
	parallel(b, writers, func(who, n int64) error {
		batch := make([]storage.Op, ops)
		for i := range batch {
			key := storage.Key{Partition: fmt.Sprintf("host%d", who), Row: fmt.Sprintf("%05d", (int(n)*ops+i)%10_000)}
			batch[i] = storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: key, Props: item(n)}}
		}
		_, err := table.Transact(b.Context(), batch...)
		return err
	})
}

// parallel divides b's loop among workers.
func parallel(b *testing.B, workers int, do func(who, n int64) error) {
	b.SetParallelism((workers + 1) / 2) // times GOMAXPROCS, which was 2 on the machine that was measured
	if workers == 1 {
		for n := int64(0); b.Loop(); n++ {
			if err := do(0, n); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	var ids atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		who := ids.Add(1)
		for n := int64(0); pb.Next(); n++ {
			if err := do(who, n); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkQueue sends, receives and deletes messages of 1 KB.
func BenchmarkQueue(b *testing.B) {
	for _, workers := range []int{1, 16} {
		b.Run(fmt.Sprintf("%dworkers", workers), func(b *testing.B) {
			each(b, func(b *testing.B, s storage.Store) {
				q, body := create(b, s).Queue, []byte(strings.Repeat("x", 1<<10))
				parallel(b, workers, func(int64, int64) error {
					if err := q.Send(b.Context(), body, 0); err != nil {
						return err
					}
					got, err := q.Receive(b.Context(), 1, time.Minute)
					if err != nil || len(got) == 0 {
						return err
					}
					return q.Delete(b.Context(), got[0])
				})
			})
		})
	}
}

// BenchmarkPut writes blobs of 20 KB.
func BenchmarkPut(b *testing.B) {
	for _, workers := range []int{1, 16} {
		b.Run(fmt.Sprintf("%dworkers", workers), func(b *testing.B) {
			each(b, func(b *testing.B, s storage.Store) {
				c, blob := create(b, s).Container, storage.Blob{Body: make([]byte, 20<<10)}
				parallel(b, workers, func(who, n int64) error {
					_, err := c.Put(b.Context(), fmt.Sprintf("sha256/%d/%d", who, n), blob)
					return err
				})
			})
		})
	}
}

// BenchmarkGet reads a row among 10,000.
func BenchmarkGet(b *testing.B) {
	each(b, func(b *testing.B, s storage.Store) {
		table := fill(b, s, 10_000)
		for n := 0; b.Loop(); n++ {
			if _, err := table.Get(b.Context(), storage.Key{Partition: "p", Row: fmt.Sprintf("%06d", n%10_000)}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkQuery reads 10,000 rows.
func BenchmarkQuery(b *testing.B) {
	each(b, func(b *testing.B, s storage.Store) {
		table := fill(b, s, 10_000)
		for b.Loop() {
			n := 0
			for _, err := range table.Query(b.Context(), storage.Query{Partition: "p"}) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != 10_000 {
				b.Fatalf("have %d rows", n)
			}
		}
	})
}

func fill(t testing.TB, s storage.Store, rows int) storage.Table {
	t.Helper()
	table := create(t, s).Table
	for n := 0; n < rows; n += storage.MaxOps {
		ops := make([]storage.Op, storage.MaxOps)
		for i := range ops {
			ops[i] = insert(fmt.Sprintf("%06d", n+i), item(int64(n)))
		}
		if _, err := table.Transact(t.Context(), ops...); err != nil {
			t.Fatal(err)
		}
	}
	return table
}
