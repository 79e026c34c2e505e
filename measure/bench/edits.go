package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/embed"
)

// way is a way to index an edited document.
type way struct {
	name   string
	chunks func(search.Page, []extract.Block) []search.Chunk
	all    bool // index each version as if no earlier version were known
}

var ways = []way{
	{"Tidemark", func(p search.Page, _ []extract.Block) []search.Chunk { return p.Chunks }, false},
	{"packed below each heading", func(_ search.Page, b []extract.Block) []search.Chunk { return packed(b, true) }, false},
	{"packed through the page", func(_ search.Page, b []extract.Block) []search.Chunk { return packed(b, false) }, false},
	{"the whole page again", func(p search.Page, _ []extract.Block) []search.Chunk { return p.Chunks }, true},
}

// work is the cost of an edit.
type work struct {
	embedded                int // number of tokens embedded
	upserted, deleted, uids int // numbers of chunks
}

// documents returns how many documents of the index are written. The document of the page itself, which is always
// written, does not count.
func (w work) documents() int { return w.upserted + w.deleted + w.uids }

// An edit is a version of a document that follows another.
type edit struct {
	tokens int // number of tokens in the edited lines
	chunks int // number of chunks in the page
	works  []work
}

// edits reports how much is written to the index, and how many tokens are embedded, when documents are edited.
func (b *bench) edits() error {
	docs, err := documents(b.ctx)
	if err != nil {
		return err
	}
	all, err := editsOf(docs)
	if err != nil {
		return err
	}
	printEdits(all, len(docs))
	printSizes(all)
	return nil
}

// editsOf indexes the versions of all documents in order. The first version of a document does not count as an edit.
func editsOf(docs []revised) (all []edit, err error) {
	known := make([]map[string]bool, len(ways)) // for each way, the texts that have a vector
	for i := range known {
		known[i] = map[string]bool{}
	}
	for _, d := range docs {
		held := make([]*search.Contents, len(ways))
		for n, body := range d.bodies {
			p, blocks, err := d.page(body)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.path, err)
			}
			e := edit{chunks: len(p.Chunks)}
			for i, way := range ways {
				page := p
				page.Chunks = way.chunks(p, blocks)
				if way.all {
					clear(known[i])
				}
				e.works = append(e.works, put(held[i], page, known[i], way.all))
				held[i] = page.Contents()
			}
			if n > 0 {
				e.tokens = editedTokens(string(d.bodies[n-1]), string(body))
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// page returns a version as a crawl would index it.
func (d revised) page(body []byte) (search.Page, []extract.Block, error) {
	return indexedPage("https://docs.example/"+d.module+"/"+d.path, "text/markdown; charset=utf-8", body)
}

// indexedPage returns a page as a crawl would index it, and its blocks.
func indexedPage(url, contentType string, body []byte) (search.Page, []extract.Block, error) {
	rules := source.DefaultRules()
	src, err := rules.ParseURL(url)
	if err != nil {
		return search.Page{}, nil, err
	}
	doc, err := web.Extract(body, contentType, src.Normalized, extract.Limits{})
	if err != nil {
		return search.Page{}, nil, err
	}
	it := &registry.Item{
		Identity: registry.Identity{ID: src.ID(), DisplaySource: src.Display, SourceHost: src.Host},
		Seen:     registry.Seen{Language: doc.Language},
	}
	e := index.Prepare(it, chunk.Name{}, doc, index.Images(it.ID, doc, rules), time.Time{})
	return e.Page, doc.Blocks, nil
}

// put counts the documents that search.Index.Put would write for a page's chunks, given what the index already holds.
// It also counts the tokens of the texts that are not known yet, and then adds these texts to the known ones.
func put(held *search.Contents, p search.Page, known map[string]bool, all bool) (w work) {
	if held == nil {
		held = &search.Contents{}
	}
	want := p.Contents()
	for _, c := range p.Chunks {
		if text := embed.Text(c); !known[text] {
			known[text] = true
			w.embedded += chunk.Tokens(text)
		}
		uid, there := held.Chunks[c.Key]
		switch {
		case all || !there || held.Fields != want.Fields:
			w.upserted++
		case uid != c.UID:
			w.uids++
		}
	}
	for key := range held.Chunks {
		if _, stays := want.Chunks[key]; !stays {
			w.deleted++
		}
	}
	return w
}

// printEdits prints a comparison of the ways over all edits.
func printEdits(all []edit, docs int) {
	edited := figures(all, func(e edit) int { return e.tokens })
	section(fmt.Sprintf("What an edit costs (%d edits of %d documents; pages of %.0f chunks)", len(all), docs,
		figures(all, func(e edit) int { return e.chunks }).mean),
		"way", "tokens embedded: median", "p90", "mean", "to those edited", "chunks written: "+
			"median", "p90", "mean", "upserted", "deleted", "uid alone")
	row("what was edited", edited.median, edited.p90, whole(edited.mean), 1.0, "", "", "", "", "", "")
	for i, way := range ways {
		t := figures(all, func(e edit) int { return e.works[i].embedded })
		d := figures(all, func(e edit) int { return e.works[i].documents() })
		mean := func(of func(work) int) float64 {
			return figures(all, func(e edit) int { return of(e.works[i]) }).mean
		}
		uids := any(mean(func(w work) int { return w.uids }))
		if ways[i].packs() {
			uids = "–"
		}
		row(way.name, t.median, t.p90, whole(t.mean), t.mean/edited.mean, d.median, d.p90, d.mean,
			mean(func(w work) int { return w.upserted }), mean(func(w work) int { return w.deleted }), uids)
	}
}

// editSizes are the bounds, in tokens, between the table's rows for edits of different size.
var editSizes = []int{0, 50, 400, 2000, 1 << 30}

// printSizes compares the ways for small and large edits.
func printSizes(all []edit) {
	columns := []string{"tokens edited", "edits", "mean"}
	for _, way := range ways {
		columns = append(columns, way.name+": tokens embedded", "chunks written")
	}
	section("Edits by size (means)", columns...)
	from := 0
	for _, to := range editSizes {
		some := slices.DeleteFunc(slices.Clone(all), func(e edit) bool { return e.tokens < from || e.tokens > to })
		if len(some) > 0 {
			cells := []any{sizes(from, to), len(some), whole(figures(some, func(e edit) int { return e.tokens }).mean)}
			for i := range ways {
				cells = append(cells, whole(figures(some, func(e edit) int { return e.works[i].embedded }).mean),
					figures(some, func(e edit) int { return e.works[i].documents() }).mean)
			}
			row(cells...)
		}
		from = to + 1
	}
}

func sizes(from, to int) string {
	switch {
	case to == 0:
		return "none: deleted or moved"
	case to == 1<<30:
		return fmt.Sprintf("from %d", from)
	}
	return fmt.Sprintf("%d to %d", from, to)
}

func whole(f float64) string { return fmt.Sprintf("%.0f", f) }

// A summary summarizes a list of numbers.
type summary struct {
	median, p90 int
	mean        float64
}

func figures(all []edit, of func(edit) int) (s summary) {
	numbers := make([]int, len(all))
	for i, e := range all {
		numbers[i] = of(e)
		s.mean += float64(numbers[i]) / float64(len(all))
	}
	s.median, s.p90 = percentile(numbers, 50), percentile(numbers, 90)
	return s
}
