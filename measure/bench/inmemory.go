package main

import (
	"context"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// inMemory is the name of Tidemark with a store in memory among the crawlers. Its index is a file, as ever. It has what
// the best of all stores could reach, so its ratio to the loop is the aim for the embedded store.
const inMemory = "Tidemark, its store in memory"

// crawlInMemory does what crawlOurs does, without a host, in a process of its own.
func (b *bench) crawlInMemory(urls []string) (c crawled, err error) {
	list := b.temp("urls.txt")
	if err := os.WriteFile(list, []byte(strings.Join(urls, "\n")), 0o644); err != nil {
		return c, err
	}
	dir, err := os.MkdirTemp(b.dir, "memory-")
	if err != nil {
		return c, err
	}
	var phases [2]struct {
		Seconds float64
		CPU     time.Duration
	}
	err = b.again(&phases, "crawl-in-memory", dir, list)
	c.first = phase{rate: float64(len(urls)) / phases[0].Seconds, cpu: phases[0].CPU}
	c.unchanged = phase{rate: float64(len(urls)) / phases[1].Seconds, cpu: phases[1].CPU}
	return c, err
}

// crawlListed crawls the pages of a list, with a store in memory, and then checks each of them once.
func crawlListed(ctx context.Context, args []string) (any, error) {
	list, err := os.ReadFile(args[1])
	if err != nil {
		return nil, err
	}
	b, urls := &bench{ctx: ctx, dir: args[0]}, strings.Split(string(list), "\n")
	c, err := b.assemble(mem.New(time.Now), "data")
	if err != nil {
		return nil, err
	}
	defer c.Index.Close()
	first, err := measure(nil, func() error {
		if err := c.register(urls); err != nil {
			return err
		}
		return c.crawlAtOnce()
	})
	if err != nil {
		return nil, err
	}
	if err := makeDue(ctx, c.Store); err != nil {
		return nil, err
	}
	unchanged, err := measure(nil, func() error {
		if _, err := c.Registry.Jobs.Sweep(ctx); err != nil {
			return err
		}
		return c.crawlAtOnce()
	})
	type spentOn struct {
		Seconds float64
		CPU     time.Duration
	}
	return []spentOn{{first.Seconds(), first.cpu}, {unchanged.Seconds(), unchanged.cpu}}, err
}

// crawlAtOnce does all jobs, several at once, each as soon as there is a slot for it.
func (c *counted) crawlAtOnce() error {
	var g errgroup.Group
	for range 8 {
		g.Go(c.crawlOneByOne)
	}
	return g.Wait()
}
