package mem_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// BenchmarkReschedule is the commit of a crawl in a partition of 10,000 items: it merges the item and moves its due
// row.
func BenchmarkReschedule(b *testing.B) {
	const items = 10_000
	ctx, table := b.Context(), mem.New(time.Now).Table("rows")
	if err := table.Create(ctx); err != nil {
		b.Fatal(err)
	}
	key := func(format string, n int) storage.Key {
		return storage.Key{Partition: "p", Row: fmt.Sprintf(format, n)}
	}
	for i := range items {
		_, err := table.Transact(ctx,
			storage.Op{Entity: storage.Entity{Key: key("%06d", i), Props: storage.Properties{"N": int64(0), "Status": "New"}}},
			storage.Op{Entity: storage.Entity{Key: key("due|%09d", i)}})
		if err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		_, err := table.Transact(ctx,
			storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: key("%06d", i%items), ETag: storage.AnyETag,
				Props: storage.Properties{"N": int64(i)}}},
			storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: key("due|%09d", i), ETag: storage.AnyETag}},
			storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: key("due|%09d", i+items)}})
		if err != nil {
			b.Fatal(err)
		}
	}
}
