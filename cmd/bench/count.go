package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
)

// counted is Tidemark in this process; over Azurite every storage request is counted.
type counted struct {
	*handlers.Services
	ctx     context.Context
	counter *azure.Counter
	queue   storage.Queue
}

func settingsOf(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func (b *bench) open(conn, data string) (*counted, error) {
	counter := azure.NewCounter()
	get := settingsOf(map[string]string{"AzureWebJobsStorage": conn})
	store, err := azure.Open(get, azure.Options{Policies: []policy.Policy{counter.Policy()}})
	if err != nil {
		return nil, err
	}
	c, err := b.assemble(store, data)
	if err != nil {
		return nil, err
	}
	c.counter = counter
	return c, nil
}

// assemble puts Tidemark together over a store, with a data folder of its own.
func (b *bench) assemble(store storage.Store, data string) (*counted, error) {
	c := &counted{ctx: b.ctx}
	get := settingsOf(map[string]string{"CRAWL_ALLOW_HOSTS": "127.0.0.0/8", "TIDEMARK_DATA": b.temp(data), "EMAIL_IMPORT_ROOT": b.dir})
	cfg, err := app.Load(get)
	if err != nil {
		return nil, err
	}
	index, err := sqlitesearch.Open(b.temp(data+".db"), sqlitesearch.Options{})
	if err != nil {
		return nil, err
	}
	c.Services, err = app.Assemble(b.ctx, cfg, get, store, index, slog.New(slog.NewTextHandler(io.Discard, nil)))
	c.queue = store.Queue(registry.JobQueue)
	return c, err
}

// counts tells what a registration, a first crawl, an unchanged check and a changed page cost.
func (b *bench) counts() error {
	az, err := b.azurite()
	if err != nil {
		return err
	}
	defer az.Stop()
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	c, err := b.open(az.ConnectionString(), "counts")
	if err != nil {
		return err
	}
	urls := s.urls(b.hosts, b.pages)
	section(fmt.Sprintf("Storage requests per item (%d hosts of %d pages, batches, sweeps and the host's own queue requests included)", b.hosts, b.pages),
		"work", "table", "queue", "blob", "entities read", "entities written", "aim")
	for _, step := range []struct {
		name, aim string
		prepare   func() error
		run       func() error
	}{
		{"registration", "", none, func() error { return c.register(urls) }},
		{"first crawl", "", none, c.drain},
		{"unchanged check (304)", "≤ 1.5 table, ≤ 0.2 queue", func() error { return makeDue(b.ctx, c.Store) }, c.sweepAndDrain},
		{"changed page", "", func() error { s.version.Add(1); return makeDue(b.ctx, c.Store) }, c.sweepAndDrain},
	} {
		if err := step.prepare(); err != nil {
			return err
		}
		before := c.counter.Snapshot()
		if err := step.run(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		d, n := c.counter.Snapshot().Sub(before), float64(len(urls))
		row(step.name, float64(d.Table)/n, float64(d.Queue)/n, float64(d.Blob)/n, float64(d.RowsRead)/n, float64(d.RowsWritten)/n, step.aim)
	}
	fmt.Printf("\nThe site answered %d times 304 and served %d bodies for %d pages.\n", s.notMod.Load(), s.served.Load(), len(urls))
	return nil
}

func none() error { return nil }

func (c *counted) register(urls []string) error {
	sources := make([]source.Source, len(urls))
	for i, u := range urls {
		s, err := c.Rules.ParseURL(u)
		if err != nil {
			return err
		}
		sources[i] = s
	}
	for _, got := range c.Registry.Register(c.ctx, sources, registry.RegisterOptions{}) {
		if got.Err != nil {
			return got.Err
		}
	}
	return nil
}

func (c *counted) sweepAndDrain() error {
	if _, err := c.Registry.Sweep(c.ctx); err != nil {
		return err
	}
	return c.drain()
}

// drain does what the Functions host does with the queue until nothing is left: receive 8, call,
// delete. A sweep comes when the queue is empty before the work is done, as it would each minute.
func (c *counted) drain() error {
	for {
		messages, err := c.queue.Receive(c.ctx, 8, 10*time.Minute)
		if err != nil {
			return err
		}
		if len(messages) == 0 {
			report, err := c.Registry.Sweep(c.ctx)
			if err != nil || report.Claimed == 0 {
				return err
			}
			continue
		}
		if err := c.process(messages); err != nil {
			return err
		}
	}
}

func (c *counted) process(messages []storage.Message) error {
	errs := make([]error, len(messages))
	var wg sync.WaitGroup
	for i, m := range messages {
		wg.Go(func() {
			job, err := registry.ParseJob(m.Body)
			if err == nil {
				err = c.Worker.Process(c.ctx, job)
			}
			if err == nil {
				err = c.queue.Delete(c.ctx, m)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return firstError(errs)
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}
