package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// sweep shows that the cost of a sweep depends only on what is due: 100 items are due, while the number of registered
// items grows.
func (b *bench) sweep() error {
	section("One sweep with 100 items due", "registered items", "table requests", "queue requests", "entities read",
		"entities written", "ms on Azurite, which scans its table on each query")
	for _, registered := range []int{1_000, 10_000, 100_000} {
		if err := b.sweepAmong(registered); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) sweepAmong(registered int) error {
	c, err := b.onAzurite(fmt.Sprintf("sweep%d", registered))
	if err != nil {
		return err
	}
	defer c.stop()
	const perHost, due = 100, 100
	hosts := registered / perHost
	for h := range hosts {
		n := 0 // number of due items on this host: 10 on each of the first 10 hosts
		if h < 10 {
			n = due / 10
		}
		if err := fillHost(b.ctx, c.Store, h, perHost, n); err != nil {
			return err
		}
	}
	d, err := measure(c.counter, func() error {
		report, err := c.Registry.Jobs.Sweep(b.ctx)
		if err == nil && report.Claimed != due {
			err = fmt.Errorf("%d of %d due items were claimed", report.Claimed, due)
		}
		return err
	})
	row(registered, d.Table, d.Queue, d.RowsRead, d.RowsWritten, d.Milliseconds())
	return err
}

// fillHost writes a host with its hint and its items. The given number of items is due now; the others are due
// tomorrow.
func fillHost(ctx context.Context, s storage.Store, h, items, due int) error {
	host, now := fmt.Sprintf("h%05d.example", h), time.Now().UTC()
	at := func(i int) time.Time {
		if i < due {
			return now.Add(-time.Minute)
		}
		return now.Add(24 * time.Hour)
	}
	var ops []storage.Op
	for i := range items {
		key := storage.Key{Partition: host, Row: fmt.Sprintf("%026d", i)}
		item := storage.Properties{"id": "url_" + key.Row, "sourceHost": host, "nextCrawlAt": storage.FormatTime(at(i))}
		ops = append(ops, insert(key, item), dueRow(key, item, at(i)))
	}
	for some := range slices.Chunk(ops, 100) {
		if _, err := s.Table(registry.DefaultTable).Transact(ctx, some...); err != nil {
			return err
		}
	}
	return hint(ctx, s, h%4, host, at(0))
}
