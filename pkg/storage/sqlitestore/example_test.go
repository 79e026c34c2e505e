package sqlitestore_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// A store keeps its state when it is opened again.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, key := context.Background(), storage.Key{Partition: "example.org", Row: "page"}
	for range 2 {
		s, err := sqlitestore.Open(dir, sqlitestore.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		table := s.Table("pages")
		if err := table.Create(ctx); err != nil {
			fmt.Println(err)
			return
		}
		if e, err := table.Get(ctx, key); err == nil {
			fmt.Println("found:", e.Props["Title"])
		}
		_, err = table.Transact(ctx, storage.Op{Kind: storage.Upsert,
			Entity: storage.Entity{Key: key, Props: storage.Properties{"Title": "Harbour notice"}}})
		if err != nil {
			fmt.Println(err)
		}
		s.Close()
	}
	// Output: found: Harbour notice
}
