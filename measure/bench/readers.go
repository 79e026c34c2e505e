package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/content/document"
)

// heavy lists the types of documents that are read in a separate process.
var heavy = []string{"pdf", "docx", "pptx", "xlsx"}

// readers measures how much time is saved when one process reads many heavy documents. Rounds alternate: in one, each
// document gets a new reader; in the next, one reader reads all of them.
func (b *bench) readers() error {
	cache := b.temp("pdf")
	if err := warm(b.ctx, cache); err != nil {
		return err
	}
	section(fmt.Sprintf("Readers of heavy documents (best of %d alternating rounds)", typeRounds), "type", "files",
		"a reader for each, per second", "one reader for all, per second", "times", "memory of one that waits, MiB")
	for _, name := range heavy {
		samples, err := samplesOf(name)
		if err != nil {
			return err
		}
		each, all, kib, err := readersOf(b.ctx, cache, samples)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		row(name, len(samples), perSecondText(1/each), perSecondText(1/all), each/all, fmt.Sprintf("%.0f", float64(kib)/1024))
	}
	return b.idleReaders(cache)
}

// readersOf measures the seconds per document, with a new reader for each document and with one reader for all, and
// the resident memory of that one reader when it is idle.
func readersOf(ctx context.Context, cache string, samples []sample) (each, all float64, kib int, err error) {
	one := document.New(document.Options{CacheDir: cache})
	defer one.Close()
	ways := []func(sample) error{
		func(s sample) error {
			r := document.New(document.Options{CacheDir: cache})
			defer r.Close()
			_, err := read(ctx, r, s)
			return err
		},
		func(s sample) error { _, err := read(ctx, one, s); return err },
	}
	best := make([]float64, len(ways))
	for round := range typeRounds {
		for i, way := range ways {
			const times = 5
			began := time.Now()
			for range times {
				if err := once(samples, way); err != nil {
					return 0, 0, 0, err
				}
			}
			if took := time.Since(began).Seconds() / float64(times*len(samples)); round == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	for _, pid := range children(os.Getpid()) {
		if n, err := memoryKiB(pid, "VmRSS"); err == nil {
			kib += n
		}
	}
	return best[0], best[1], kib, nil
}

// idleReaders reports how long idle readers are kept.
func (b *bench) idleReaders(cache string) error {
	const longest = time.Minute
	samples, err := samplesOf(heavy[0])
	r := document.New(document.Options{CacheDir: cache})
	if err == nil {
		_, err = read(b.ctx, r, samples[0])
	}
	if err != nil {
		return err
	}
	began, before := time.Now(), len(children(os.Getpid()))
	for len(children(os.Getpid())) > 0 && time.Since(began) < longest {
		time.Sleep(100 * time.Millisecond)
	}
	after := len(children(os.Getpid()))
	fmt.Printf("\nReaders that wait: %d; %.0f s later: %d.\n", before, time.Since(began).Seconds(), after)
	return nil
}
