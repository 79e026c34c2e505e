package sentinel

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/storage"
)

// document is what is remembered of a sitemap or feed between looks.
type document struct {
	URL                          string
	ETag, LastModified, FinalURL string // empty unless all of it was dealt with
	Body                         string // digest of the bytes, likewise
	Rules                        string // digest of what the site file wanted of it
	CheckedAt                    time.Time
	Maps                         []discover.Link // further sitemaps that it names
	seen                         seen
	step                         int64 // of the site, that wrote it
}

// seen are the addresses of a document that were dealt with: digest to lastmod in seconds, 0 for none.
type seen map[uint64]uint32

// maxMapsBytes bounds the sitemaps that are remembered of an index, as JSON.
const maxMapsBytes = 100_000

// docHash names a document within a site.
func docHash(url string) string { return fmt.Sprintf("%016x", xxhash.Sum64String(url)) }

func docKey(slug, url string) storage.Key { return key(docRows + slug + "|" + docHash(url)) }

// loadDocument reads what is remembered. Of one that is not known, or was read for other rules,
// nothing is.
func (s *Service) loadDocument(ctx context.Context, found *site.Site, url string) (document, error) {
	fresh := document{URL: url, Rules: rulesOf(found), seen: seen{}}
	e, err := s.rows.Get(ctx, docKey(found.Slug, url))
	if fault.Is(err, fault.NotFound) {
		return fresh, nil
	}
	if err != nil {
		return fresh, err
	}
	text := func(name string) string { v, _ := e.Props[name].(string); return v }
	fresh.step, _ = e.Props["step"].(int64)
	if text("url") != url || text("rules") != fresh.Rules {
		return fresh, nil
	}
	d := document{
		URL: url, ETag: text("etag"), LastModified: text("lastModified"), FinalURL: text("finalUrl"), Body: text("body"),
		Rules: fresh.Rules, step: fresh.step, CheckedAt: storage.ParseTime(text("checkedAt")), seen: unpackSeen(getBytes(e.Props, "seen")),
	}
	if json.Unmarshal(getBytes(e.Props, "maps"), &d.Maps) != nil {
		d.Maps = nil
	}
	return d, nil
}

// op writes it with the end of a step of its site.
func (d *document) op(st *state) storage.Op {
	maps, _ := json.Marshal(d.Maps) // links always encode
	props := storage.Properties{
		"rowVersion": int64(1), "url": d.URL, "etag": d.ETag, "lastModified": d.LastModified, "finalUrl": d.FinalURL,
		"body": d.Body, "rules": d.Rules, "checkedAt": storage.FormatTime(d.CheckedAt), "addresses": int64(len(d.seen)), "step": st.step,
	}
	putBytes(props, "maps", maps)
	putBytes(props, "seen", d.seen.pack())
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: docKey(st.slug, d.URL), Props: props}}
}

// forget drops what would keep the next look from reading the document again.
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

// forgetAfter is how long a document that no look meets any more is remembered; refreshAfter is how
// often one that never changes says that it is still met.
const (
	forgetAfter  = 30 * 24 * time.Hour
	refreshAfter = 7 * 24 * time.Hour
)

// dropDocuments forgets those that are not met any more: a site that dates its sitemaps would
// leave one a day. It costs one query where there are none.
func (s *Service) dropDocuments(ctx context.Context, slug string) error {
	const most = 90 // operations of a transaction
	prefix := docRows + slug + "|"
	q := storage.Query{Partition: partition, RowFrom: prefix, RowTo: prefix[:len(prefix)-1] + afterBar, Select: []string{"checkedAt"}}
	var ops []storage.Op
	for e, err := range s.rows.Query(ctx, q) {
		if err != nil {
			return err
		}
		at, _ := e.Props["checkedAt"].(string)
		if s.now().Sub(storage.ParseTime(at)) > forgetAfter && len(ops) < most {
			ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: storage.AnyETag}})
		}
	}
	if len(ops) == 0 {
		return nil
	}
	_, err := s.rows.Transact(ctx, ops...)
	return err
}
