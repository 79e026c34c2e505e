package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// stored crawls the documents of each type and reports how much of them is stored permanently. The size of rows is
// the one that Azure Tables bills. An item's row in the registry does not count, because it does not grow.
func (b *bench) stored() error {
	section("Bytes stored for each first capture", "type", "captures", "body", "blob", "rows", "blob to body",
		"all to body")
	for _, k := range kinds {
		samples, err := k.samples()
		if err != nil {
			return err
		}
		got, err := b.storedOf(samples)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		body, n := float64(size(samples)), len(samples)
		row(k.name, n, size(samples)/n, got.blobs/n, got.rows/n, float64(got.blobs)/body, float64(got.blobs+got.rows)/body)
	}
	return nil
}

// kept is the size of all captures in a store, in bytes: in blobs and in rows.
type kept struct{ blobs, rows int }

func (b *bench) storedOf(samples []sample) (kept, error) {
	pages := map[string]sample{}
	for _, s := range samples {
		pages["/"+s.path] = s
	}
	server, port, err := serve(library(pages))
	if err != nil {
		return kept{}, err
	}
	defer server.Close()
	var urls []string
	for path := range pages {
		urls = append(urls, fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
	}
	store := mem.New(time.Now)
	c, err := b.assemble(store, fmt.Sprintf("stored%d", port))
	if err != nil {
		return kept{}, err
	}
	defer c.Index.Close()
	if err := errors.Join(c.register(urls), c.crawl()); err != nil {
		return kept{}, err
	}
	return keptIn(b.ctx, store, len(samples))
}

// A library serves documents by path.
type library map[string]sample

func (l library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s, found := l[r.URL.Path]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", s.contentType)
	_, _ = w.Write(s.body) // the crawler reports the error
}

// keptIn adds up the snapshots of a store. It returns an error if their number is not the wanted one.
func keptIn(ctx context.Context, store storage.Store, want int) (k kept, err error) {
	for _, table := range []string{snapshot.CapturesTable, snapshot.RefsTable} {
		for e, err := range store.Table(table).Query(ctx, storage.Query{}) {
			if err != nil {
				return k, err
			}
			k.rows += storage.EntitySize(e)
		}
	}
	blobs := store.Container(snapshot.Container)
	n := 0
	for name, err := range blobs.List(ctx, "") {
		if err != nil {
			return k, err
		}
		b, err := blobs.Get(ctx, name)
		if err != nil {
			return k, err
		}
		n++
		k.blobs += len(b.Body)
	}
	if n != want {
		return k, fmt.Errorf("%d of %d documents were kept", n, want)
	}
	return k, nil
}
