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

// types measures reading by type of document, one after another, and what is stored of them. Each
// type is read by a process that reads nothing else, whose memory is the type's.
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

// warm has the PDF reader compiled into the cache, as it is in a handler that has read one before.
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

// What is done with every document of a type, in turns.
const (
	summing    = iota // the baseline
	byBytes           // what finds that a body is the one before
	extracting        // what a new body takes
	byContent         // what finds that another body says the same
	works
)

const typeRounds = 10

// typeReading is what the reading of a type took.
type typeReading struct {
	Files, Bytes int
	Seconds      [works]float64 // for one document
	OwnKiB       int            // what reading added to the most that the process had
	ChildKiB     int            // the most that a reader in a process of its own had; 0 if there was none
}

func (r typeReading) memory() string {
	if r.ChildKiB > 0 {
		return fmt.Sprintf("%.0f, its own process", float64(r.ChildKiB)/1024)
	}
	return fmt.Sprintf("+%.1f", float64(r.OwnKiB)/1024)
}

// readType reads the documents of a type, by its name and the folder of the cache.
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
	// Once first, while this process is small: see childrenKiB.
	if err := once(samples, jobs[byContent]); err != nil {
		return nil, err
	}
	reader.Close() // only what has ended is counted
	r := typeReading{Files: len(samples), Bytes: size(samples), ChildKiB: childrenKiB()}
	for range typeRounds {
		for i, job := range jobs {
			const enough = 60 * time.Millisecond // to be measured
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
