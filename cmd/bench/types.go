package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/tidemark/tidemark/pkg/document"
	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/extract/pdf"
	"github.com/tidemark/tidemark/pkg/snapshot"
)

// types measures reading by type of document, one after another, and what is stored of them. Each
// type is read by a process that reads nothing else, whose memory is the type's.
func (b *bench) types() error {
	cache := b.temp("pdf")
	if err := warm(b.ctx, cache); err != nil {
		return err
	}
	section(fmt.Sprintf("Reading by type (best of %d alternating rounds; times as multiples of SHA-256 of the same bytes)", typeRounds),
		"type", "files", "bytes, mean", "extracted, per second", "unchanged by bytes", "unchanged by content", "most memory, MiB")
	for _, k := range kinds {
		r, err := b.reading(k, cache)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		t := r.Seconds
		row(k.name, r.Files, r.Bytes/r.Files, perSecondText(1/t[extracting]), t[byBytes]/t[summing], fmt.Sprintf("%.0f", t[byContent]/t[summing]), r.memory())
	}
	return b.stored()
}

// warm has the PDF reader compiled into the cache, as it is in a handler that has read one before.
func warm(ctx context.Context, cache string) error {
	r := document.New(document.Options{CacheDir: cache})
	for _, k := range kinds {
		if k.contentType != pdf.MediaType {
			continue
		}
		samples, err := k.samples()
		if err != nil {
			return err
		}
		if _, err := read(ctx, r, samples[0]); err != nil {
			return err
		}
	}
	return nil
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

// readArgument makes this executable the process that reads one type: its name and the folder of
// the cache follow.
const readArgument = "read-type"

// reading has a type read by this executable, started again.
func (b *bench) reading(k kind, cache string) (r typeReading, err error) {
	exe, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(b.ctx, exe, readArgument, k.name, cache)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// typeMain ends the process when it was started to read a type, after having done so.
func typeMain() {
	if len(os.Args) != 4 || os.Args[1] != readArgument {
		return
	}
	for _, k := range kinds {
		if k.name != os.Args[2] {
			continue
		}
		r, err := readType(context.Background(), k, os.Args[3])
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(r)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

func readType(ctx context.Context, k kind, cache string) (r typeReading, err error) {
	samples, err := k.samples()
	if err != nil {
		return r, err
	}
	r.Files, r.Bytes = len(samples), size(samples)
	jobs := jobsOf(ctx, cache)
	before, err := memoryKiB(os.Getpid(), "VmHWM")
	if err != nil {
		return r, err
	}
	// Once first, while this process is small: see childrenKiB.
	if err := once(samples, jobs[byContent]); err != nil {
		return r, err
	}
	r.ChildKiB = childrenKiB()
	if r.Seconds, err = timed(samples, jobs); err != nil {
		return r, err
	}
	after, err := memoryKiB(os.Getpid(), "VmHWM")
	r.OwnKiB = after - before
	return r, err
}

func jobsOf(ctx context.Context, cache string) (jobs [works]func(sample) error) {
	reader := document.New(document.Options{CacheDir: cache})
	jobs[summing] = func(s sample) error { sha256.Sum256(s.body); return nil }
	jobs[byBytes] = func(s sample) error { snapshot.Hash(s.body); return nil }
	jobs[extracting] = func(s sample) error {
		_, err := read(ctx, reader, s)
		return err
	}
	jobs[byContent] = func(s sample) error {
		doc, err := read(ctx, reader, s)
		doc.ContentHash()
		return err
	}
	return jobs
}

// timed gives the seconds that each job takes for a document: the mean over the documents, the best of
// the rounds.
func timed(samples []sample, jobs [works]func(sample) error) (best [works]float64, err error) {
	for round := range typeRounds {
		for i, job := range jobs {
			took, err := repeated(samples, job)
			if err != nil {
				return best, err
			}
			if round == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return best, nil
}

// repeated does a job with all documents again and again, for long enough to be measured.
func repeated(samples []sample, job func(sample) error) (seconds float64, err error) {
	const enough = 60 * time.Millisecond
	began, n := time.Now(), 0
	for n == 0 || time.Since(began) < enough {
		if err := once(samples, job); err != nil {
			return 0, err
		}
		n += len(samples)
	}
	return time.Since(began).Seconds() / float64(n), nil
}

func once(samples []sample, job func(sample) error) error {
	for _, s := range samples {
		if err := job(s); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	return nil
}
