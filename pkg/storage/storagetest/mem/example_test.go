package mem_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

func Example() {
	ctx := context.Background()
	table := mem.New(time.Now).Table("IngestItems")
	if err := table.Create(ctx); err != nil {
		fmt.Println(err)
		return
	}
	key := storage.Key{Partition: "example.org", Row: "url_1"}
	tags, _ := table.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{
		Key: key, Props: storage.Properties{"Status": "New"},
	}})

	// Two writers read the same revision. The second finds that the revision has changed.
	crawled := storage.Entity{Key: key, ETag: tags[0], Props: storage.Properties{"Status": "Crawled"}}
	for range 2 {
		_, err := table.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: crawled})
		fmt.Println(fault.Is(err, fault.Conflict))
	}
	// Output:
	// false
	// true
}
