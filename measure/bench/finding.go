package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// indexSizes are the numbers of chunks at which the index is measured. The flag -chunks sets the largest.
var indexSizes = []int{1_000, 10_000, 100_000, 1_000_000}

// bleveSize is the number of chunks that bleve indexes, which takes minutes.
const bleveSize = 100_000

// search measures the embedded index at several sizes, with bleve as the baseline.
func (b *bench) search() error {
	docs, err := documents(b.ctx)
	if err != nil {
		return err
	}
	path, corpus := b.temp("search.db"), newCorpus(docs)
	versions := len(corpus.bodies)
	dump, err := b.newDump(corpus)
	if err != nil {
		return err
	}
	defer dump.file.Close()
	var all []sized
	for _, n := range indexSizes {
		if n > b.largest {
			break
		}
		s := sized{chunks: n}
		if len(all) > 0 {
			last := all[len(all)-1]
			s.bytes, s.texts = last.bytes, last.texts
			n -= last.chunks
		}
		if err := b.grow(path, corpus, n, &s, dump); err != nil {
			return err
		}
		if s.queries, err = b.ask(path, corpus, sinceStart); err != nil {
			return err
		}
		if s.agree, err = b.agree(path, corpus); err != nil {
			return err
		}
		all = append(all, s)
	}
	printIndexes(all, versions)
	if err := dump.close(); err != nil {
		return err
	}
	bleve, err := b.bleve(dump)
	if err != nil {
		return err
	}
	printQueries(all, bleve)
	printAgreement(all)
	return nil
}

// sized is the result for an index of one size.
type sized struct {
	chunks, pages int
	texts         int   // bytes of text that can be searched
	bytes         int64 // size of the index file
	vectors       int64 // bytes of the file that the vectors need
	rate          float64
	queries       map[string][]time.Duration // durations of the queries, by kind
	agree         map[string]float64
}

// dump is the corpus in a form that another program reads.
type dump struct {
	file   *os.File
	to     *bufio.Writer
	left   int
	asked  string // file with the queries
	chunks int
}

// newDump writes the queries, and prepares the file for the chunks.
func (b *bench) newDump(c *corpus) (d *dump, err error) {
	d = &dump{asked: b.temp("queries.jsonl"), left: min(bleveSize, b.largest)}
	if d.file, err = os.Create(b.temp("chunks.jsonl")); err != nil {
		return nil, err
	}
	d.to = bufio.NewWriter(d.file)
	var lines strings.Builder
	for _, kind := range askedKinds {
		for _, q := range c.queries(kind) {
			line, _ := json.Marshal(map[string]any{"kind": kind.name, "q": q.Text, "host": q.Host, "facets": q.Facets})
			lines.Write(append(line, '\n'))
		}
	}
	return d, os.WriteFile(d.asked, []byte(lines.String()), 0o644)
}

func (d *dump) add(p search.Page) {
	for _, c := range p.Chunks {
		if d.left == 0 {
			return
		}
		d.left--
		d.chunks++
		line, _ := json.Marshal(map[string]string{"id": p.ID + "/" + c.Key, "host": p.Host, "title": p.Title,
			"heading": c.Heading, "body": c.Text})
		d.to.Write(append(line, '\n')) // the writer keeps an error until the flush
	}
}

func (d *dump) close() error {
	if err := d.to.Flush(); err != nil {
		return err
	}
	return d.file.Close()
}

// bleve runs bleve in a separate module, which indexes the chunks and answers the queries.
func (b *bench) bleve(d *dump) (s sized, err error) {
	exe := b.temp("bleve")
	build := exec.CommandContext(b.ctx, "go", "build", "-o", exe, "./bleve")
	build.Dir, build.Stderr = "testing/baselines", os.Stderr
	if err := build.Run(); err != nil {
		return s, err
	}
	run := exec.CommandContext(b.ctx, exe, d.file.Name(), d.asked, b.temp("bleve.index"))
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		return s, err
	}
	var told struct {
		Seconds float64
		Bytes   int64
		Times   map[string][]time.Duration
	}
	err = json.Unmarshal(out, &told)
	return sized{chunks: d.chunks, bytes: told.Bytes, rate: float64(d.chunks) / told.Seconds, queries: told.Times}, err
}

// grow adds pages to the index, in batches as a crawl does, until the index has the given number of chunks. It
// records the size of the index in s.
func (b *bench) grow(path string, c *corpus, chunks int, s *sized, d *dump) error {
	ix, err := sqlitesearch.Open(path, sqlitesearch.Options{})
	if err != nil {
		return err
	}
	defer ix.Close()
	if err := ix.Create(b.ctx); err != nil {
		return err
	}
	var took time.Duration
	for left := chunks; left > 0; {
		batch, err := c.batch(32, &left)
		if err != nil {
			return err
		}
		for _, p := range batch {
			d.add(p)
			for _, chunk := range p.Chunks {
				s.texts += len(chunk.Heading) + len(chunk.Text)
			}
		}
		began := time.Now()
		if err := ix.Put(b.ctx, batch...); err != nil {
			return err
		}
		took += time.Since(began)
	}
	s.rate = float64(chunks) / took.Seconds()
	if s.pages, err = ix.Count(b.ctx); err != nil {
		return err
	}
	return b.weigh(path, ix, s)
}

// batch returns n pages, or fewer when no more chunks are left. It subtracts the number of their chunks from *left.
func (c *corpus) batch(n int, left *int) (batch []search.Page, err error) {
	for len(batch) < n && *left > 0 {
		p, err := c.page(*left)
		if err != nil {
			return nil, err
		}
		*left -= len(p.Chunks)
		batch = append(batch, p)
	}
	return batch, nil
}

// weigh closes the index and reports the size of its file.
func (b *bench) weigh(path string, ix *sqlitesearch.Index, s *sized) error {
	if err := ix.Close(); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	s.bytes = info.Size()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.QueryRowContext(b.ctx, "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = 'vectors'").Scan(&s.vectors)
}

// sinceStart is the time on a clock that runs on while others have the processor.
func sinceStart() time.Duration { return time.Since(started) }

var started = time.Now()

// ask runs all queries, kind by kind, while pages are written to the index as a crawl would. The clock tells how long
// each takes.
func (b *bench) ask(path string, c *corpus, clock func() time.Duration) (map[string][]time.Duration, error) {
	ix, err := sqlitesearch.Open(path, sqlitesearch.Options{})
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	ctx, stop := context.WithCancel(b.ctx)
	var writer sync.WaitGroup
	writer.Go(func() { rewrite(ctx, ix, c) })
	defer writer.Wait()
	defer stop()
	all := map[string][]time.Duration{}
	for _, kind := range askedKinds {
		queries := c.queries(kind)
		if _, err := ix.Search(b.ctx, queries[0]); err != nil {
			return nil, err
		}
		for began, n := time.Now(), 0; n < len(queries) && time.Since(began) < askedTime; n++ {
			asked := clock()
			if _, err := ix.Search(b.ctx, queries[n]); err != nil {
				return nil, fmt.Errorf("%s: %w", queries[n].Text, err)
			}
			all[kind.name] = append(all[kind.name], clock()-asked)
		}
	}
	return all, nil
}

// rewrite writes the same pages again and again, each time with another word in one of eight chunks.
func rewrite(ctx context.Context, ix *sqlitesearch.Index, c *corpus) {
	own := newCorpus(nil)
	own.bodies, own.now = c.bodies, c.now
	left := 200
	pages, err := own.batch(4, &left)
	for n := 0; err == nil && ctx.Err() == nil; n++ {
		for i := range pages {
			for j := n % 8; j < len(pages[i].Chunks); j += 8 {
				chunk := &pages[i].Chunks[j]
				chunk.Text, chunk.Key = fmt.Sprintf("%s edit%d", chunk.Text, n), fmt.Sprintf("edit-%d-%d", n, j)
			}
			pages[i].ID = fmt.Sprintf("edited-%d", i)
		}
		_ = ix.Put(ctx, pages...) // Put fails when the benchmark ends
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func printQueries(all []sized, bleve sized) {
	columns := []string{"query"}
	for _, s := range all {
		columns = append(columns, fmt.Sprintf("%s chunks: median, p95 (ms)", thousands(s.chunks)))
	}
	section("Queries of the embedded index, while it is written to",
		append(columns, fmt.Sprintf("bleve, %s chunks", thousands(bleve.chunks)), "p95 to bleve's")...)
	for _, kind := range askedKinds {
		cells := []any{kind.name}
		ratio := any("–")
		for _, s := range all {
			cells = append(cells, medianAndP95(s.queries[kind.name]))
			if theirs := bleve.queries[kind.name]; s.chunks == bleve.chunks && len(theirs) > 0 {
				ratio = float64(percentile(s.queries[kind.name], 95)) / float64(percentile(theirs, 95))
			}
		}
		row(append(cells, medianAndP95(bleve.queries[kind.name]), ratio)...)
	}
	fmt.Printf("\nBleve wrote %s chunks a second into %.0f MB.\n", perSecondText(bleve.rate), float64(bleve.bytes)/1e6)
}

func printIndexes(all []sized, versions int) {
	section(fmt.Sprintf("Size of the embedded index (%d versions of documents, then variations of them)", versions),
		"chunks", "pages", "text, MB", "file, MB", "vectors in it", "file without vectors to text", "chunks written per "+
			"second", "file to that of "+thousands(all[0].chunks))
	for _, s := range all {
		mb := func(n int64) float64 { return float64(n) / 1e6 }
		row(thousands(s.chunks), s.pages, mb(int64(s.texts)), mb(s.bytes), mb(s.vectors),
			float64(s.bytes-s.vectors)/float64(s.texts), perSecondText(s.rate), float64(s.bytes)/float64(all[0].bytes))
	}
}

func medianAndP95(times []time.Duration) string {
	if len(times) == 0 {
		return "–"
	}
	ms := func(p int) float64 { return float64(percentile(times, p).Microseconds()) / 1000 }
	return fmt.Sprintf("%.1f, %.1f", ms(50), ms(95))
}

func thousands(n int) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%d,%03d,%03d", n/1_000_000, n/1000%1000, n%1000)
	}
	return strings.TrimPrefix(fmt.Sprintf("%d,%03d", n/1000, n%1000), "0,")
}
