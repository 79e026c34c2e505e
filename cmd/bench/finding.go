package main

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// indexSizes are the chunks at which the index is measured.
var indexSizes = []int{1_000, 10_000, 100_000}

// absent is a word that no document has: with it, no chunk has all the words of a query, and any
// will do.
const absent = "qxzzyqx"

// asked are queries of one kind.
type asked struct {
	name    string
	queries []string
	vector  bool
}

var askedKinds = []asked{
	{name: "a word", queries: []string{"tombstones", "kubernetes", "subcommand", "histogram", "alertmanager"}},
	{name: "a phrase", queries: []string{`"remote write"`, `"service discovery"`, `"recording rules"`, `"time series"`}},
	{name: "a prefix", queries: []string{"tomb*", "kube*", "histog*", "comple*"}},
	{name: "two words", queries: []string{"remote storage", "query range", "label values", "memory usage"}},
	{name: "either of two words", queries: []string{"tombstones kubernetes " + absent, "subcommand histogram " + absent}},
	{name: "a word that is everywhere", queries: []string{"the", "prometheus", "to"}},
	{name: "either of two that are everywhere", queries: []string{"the prometheus " + absent, "to a " + absent}},
	{name: fmt.Sprintf("a word, and a vector of %d numbers", dimensions),
		queries: []string{"tombstones", "kubernetes", "subcommand"}, vector: true},
}

// search measures the embedded index at several sizes.
func (b *bench) search() error {
	docs, err := documents(b.ctx)
	if err != nil {
		return err
	}
	path, corpus := b.temp("search.db"), newCorpus(docs)
	var all []sized
	for i, n := range indexSizes {
		s := sized{chunks: n}
		if i > 0 {
			s = sized{chunks: n, bytes: all[i-1].bytes, texts: all[i-1].texts}
			n -= indexSizes[i-1]
		}
		if err := b.grow(path, corpus, n, &s); err != nil {
			return err
		}
		if s.queries, err = b.ask(path, corpus); err != nil {
			return err
		}
		all = append(all, s)
	}
	tellQueries(all)
	tellIndexes(all, len(corpus.bodies))
	return nil
}

// sized is an index of some size.
type sized struct {
	chunks, pages int
	texts         int   // bytes of what is searched
	bytes         int64 // of the file
	vectors       int64 // of these
	rate          float64
	queries       []askedTimes
}

// grow puts more pages into the index, a batch at a time as a crawl does, and tells its size.
func (b *bench) grow(path string, c *corpus, chunks int, s *sized) error {
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
		var batch []search.Page
		for len(batch) < 32 && left > 0 {
			p, err := c.page(left)
			if err != nil {
				return err
			}
			left -= len(p.Chunks)
			for _, chunk := range p.Chunks {
				s.texts += len(chunk.Heading) + len(chunk.Text)
			}
			batch = append(batch, p)
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

// weigh closes the index and tells how large its file is.
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
	return db.QueryRowContext(b.ctx, "SELECT sum(pgsize) FROM dbstat WHERE name = 'vectors'").Scan(&s.vectors)
}

// askedTimes are the times of queries of one kind, without facets and with.
type askedTimes struct {
	pages         int // found by the first query
	plain, facets []time.Duration
}

// ask asks all queries in turns.
func (b *bench) ask(path string, c *corpus) (all []askedTimes, err error) {
	ix, err := sqlitesearch.Open(path, sqlitesearch.Options{})
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	rng := rand.New(rand.NewPCG(3, 4)) // not the corpus's own: how often it is asked follows the clock
	for _, kind := range askedKinds {
		var t askedTimes
		for began, n := time.Now(), 0; n < leastAsked || n < mostAsked && time.Since(began) < askedTime; n++ {
			q := search.Query{Text: kind.queries[n/2%len(kind.queries)], Top: 10, Now: c.now, Facets: n%2 == 1}
			if kind.vector {
				q.Vector = vectorOf(rng)
			}
			began := time.Now()
			res, err := ix.Search(b.ctx, q)
			took := time.Since(began)
			switch {
			case err != nil:
				return nil, err
			case res.Count == 0:
				return nil, fmt.Errorf("nothing found for %s", q.Text)
			case q.Facets:
				t.facets = append(t.facets, took)
			default:
				t.plain = append(t.plain, took)
			}
			if n == 0 {
				t.pages = res.Count
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// A kind of queries is asked for askedTime, but not more or less often than this.
const (
	leastAsked, mostAsked = 60, 400
	askedTime             = 3 * time.Second
)

func tellQueries(all []sized) {
	columns := []string{"query"}
	for _, s := range all {
		columns = append(columns, fmt.Sprintf("%s chunks: median, p95 (ms)", thousands(s.chunks)))
	}
	columns = append(columns, fmt.Sprintf("%s to %s", thousands(all[1].chunks), thousands(all[0].chunks)),
		fmt.Sprintf("%s to %s", thousands(all[2].chunks),
			thousands(all[0].chunks)), "with facets: "+
			""+thousands(all[0].chunks), thousands(all[1].chunks), thousands(all[2].chunks))
	section("Queries of the embedded index", columns...)
	for i, kind := range askedKinds {
		cells := []any{kind.name}
		var ratios, facets []any
		for n, s := range all {
			t := s.queries[i]
			cells = append(cells, medianAndP95(t.plain))
			facets = append(facets, medianAndP95(t.facets))
			if n > 0 {
				ratios = append(ratios, float64(percentile(t.plain, 50))/float64(percentile(all[0].queries[i].plain, 50)))
			}
		}
		row(append(append(cells, ratios...), facets...)...)
	}
}

func tellIndexes(all []sized, versions int) {
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
	ms := func(p int) float64 { return float64(percentile(times, p).Microseconds()) / 1000 }
	return fmt.Sprintf("%.1f, %.1f", ms(50), ms(95))
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
