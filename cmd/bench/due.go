package main

import (
	"context"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// makeDue moves every item of a registry to a minute ago, as if its interval were over: item, due
// row and hint, in the layout that package registry documents.
func makeDue(ctx context.Context, store storage.Store) error {
	items, hints := store.Table(registry.DefaultTable), store.Table("DueHints")
	at := time.Now().UTC().Add(-time.Minute)
	byPartition := map[string][]storage.Entity{}
	for e, err := range items.Query(ctx, storage.Query{}) {
		if err != nil {
			return err
		}
		if !strings.Contains(e.Row, "|") {
			byPartition[e.Partition] = append(byPartition[e.Partition], e)
		}
	}
	for partition, rows := range byPartition {
		for len(rows) > 0 {
			n := min(33, len(rows))
			if _, err := items.Transact(ctx, dueOps(rows[:n], at)...); err != nil {
				return err
			}
			rows = rows[n:]
		}
		// Any shard will do: a sweep reads them all.
		_, err := hints.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key:   storage.Key{Partition: "0|" + at.Truncate(time.Minute).Format("2006-01-02T15:04Z"), Row: partition},
			Props: storage.Properties{"writtenAt": storage.FormatTime(at.Add(-time.Hour))},
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

func dueOps(rows []storage.Entity, at time.Time) []storage.Op {
	var ops []storage.Op
	for _, e := range rows {
		old, _ := e.Props["nextCrawlAt"].(string)
		ops = append(ops,
			storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: e.Key, ETag: e.ETag, Props: storage.Properties{"nextCrawlAt": storage.FormatTime(at)}}},
			storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: dueKey(e.Key, old), ETag: storage.AnyETag}},
			storage.Op{Kind: storage.Insert, Entity: storage.Entity{
				Key:   dueKey(e.Key, storage.FormatTime(at)),
				Props: storage.Properties{"id": e.Props["id"], "host": e.Props["sourceHost"], "enqueuedUntil": ""},
			}})
	}
	return ops
}

func dueKey(item storage.Key, at string) storage.Key {
	return storage.Key{Partition: item.Partition, Row: "due|" + at + "|" + item.Row}
}
