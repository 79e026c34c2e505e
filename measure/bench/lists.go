package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"golang.org/x/sync/errgroup"
)

const (
	listTop      = 50     // items on a page
	hostItems    = 5      // number of items on each host but the last
	lastItems    = 50_000 // number of items on the last host
	lastFailures = 3      // items of the last host with the status Error, the only ones that have it
)

// lists shows, on the embedded store, that a page of a list reads only the rows it shows, and that a status reads
// only the rows of the host list. The baseline reads every item, or every host.
func (b *bench) lists() error {
	section("Lists of a hundred and of ten thousand hosts", "hosts", "items", "what", "requests", "rows read", "ms",
		"ms to reading every item")
	for _, hosts := range []int{100, 10_000} {
		if err := b.listsOf(hosts); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) listsOf(hosts int) error {
	get := settingsOf(map[string]string{"STORAGE": app.Embedded, "TIDEMARK_DATA": b.temp(fmt.Sprintf("lists%d", hosts))})
	s, err := app.OpenStore(get, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer s.Close()
	l := &listed{ctx: b.ctx, n: &storagetest.Counter{}, hosts: hosts, items: hosts*hostItems + lastItems}
	l.Registry = registry.New(storagetest.Counted(s, l.n), registry.Options{})
	if err := l.fill(); err != nil {
		return err
	}
	return l.measure()
}

// listed is a registry full of hosts, with a count of its requests.
type listed struct {
	*registry.Registry
	ctx          context.Context
	n            *storagetest.Counter
	hosts, items int
	every        time.Duration // time to read every item
}

const lastHost = "last.example"

func hostName(h int) string { return fmt.Sprintf("h%05d.example", h) }

func (l *listed) fill() error {
	if err := l.Create(l.ctx); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(8)
	for h := range l.hosts {
		g.Go(func() error { return l.fillHost(hostName(h), hostItems, 0) })
	}
	g.Go(func() error { return l.fillHost(lastHost, lastItems, lastFailures) })
	if err := g.Wait(); err != nil {
		return err
	}
	for range 1 + l.hosts/1000 {
		if _, err := l.Hosts.Recount(l.ctx); err != nil {
			return err
		}
	}
	return nil
}

// fillHost registers items of a host and records a check of each. The first items, as many as failed says, get the
// status Error.
func (l *listed) fillHost(host string, items, failed int) error {
	var sources []source.Source
	for i := range items {
		s, err := source.DefaultRules().ParseURL(fmt.Sprintf("https://%s/a/page/of/a/site/%d", host, i))
		if err != nil {
			return err
		}
		sources = append(sources, s)
	}
	for some := range slices.Chunk(sources, policy.JobItems) {
		job := registry.Job{Host: host}
		for _, got := range l.Items.Register(l.ctx, some, registry.RegisterOptions{}) {
			if got.Err != nil {
				return got.Err
			}
			_, hash, _ := source.ParseID(string(got.Item.ID))
			job.PartitionKey = got.Item.Partition()
			job.Items = append(job.Items, registry.JobItem{ID: got.Item.ID, RowKey: hash})
		}
		err := l.Jobs.Fail(l.ctx, job, func(it *registry.Item, now time.Time) {
			it.Status = registry.Indexed
			if failed > 0 {
				it.Status, failed = registry.Error, failed-1
			}
			it.CheckAt(now.Add(24 * time.Hour))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *listed) measure() error {
	if err := l.row("baseline: every item, by thousands", l.every1000); err != nil {
		return err
	}
	late, err := l.Items.List(l.ctx, registry.ListQuery{Host: hostName(l.hosts - listTop), Top: 1})
	if err != nil {
		return err
	}
	after := registry.ListCursor(&late[0])
	for _, page := range []struct {
		what string
		q    registry.ListQuery
	}{
		{"items, first page", registry.ListQuery{}},
		{"items, page of the last small hosts", registry.ListQuery{After: after}},
		{"items?host= of the last host", registry.ListQuery{Host: lastHost}},
		{"items?host= of nobody", registry.ListQuery{Host: "nobody.example"}},
		{"items?status=Indexed", registry.ListQuery{Status: registry.Indexed}},
		{"items?status=Error, 3 of the last host", registry.ListQuery{Status: registry.Error}},
		{"items?status=Gone, none", registry.ListQuery{Status: registry.Gone}},
	} {
		page.q.Top = listTop
		err := l.row(page.what, func() (int, error) {
			items, err := l.Items.List(l.ctx, page.q)
			return len(items), err
		})
		if err != nil {
			return err
		}
	}
	return l.statuses()
}

func (l *listed) statuses() error {
	stats := func(host string) func() (int, error) {
		return func() (int, error) {
			found, err := l.Hosts.Stats(l.ctx, host)
			return len(found), err
		}
	}
	if err := l.row("status?host=", stats(hostName(0))); err != nil {
		return err
	}
	if err := l.row("status, all hosts in flight", stats("")); err != nil {
		return err
	}
	return l.row("baseline: status, each host where it is", func() (int, error) {
		for h := range l.hosts {
			if _, err := stats(hostName(h))(); err != nil {
				return 0, err
			}
		}
		return l.hosts, nil
	})
}

// every1000 reads all items, 1,000 at a time.
func (l *listed) every1000() (n int, err error) {
	for q := (registry.ListQuery{Top: 1000}); ; {
		items, err := l.Items.List(l.ctx, q)
		if n += len(items); err != nil || len(items) < q.Top {
			return n, err
		}
		q.After = registry.ListCursor(&items[q.Top-1])
	}
}

// row calls do three times, and prints the shortest time.
func (l *listed) row(what string, do func() (int, error)) error {
	best := time.Duration(0)
	for range 3 {
		l.n.Reset()
		began := time.Now()
		if _, err := do(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if took := time.Since(began); best == 0 || took < best {
			best = took
		}
	}
	if l.every == 0 {
		l.every = best
	}
	row(l.hosts, l.items, what, l.n.Requests.Load(), l.n.Rows.Load(), fmt.Sprintf("%.1f", best.Seconds()*1000),
		fmt.Sprintf("%.4f", best.Seconds()/l.every.Seconds()))
	return nil
}
