package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// types measures, for one type of document after another, the cost of reading and how much is stored. Each type is
// read in a process of its own, so that the memory of the process is only what that type needs.
func (b *bench) types() error {
	cache := b.temp("pdf")
	if err := warm(b.ctx, cache); err != nil {
		return err
	}
	section(fmt.Sprintf("Reading by type (best of %d alternating rounds; times as multiples of SHA-256 of the same bytes)",
		typeRounds),
		"type", "files", "bytes, mean", "extracted, per second", "unchanged by bytes", "unchanged by content",
		"most memory, MiB")
	for _, k := range kinds {
		var r typeReading
		if err := b.again(&r, "read-type", k.name, cache); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		t := r.Seconds
		row(k.name, r.Files, r.Bytes/r.Files, perSecondText(1/t[extracting]), t[byBytes]/t[summing],
			fmt.Sprintf("%.0f", t[byContent]/t[summing]), r.memory())
	}
	return b.stored()
}

// warm reads one PDF. After that, the compiled PDF reader is in the cache, as in a handler after its first PDF.
func warm(ctx context.Context, cache string) error {
	r := document.New(document.Options{CacheDir: cache})
	defer r.Close()
	samples, err := samplesOf("pdf")
	if err == nil {
		_, err = read(ctx, r, samples[0])
	}
	return err
}

func read(ctx context.Context, r *document.Reader, s sample) (extract.Document, error) {
	return r.Extract(ctx, s.body, s.contentType, "https://bench.example/"+s.path, extract.Limits{})
}

// The kinds of work on every document of a type, done in alternation.
const (
	summing    = iota // the baseline
	byBytes           // finds that a body is unchanged
	extracting        // reads a new body
	byContent         // finds that a different body has the same content
	works
)

const typeRounds = 10

// typeReading is the cost of reading a type.
type typeReading struct {
	Files, Bytes int
	Seconds      [works]float64 // seconds per document
	OwnKiB       int            // growth of the process's largest size while it reads
	ChildKiB     int            // the largest size of a reader in a separate process; 0 without such a reader
}

func (r typeReading) memory() string {
	if r.ChildKiB > 0 {
		return fmt.Sprintf("%.0f, its own process", float64(r.ChildKiB)/1024)
	}
	return fmt.Sprintf("+%.1f", float64(r.OwnKiB)/1024)
}

// readType reads the documents of a type, given its name and the cache folder.
func readType(ctx context.Context, args []string) (any, error) {
	samples, err := samplesOf(args[0])
	if err != nil {
		return nil, err
	}
	reader := document.New(document.Options{CacheDir: args[1]})
	jobs := jobsOf(ctx, reader)
	before, err := memoryKiB(os.Getpid(), "VmHWM")
	if err != nil {
		return nil, err
	}
	// This run comes first, while the process is small: see childrenKiB.
	if err := once(samples, jobs[byContent]); err != nil {
		return nil, err
	}
	reader.Close() // the reader must end, because only ended processes are counted
	r := typeReading{Files: len(samples), Bytes: size(samples), ChildKiB: childrenKiB()}
	for range typeRounds {
		for i, job := range jobs {
			const enough = 60 * time.Millisecond // minimum time of one measurement
			n, began := 0, time.Now()
			for ; n == 0 || time.Since(began) < enough; n += len(samples) {
				if err := once(samples, job); err != nil {
					return nil, err
				}
			}
			took := time.Since(began).Seconds() / float64(n)
			if r.Seconds[i] == 0 || took < r.Seconds[i] {
				r.Seconds[i] = took
			}
		}
	}
	after, err := memoryKiB(os.Getpid(), "VmHWM")
	r.OwnKiB = after - before
	return r, err
}

func jobsOf(ctx context.Context, reader *document.Reader) [works]func(sample) error {
	return [works]func(sample) error{
		summing: func(s sample) error { sha256.Sum256(s.body); return nil },
		byBytes: func(s sample) error { snapshot.Hash(s.body); return nil },
		extracting: func(s sample) error {
			_, err := read(ctx, reader, s)
			return err
		},
		byContent: func(s sample) error {
			doc, err := read(ctx, reader, s)
			doc.ContentHash()
			return err
		},
	}
}

func once(samples []sample, job func(sample) error) error {
	for _, s := range samples {
		if err := job(s); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	return nil
}
