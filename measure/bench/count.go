package main

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// counts reports how many storage requests a registration, a first crawl, an unchanged check and a changed page cost.
func (b *bench) counts() error {
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	c, err := b.onAzurite("counts")
	if err != nil {
		return err
	}
	defer c.stop()
	urls := s.urls(b.hosts, b.pages)
	section(fmt.Sprintf("Storage requests per item "+
		"(%d hosts of %d pages, batches, sweeps and the host's own queue requests included)", b.hosts, b.pages),
		"work", "table", "queue", "blob", "entities read", "entities written", "aim")
	none := func() error { return nil }
	for _, step := range []struct {
		name, aim    string
		prepare, run func() error
	}{
		{"registration", "", none, func() error { return c.register(urls) }},
		{"first crawl", "", none, c.crawl},
		{"unchanged check (304)", "≤ 1.5 table, ≤ 0.2 queue", func() error { return makeDue(b.ctx, c.Store) }, c.check},
		{"changed page", "", func() error { s.version.Add(1); return makeDue(b.ctx, c.Store) }, c.check},
	} {
		if err := step.prepare(); err != nil {
			return err
		}
		d, err := measure(c.counter, step.run)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		n := len(urls)
		row(step.name, per(d.Table, n), per(d.Queue, n), per(d.Blob, n), per(d.RowsRead, n), per(d.RowsWritten, n), step.aim)
	}
	fmt.Printf("\nThe site answered %d times 304 and served %d bodies for %d pages.\n",
		s.notMod.Load(), s.served.Load(), len(urls))
	return nil
}

func (c *counted) register(urls []string) error {
	_, err := c.registered(urls)
	return err
}

// registered registers pages, and returns their ids.
func (c *counted) registered(urls []string) (ids []string, err error) {
	sources := make([]source.Source, len(urls))
	for i, u := range urls {
		if sources[i], err = c.Rules.ParseURL(u); err != nil {
			return nil, err
		}
	}
	for _, got := range c.Registry.Items.Register(c.ctx, sources, registry.RegisterOptions{}) {
		if got.Err != nil {
			return nil, got.Err
		}
		ids = append(ids, string(got.Item.ID))
	}
	return ids, nil
}

// check runs one sweep and all jobs.
func (c *counted) check() error {
	if _, err := c.Registry.Jobs.Sweep(c.ctx); err != nil {
		return err
	}
	return c.crawl()
}

// crawl does all jobs, those of the slow queue last. If the queue is empty before all work is done, it runs a sweep,
// as the timer would each minute.
func (c *counted) crawl() error { return c.crawlBy(8) }

// crawlOneByOne does jobs one after the other. Several goroutines may call it at once.
func (c *counted) crawlOneByOne() error { return c.crawlBy(1) }

func (c *counted) crawlBy(atOnce int) error {
	err := c.drain(registry.JobQueue, atOnce, jobDo(c.ctx, c.Worker.Process), func() (bool, error) {
		report, err := c.Registry.Jobs.Sweep(c.ctx)
		return report.Claimed > 0, err
	})
	if err != nil {
		return err
	}
	none := func() (bool, error) { return false, nil }
	return c.drain(registry.SlowQueue, atOnce, jobDo(c.ctx, c.Worker.ProcessSlow), none)
}

// jobDo returns a function that decodes a message and does its job.
func jobDo(ctx context.Context, do func(context.Context, registry.Job) error) func([]byte) error {
	return func(body []byte) error {
		job, err := registry.ParseJob(body)
		if err != nil {
			return err
		}
		return do(ctx, job)
	}
}
