package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

const (
	// ofJob is the number of pages that a job of a first crawl writes to the index together.
	ofJob = 32
	// indexRounds is the number of rounds in which the index is written and queried, by each program in turn.
	indexRounds = 3
	// comparedSize is the number of chunks of the index that is queried.
	comparedSize = 100_000
	// gcPercent is that of the handler.
	gcPercent = 200
)

// indexed is the cost of writing pages to an empty index.
type indexed struct {
	Pages, Chunks int
	CPU, Took     time.Duration
	File, Written int64 // bytes
}

// indexing measures the index's share of a first crawl: the processor time of writing pages to an empty index, job by
// job. With the flag -against it measures this program and another one, built from another commit, in turn.
func (b *bench) indexing() error {
	programs, err := b.compared()
	if err != nil {
		return err
	}
	section(fmt.Sprintf("Writing the index, by itself (medians of %d alternating rounds; load %s)", indexRounds, load()),
		"pages", "program", "number", "chunks", "CPU, ms a page", "to the other", "ms a page", "KB written a page",
		"KB of file a page")
	for _, kind := range []string{"generated", "documentation"} {
		if err := b.indexKind(kind, programs); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// compared returns the executables to compare: this one, and the one of the flag -against if there is one.
func (b *bench) compared() (programs []string, err error) {
	own, err := os.Executable()
	if programs = append(programs, own); b.against != "" {
		programs = append(programs, b.against)
	}
	return programs, err
}

// programNames are the names of the compared programs in tables.
var programNames = []string{"this", "the other"}

func (b *bench) indexKind(kind string, programs []string) error {
	all := make([][]indexed, len(programs))
	for range indexRounds {
		for i, exe := range programs {
			var x indexed
			profile := b.profile
			if i > 0 {
				profile = ""
			}
			if err := b.againBy(exe, &x, "index-pages", kind, b.dir, profile); err != nil {
				return err
			}
			all[i] = append(all[i], x)
		}
	}
	medians := make([]indexed, len(programs))
	for i, rounds := range all {
		slices.SortFunc(rounds, func(a, b indexed) int { return int(a.CPU - b.CPU) })
		medians[i] = rounds[len(rounds)/2]
	}
	other := medians[len(medians)-1]
	for i, x := range medians {
		perPage := func(d time.Duration) string { return fmt.Sprintf("%.3f", ms(d)/float64(x.Pages)) }
		kb := func(n int64) float64 { return float64(n) / 1000 / float64(x.Pages) }
		row(kind, programNames[i], x.Pages, x.Chunks, perPage(x.CPU), float64(x.CPU)/float64(other.CPU), perPage(x.Took),
			kb(x.Written), kb(x.File))
	}
	return nil
}

// asking runs the same queries with this program and that of the flag -against, in turn, each on an index that it
// wrote. Without the flag, it does nothing.
func (b *bench) asking() error {
	programs, err := b.compared()
	if err != nil || len(programs) < 2 {
		return err
	}
	all := make([]map[string][]time.Duration, len(programs))
	for range indexRounds {
		for i, exe := range programs {
			var times map[string][]time.Duration
			path := b.temp(fmt.Sprintf("compared-%d.db", i))
			if err := b.againBy(exe, &times, "ask-index", path, strconv.Itoa(min(comparedSize, b.largest))); err != nil {
				return err
			}
			if all[i] == nil {
				all[i] = map[string][]time.Duration{}
			}
			for kind, t := range times {
				all[i][kind] = append(all[i][kind], t...)
			}
		}
	}
	section(fmt.Sprintf("Queries among %s chunks, while the index is written to (%d alternating rounds; load %s)",
		thousands(min(comparedSize, b.largest)), indexRounds, load()),
		"query", "this: processor time, median, p95 (ms)", "the other", "median to the other's", "p95 to the other's")
	ratio := func(kind string, of int) float64 {
		return float64(percentile(all[0][kind], of)) / float64(percentile(all[1][kind], of))
	}
	for _, kind := range askedKinds {
		row(kind.name, medianAndP95(all[0][kind.name]), medianAndP95(all[1][kind.name]), ratio(kind.name, 50),
			ratio(kind.name, 95))
	}
	return nil
}

// load returns the load average of the last minute.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg") // empty on systems without it
	return string(text[:min(4, len(text))])
}

// indexPages writes pages of a kind to an empty index. It is done in a process of its own.
func indexPages(ctx context.Context, args []string) (any, error) {
	kind, dir, profile := args[0], args[1], args[2]
	pages, err := preparedPages(kind)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("indexed-%d.db", os.Getpid()))
	ix, err := sqlitesearch.Open(path, sqlitesearch.Options{})
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	if err := ix.Create(ctx); err != nil {
		return nil, err
	}
	x := indexed{Pages: len(pages)}
	for _, p := range pages {
		x.Chunks += len(p.Chunks)
	}
	debug.SetGCPercent(gcPercent)
	runtime.GC()
	if profile != "" {
		stop, err := profiled(profile + "." + kind)
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	written := writtenBytes("self")
	s, err := measure(nil, func() error { return putJobs(ctx, ix, pages) })
	x.CPU, x.Took, x.Written = s.cpu, s.Duration, writtenBytes("self")-written
	if err := errors.Join(err, ix.Close()); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err == nil {
		x.File = info.Size()
	}
	return x, err
}

func putJobs(ctx context.Context, ix *sqlitesearch.Index, pages []search.Page) error {
	for job := range slices.Chunk(pages, ofJob) {
		if err := ix.Put(ctx, job...); err != nil {
			return err
		}
	}
	return nil
}

// profiled writes a profile of the processor time until stop is called.
func profiled(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // a profile that is incomplete cannot be read
	}, pprof.StartCPUProfile(f)
}

// writtenBytes returns how many bytes a process, named as below /proc, has had written to disk. It is 0 on systems
// without /proc.
func writtenBytes(pid string) (n int64) {
	text, _ := os.ReadFile("/proc/" + pid + "/io")
	_, rest, _ := strings.Cut(string(text), "\nwrite_bytes: ")
	_, _ = fmt.Sscan(rest, &n)
	return n
}

// preparedPages returns pages as a crawl puts them into the index.
func preparedPages(kind string) (pages []search.Page, err error) {
	bodies := generatedPages(1500)
	if kind != "generated" {
		if bodies, err = docPages(1500); err != nil {
			return nil, err
		}
	}
	for i, body := range bodies {
		p, _, err := indexedPage(fmt.Sprintf("https://docs.example/page/%d", i), "text/html; charset=utf-8", body)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// generatedPages returns the pages of a site.
func generatedPages(n int) (bodies [][]byte) {
	s := &site{}
	for i := range n {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, fmt.Sprintf("http://docs.example/page/%d", i), nil))
		bodies = append(bodies, w.Body.Bytes())
	}
	return bodies
}

// askIndex asks the queries of each kind of an index of documents, which it writes first if there is none. It returns
// their processor times, which other work on the machine changes less.
func askIndex(ctx context.Context, args []string) (any, error) {
	path := args[0]
	chunks, err := strconv.Atoi(args[1])
	if err != nil {
		return nil, err
	}
	docs, err := documents(ctx)
	if err != nil {
		return nil, err
	}
	b, c := &bench{ctx: ctx}, newCorpus(docs)
	if _, err := os.Stat(path); err != nil {
		if err := b.grow(path, c, chunks, &sized{}, &dump{}); err != nil {
			return nil, err
		}
	}
	runtime.LockOSThread() // so that its processor time is that of the queries
	return b.ask(path, newCorpus(docs), threadTime)
}
