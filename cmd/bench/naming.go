package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/chunk"
	"github.com/tidemark/tidemark/pkg/extract"
)

// What is done with the newest version of every document, in turns.
const (
	hashingNamed = iota // the baseline: what the names are hashes of
	naming
	hashingText // the baseline: the text, once
	splitting   // cut, and named by both names
	chunkWorks
)

// chunks measures the naming of chunks, and of all that Split does, against hashing the same bytes
// with the same hash.
func (b *bench) chunks() error {
	docs, err := documents(b.ctx)
	if err != nil {
		return err
	}
	var pages []named
	for _, d := range docs {
		p, err := d.named()
		if err != nil {
			return err
		}
		pages = append(pages, p)
	}
	tellChunks(pages, timedChunks(pages))
	return nil
}

// named is a document with what its names are made of.
type named struct {
	page  chunk.Page
	text  string
	texts map[string]chunk.Text
	spans []chunk.Span
	bytes string // hashed by naming: each chunk and what stands around it
}

// around is how much of either side a name follows, in UTF-16 code units (002 §4.2).
const around = 128

func (d revised) named() (n named, err error) {
	p, blocks, err := d.page(d.bodies[len(d.bodies)-1])
	if err != nil {
		return n, err
	}
	n.page = chunk.Page{ID: p.ID, Title: p.Title, Blocks: blocks}
	chunks, _ := chunk.Split(n.page)
	if n.text = extract.Join(blocks); n.text == "" {
		n.text = p.Title
	}
	text := chunk.NewText(n.text)
	n.texts = map[string]chunk.Text{p.ID: text}
	var all strings.Builder
	for _, c := range chunks {
		span := chunk.Span{File: p.ID, Start: c.Start, End: c.End, Kind: string(c.Kind), Name: c.Name}
		if c.Segment != nil {
			span.SegmentUID, span.LanguageID = c.Segment.UID, c.Segment.LanguageID
		}
		n.spans = append(n.spans, span)
		all.WriteString(text.Slice(max(0, c.Start-around), min(text.Len(), c.End+around)))
	}
	n.bytes = all.String()
	return n, nil
}

var chunkJobs = [chunkWorks]func(named){
	hashingNamed: func(n named) { xxhash.Sum64String(n.bytes) },
	naming:       func(n named) { chunk.UIDs(chunk.Namespace, n.texts, n.spans) },
	hashingText:  func(n named) { xxhash.Sum64String(n.text) },
	splitting:    func(n named) { chunk.Split(n.page) },
}

// taken is what a job took for all pages.
type taken struct {
	best          time.Duration
	objects, size uint64 // allocated
}

func timedChunks(pages []named) (all [chunkWorks]taken) {
	const rounds = 30
	for round := range rounds {
		for i, job := range chunkJobs {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			for _, p := range pages {
				job(p)
			}
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if round == 0 || took < all[i].best {
				all[i] = taken{took, after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
			}
		}
	}
	return all
}

func tellChunks(pages []named, all [chunkWorks]taken) {
	n, hashed, bytes := 0, 0, 0
	for _, p := range pages {
		n += len(p.spans)
		hashed += len(p.bytes)
		bytes += len(p.text)
	}
	section(fmt.Sprintf("Chunks (%d of %d documents, %.1f MB of text; best of alternating rounds)", n, len(pages), float64(bytes)/1e6),
		"work", "chunks per second", "MB per second", "to hashing the same bytes", "allocations for each", "bytes allocated for each")
	tell := func(name string, work, baseline, bytes int) {
		t := all[work]
		row(name, perSecondText(float64(n)/t.best.Seconds()), fmt.Sprintf("%.0f", float64(bytes)/t.best.Seconds()/1e6),
			float64(t.best)/float64(all[baseline].best), float64(t.objects)/float64(n), t.size/uint64(n))
	}
	tell("xxh64 of what the names are hashes of", hashingNamed, hashingNamed, hashed)
	tell("chunkUids, collisions looked for", naming, hashingNamed, hashed)
	tell("xxh64 of the text, once", hashingText, hashingText, bytes)
	tell("cut and named by both names", splitting, hashingText, bytes)
}
