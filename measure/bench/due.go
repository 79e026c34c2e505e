package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// makeDue makes every item of a registry due a minute ago, as if its interval were over. It writes the item, the due
// row and the hint, in the layout that package registry documents.
func makeDue(ctx context.Context, s storage.Store) error {
	items := s.Table(registry.DefaultTable)
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
		for some := range slices.Chunk(rows, 33) {
			if _, err := items.Transact(ctx, dueOps(some, at)...); err != nil {
				return err
			}
		}
		// Any shard is correct, because a sweep reads all of them.
		if err := hint(ctx, s, 0, partition, at); err != nil {
			return err
		}
	}
	return nil
}

// hint records in a shard that a host has due rows.
func hint(ctx context.Context, store storage.Store, shard int, host string, at time.Time) error {
	_, err := store.Table("DueHints").Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key:   storage.Key{Partition: fmt.Sprintf("%d|%s", shard, at.Format("2006-01-02T15:04Z")), Row: host},
		Props: storage.Properties{"writtenAt": storage.FormatTime(at.Add(-time.Hour))},
	}})
	return err
}

func dueOps(rows []storage.Entity, at time.Time) (ops []storage.Op) {
	for _, e := range rows {
		old, _ := e.Props["nextCrawlAt"].(string)
		ops = append(ops,
			storage.Op{Kind: storage.Merge, Entity: storage.Entity{
				Key: e.Key, ETag: e.ETag, Props: storage.Properties{"nextCrawlAt": storage.FormatTime(at)},
			}},
			storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: dueKey(e.Key, old), ETag: storage.AnyETag}},
			dueRow(e.Key, e.Props, at))
	}
	return ops
}

// dueRow returns the insert of the due row of an item.
func dueRow(item storage.Key, props storage.Properties, at time.Time) storage.Op {
	return insert(dueKey(item, storage.FormatTime(at)),
		storage.Properties{"id": props["id"], "host": props["sourceHost"], "enqueuedUntil": ""})
}

func insert(key storage.Key, props storage.Properties) storage.Op {
	return storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: key, Props: props}}
}

func dueKey(item storage.Key, at string) storage.Key {
	return storage.Key{Partition: item.Partition, Row: "due|" + at + "|" + item.Row}
}
