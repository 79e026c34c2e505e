package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// copying measures the first copy of 50,000 chunks by the feed of chunks, and beside it how long the same program takes
// to read the same changes from a file of JSON Lines.
func (b *bench) copying() (err error) {
	const pages, chunks, rounds = 2500, 20, 3
	data := b.temp("copying")
	if err := fillCopied(b.ctx, data, pages, chunks); err != nil {
		return err
	}
	p, err := b.startOn(data, "embedded")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	section(fmt.Sprintf("A copy of %d chunks by the feed (load %s)", pages*chunks, load()), "round", "requests", "MB",
		"copied in s", "from a file in s", "times")
	for round := range rounds {
		lines := b.temp("copied.jsonl")
		began := time.Now()
		requests, all, err := p.copyChunks()
		took := time.Since(began)
		if err == nil && len(all) != pages*chunks {
			err = fmt.Errorf("%d changes", len(all))
		}
		if err == nil {
			err = writeLines(lines, all)
		}
		if err != nil {
			return err
		}
		began = time.Now()
		size, err := readLines(lines)
		if err != nil {
			return err
		}
		file := time.Since(began)
		row(round+1, requests, float64(size)/1e6, took.Seconds(), file.Seconds(), took.Seconds()/file.Seconds())
	}
	return nil
}

// copyChunks reads the feed from its beginning until the copy is complete.
func (p *product) copyChunks() (requests int, all []api.ChunkChange, err error) {
	for q := (api.ChunkQuery{Top: 1000}); ; requests++ {
		got, err := api.FollowChunks.Call(p.b.ctx, p.client, q)
		if err != nil {
			return requests, all, err
		}
		all = append(all, got.Changes...)
		if q.Since = got.Cursor; !got.Copying {
			return requests + 1, all, nil
		}
	}
}

func writeLines(path string, all []api.ChunkChange) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, c := range all {
		err = errors.Join(err, enc.Encode(c))
	}
	return errors.Join(err, w.Flush(), f.Close())
}

func readLines(path string) (size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c api.ChunkChange
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return size, err
		}
		size += int64(len(lines.Bytes())) + 1
	}
	return size, lines.Err()
}

// fillCopied makes an index in a data folder.
func fillCopied(ctx context.Context, data string, pages, chunks int) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	ix, err := sqlitesearch.Open(filepath.Join(data, "index.db"), sqlitesearch.Options{})
	if err != nil {
		return err
	}
	defer ix.Close()
	if err := ix.Create(ctx); err != nil {
		return err
	}
	name, err := ix.Begun(ctx)
	for from := 0; from < pages && err == nil; from += ofJob {
		var some []search.Page
		for i := from; i < min(from+ofJob, pages); i++ {
			some = append(some, copiedPage(i, chunks))
		}
		err = ix.Put(ctx, some...)
	}
	return errors.Join(err, ix.Filled(ctx, name))
}

func copiedPage(i, chunks int) search.Page {
	p := search.Page{ID: fmt.Sprintf("url_%026d", i), URL: fmt.Sprintf("https://copied.example/%d", i), Type: "page",
		Host: "copied.example", Title: fmt.Sprintf("Page %d of the copy", i), Language: "en", IndexedAt: time.Now(),
		ChangedAt: time.Now(), Capture: "sha256:" + strings.Repeat("ab", 32)}
	for j := range chunks {
		p.Chunks = append(p.Chunks, search.Chunk{Key: fmt.Sprintf("chunk-%026d", i*chunks+j),
			UID:     fmt.Sprintf("ck64:v1:repo:%s:%016d:%016d", p.ID, i, j),
			Heading: fmt.Sprintf("Page %d of the copy › Part %d", i, j), Anchor: fmt.Sprintf("part-%d", j),
			Text: strings.Repeat(fmt.Sprintf("Sentence of part %d of page %d, by which its text is told apart. ", j, i), 12)})
	}
	return p
}
