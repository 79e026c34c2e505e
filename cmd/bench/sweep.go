package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// sweep shows that a sweep's cost follows what is due: 100 due items among more and more
// registered ones.
func (b *bench) sweep() error {
	section("One sweep with 100 items due", "registered items", "table requests", "queue requests", "entities read", "entities written", "ms on Azurite, which scans its table on each query")
	for _, registered := range []int{1_000, 10_000, 100_000} {
		if err := b.sweepAmong(registered); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) sweepAmong(registered int) error {
	az, err := b.azurite()
	if err != nil {
		return err
	}
	defer az.Stop()
	c, err := b.open(az.ConnectionString(), fmt.Sprintf("sweep%d", registered))
	if err != nil {
		return err
	}
	const perHost, due = 100, 100
	hosts := registered / perHost
	for h := range hosts {
		n := 0 // due on this host: 10 each on the first 10 hosts
		if h < 10 {
			n = due / 10
		}
		if err := fillHost(b.ctx, c.Store, h, perHost, n); err != nil {
			return err
		}
	}
	before, began := c.counter.Snapshot(), time.Now()
	report, err := c.Registry.Sweep(b.ctx)
	took := time.Since(began)
	if err != nil {
		return err
	}
	if report.Claimed != due {
		return fmt.Errorf("%d of %d due items were claimed", report.Claimed, due)
	}
	d := c.counter.Snapshot().Sub(before)
	row(registered, d.Table, d.Queue, d.RowsRead, d.RowsWritten, took.Milliseconds())
	return nil
}

// fillHost writes a host with items that are due tomorrow, but for the first few, and its hints.
func fillHost(ctx context.Context, store storage.Store, h, items, due int) error {
	host := fmt.Sprintf("h%05d.example", h)
	now := time.Now().UTC()
	var ops []storage.Op
	for i := range items {
		at := now.Add(24 * time.Hour)
		if i < due {
			at = now.Add(-time.Minute)
		}
		key := storage.Key{Partition: host, Row: fmt.Sprintf("%026d", i)}
		ops = append(ops, insert(key, storage.Properties{"id": "url_" + key.Row, "sourceHost": host, "nextCrawlAt": storage.FormatTime(at)}),
			insert(dueKey(key, storage.FormatTime(at)), storage.Properties{"id": "url_" + key.Row, "host": host, "enqueuedUntil": ""}))
	}
	for len(ops) > 0 {
		n := min(100, len(ops))
		if _, err := store.Table("IngestItems").Transact(ctx, ops[:n]...); err != nil {
			return err
		}
		ops = ops[n:]
	}
	at := now.Add(24 * time.Hour)
	if due > 0 {
		at = now.Add(-time.Minute)
	}
	key := storage.Key{Partition: fmt.Sprintf("%d|%s", h%4, at.Truncate(time.Minute).Format("2006-01-02T15:04Z")), Row: host}
	_, err := store.Table("DueHints").Transact(ctx, insert(key, storage.Properties{"writtenAt": storage.FormatTime(now.Add(-time.Hour))}))
	return err
}

func insert(key storage.Key, props storage.Properties) storage.Op {
	return storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: key, Props: props}}
}
