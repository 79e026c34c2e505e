package sitepoll

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// document is the row of what is remembered of a sitemap or feed between polls.
type document struct {
	RowVersion   int             `col:"rowVersion"`
	URL          string          `col:"url"`
	ETag         string          `col:"etag"` // empty unless all of it was processed; the next three likewise
	LastModified string          `col:"lastModified"`
	FinalURL     string          `col:"finalUrl"`
	Body         string          `col:"body"`  // digest of the bytes
	Rules        string          `col:"rules"` // digest of what the site file wanted of it
	CheckedAt    time.Time       `col:"checkedAt"`
	Maps         []discover.Link `col:"maps,parts"` // further sitemaps that it names
	Addresses    int             `col:"addresses"`
	Packed       []byte          `col:"seen,parts"`
	Step         int64           `col:"step"` // of the site, that wrote it
	seen         seen
}

var documents = row.Of[document]()

// seen are the addresses of a document that were processed: digest to lastmod in seconds, 0 for none.
type seen map[uint64]uint32

// maxMapsBytes bounds the sitemaps that are remembered of an index, as JSON.
const maxMapsBytes = 100_000

// docHash names a document within a site.
func docHash(url string) string { return fmt.Sprintf("%016x", xxhash.Sum64String(url)) }

func docKey(slug, url string) storage.Key { return key(docRows + slug + "|" + docHash(url)) }

// loadDocument reads what is remembered. Of one that is not known, or was read for other rules,
// nothing is.
func (s *Service) loadDocument(ctx context.Context, found *site.Site, url string) (document, error) {
	d, _, err := documents.Load(ctx, s.polls.Table, docKey(found.Slug, url))
	if err != nil {
		return d, err
	}
	if rules := rulesOf(found); d.URL != url || d.Rules != rules {
		return document{RowVersion: 1, URL: url, Rules: rules, Step: d.Step, seen: seen{}}, nil
	}
	d.seen = unpackSeen(d.Packed)
	return d, nil
}

// op writes it with the end of a step of its site.
func (d *document) op(st *state) storage.Op {
	d.Step, d.Addresses, d.Packed = st.Step, len(d.seen), d.seen.pack()
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: docKey(st.Slug, d.URL),
		Props: documents.Encode(d)}}
}

// forget drops what would keep the next poll from reading the document again.
func (d *document) forget() { d.ETag, d.LastModified, d.Body = "", "", "" }

// entryBytes is what one address takes.
const entryBytes = 12

func (s seen) pack() []byte {
	out := make([]byte, 0, len(s)*entryBytes)
	for h, at := range s {
		out = binary.BigEndian.AppendUint64(out, h)
		out = binary.BigEndian.AppendUint32(out, at)
	}
	return out
}

func unpackSeen(b []byte) seen {
	out := make(seen, len(b)/entryBytes)
	for ; len(b) >= entryBytes; b = b[entryBytes:] {
		out[binary.BigEndian.Uint64(b)] = binary.BigEndian.Uint32(b[8:])
	}
	return out
}

// rulesOf is a digest of what decides which addresses of a document are wanted: when it changes,
// what was passed over before may be wanted now.
func rulesOf(found *site.Site) string {
	h := xxhash.New()
	fmt.Fprintln(h, found.Domain, found.Alternates)
	for _, p := range found.Include {
		fmt.Fprintln(h, "+", p)
	}
	for _, p := range found.Exclude {
		fmt.Fprintln(h, "-", p)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// forgetAfter is how long a document that no poll meets any more is remembered; refreshAfter is how
// often one that never changes says that it is still met.
const (
	forgetAfter  = 30 * 24 * time.Hour
	refreshAfter = 7 * 24 * time.Hour
)

// dropDocuments forgets those that are not met any more: a site that dates its sitemaps would
// leave one a day. It costs one query where there are none.
func (s *Service) dropDocuments(ctx context.Context, slug string) error {
	q := s.polls.Prefix(docRows + slug + "|")
	q.Select = []string{"checkedAt"}
	return run.Drop(ctx, s.polls.Table, q, func(e storage.Entity) bool {
		d, err := documents.Decode(e.Props)
		return err == nil && s.polls.Now().Sub(d.CheckedAt) > forgetAfter
	})
}
