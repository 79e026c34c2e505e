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

// document is the row of a sitemap or feed. It contains the state between polls.
type document struct {
	RowVersion   int             `col:"rowVersion"`
	URL          string          `col:"url"`
	ETag         string          `col:"etag"` // empty unless the whole document was processed, like the next three
	LastModified string          `col:"lastModified"`
	FinalURL     string          `col:"finalUrl"`
	Body         string          `col:"body"`  // digest of the document's bytes
	Rules        string          `col:"rules"` // digest of the site file's rules for the document
	CheckedAt    time.Time       `col:"checkedAt"`
	Maps         []discover.Link `col:"maps,parts"` // further sitemaps that the document lists
	Addresses    int             `col:"addresses"`
	Packed       []byte          `col:"seen,parts"`
	Step         int64           `col:"step"` // the site's step at which the document was written
	seen         seen
}

var documents = row.Of[document]()

// seen has the processed addresses of a document. It maps the digest of an address to the address's lastmod in
// seconds; 0 for none.
type seen map[uint64]uint32

// maxMapsBytes bounds the size of the sitemaps that are remembered of an index, in bytes of JSON.
const maxMapsBytes = 100_000

// docHash returns a key that identifies a document within its site.
func docHash(url string) string { return fmt.Sprintf("%016x", xxhash.Sum64String(url)) }

func docKey(slug, url string) storage.Key { return key(docRows + slug + "|" + docHash(url)) }

// loadDocument reads the row of a document. It returns an empty document when there is no row, or when the row was
// written under other rules.
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

// op returns the operation that writes the document. It belongs to the transaction that ends a step of the document's
// site.
func (d *document) op(st *state) storage.Op {
	d.Step, d.Addresses, d.Packed = st.Step, len(d.seen), d.seen.pack()
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: docKey(st.Slug, d.URL),
		Props: documents.Encode(d)}}
}

// forget clears the validators and the digest of the document, so that the next poll reads the document again.
func (d *document) forget() { d.ETag, d.LastModified, d.Body = "", "", "" }

// entryBytes is the size of one processed address in a row.
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

// rulesOf returns a digest of the rules that decide which addresses of a document are wanted. If the digest changes,
// addresses that were excluded before may now be wanted.
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

// forgetAfter is how long a document is remembered after the last poll that read it. refreshAfter is how often an
// unchanged document records that it was read.
const (
	forgetAfter  = 30 * 24 * time.Hour
	refreshAfter = 7 * 24 * time.Hour
)

// dropDocuments removes the documents that polls no longer find. If they stayed, a site whose sitemaps have a date in
// their names would leave one document a day. If there is nothing to remove, it costs one query.
func (s *Service) dropDocuments(ctx context.Context, slug string) error {
	q := s.polls.Prefix(docRows + slug + "|")
	q.Select = []string{"checkedAt"}
	return run.Drop(ctx, s.polls.Table, q, func(e storage.Entity) bool {
		d, err := documents.Decode(e.Props)
		return err == nil && s.polls.Now().Sub(d.CheckedAt) > forgetAfter
	})
}
