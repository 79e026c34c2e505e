package written

import (
	"context"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	pagePrefix  = "p-"
	pagesEnd    = "p." // after all partitions of pages
	pageRowKey  = "page"
	chunkPrefix = "t-"
	// after is less than all characters of keys, so key+after is the least bound beyond a key.
	after = " "
	// maxBytes limits the estimated size of a transaction. The store refuses 4 MiB.
	maxBytes = 3 << 20
)

// keptPage is what is stored of a page.
type keptPage struct {
	URL, Host, Type, Title, Language string
	Tags                             []string  `json:",omitempty"`
	PublishedAt                      time.Time `json:",omitzero"`
	// These change with the contents. By themselves they are no difference of which followers are told.
	ChangedAt time.Time `json:",omitzero"`
	Capture   string    `json:",omitempty"`
	At        time.Time `json:",omitzero"` // when the page was put
}

// keptChunk is what is stored of a chunk, apart from its key.
type keptChunk struct {
	UID           string
	Heading, Text string
	Anchor, Zone  string `json:",omitempty"`
}

// The values are compressed, because Azure counts two bytes for each character of a text column.
type (
	pageRow struct {
		Page keptPage `col:"page,gzip,must"`
	}
	chunkRow struct {
		Chunk keptChunk `col:"chunk,gzip,must"`
	}
)

var (
	pageRows  = row.Of[pageRow]()
	chunkRows = row.Of[chunkRow]()
)

func keptPageOf(p search.Page) keptPage {
	return keptPage{URL: p.URL, Host: p.Host, Type: p.Type, Title: p.Title, Language: p.Language,
		Tags: p.Tags, PublishedAt: p.PublishedAt.UTC().Truncate(time.Second),
		ChangedAt: p.ChangedAt.UTC().Truncate(time.Second), Capture: p.Capture,
		At: p.IndexedAt.UTC().Truncate(time.Second)}
}

func (k keptPage) page(id string) search.Page {
	return search.Page{ID: id, URL: k.URL, Host: k.Host, Type: k.Type, Title: k.Title, Language: k.Language, Tags: k.Tags,
		PublishedAt: k.PublishedAt, ChangedAt: k.ChangedAt, Capture: k.Capture}
}

// shown returns the values whose change concerns all chunks of the page, in a form that can be compared: texts that are
// no UTF-8 are stored differently than they were given.
func (k keptPage) shown() string {
	k.ChangedAt, k.Capture, k.At = time.Time{}, "", time.Time{}
	return string(row.JSON(k))
}

// same reports whether the values are those that are stored.
func (k keptPage) same(as keptPage) bool {
	return k.shown() == as.shown() && k.ChangedAt.Equal(as.ChangedAt) && k.Capture == as.Capture
}

func keptChunkOf(c search.Chunk) keptChunk {
	return keptChunk{UID: c.UID, Heading: c.Heading, Text: c.Text, Anchor: c.Anchor, Zone: c.Zone}
}

// stored is what is stored of a page. Chunks are in the order of their keys.
type stored struct {
	id     string
	there  bool
	page   keptPage
	keys   []string
	chunks map[string]keptChunk
}

func pageKey(id string) storage.Key {
	return storage.Key{Partition: pagePrefix + id, Row: pageRowKey}
}

func chunkKey(id, key string) storage.Key {
	return storage.Key{Partition: pagePrefix + id, Row: chunkPrefix + key}
}

// rows are the rows of pages.
type rows struct{ storage.Table }

// page reads a page with its chunks after a key. Errors: NotFound if nothing is stored of the page.
func (r rows) page(ctx context.Context, id, from string) (s stored, err error) {
	s = stored{id: id, chunks: map[string]keptChunk{}}
	q := storage.Query{Partition: pagePrefix + id}
	if from != "" {
		e, err := r.Get(ctx, pageKey(id))
		if err != nil {
			return s, err
		}
		s.add(e)
		q.RowFrom = chunkPrefix + from + after
	}
	for e, err := range r.Query(ctx, q) {
		if err != nil {
			return s, err
		}
		s.add(e)
	}
	if !s.there && len(s.keys) == 0 {
		return s, fault.New(fault.NotFound, "the index holds no page %s", id)
	}
	return s, nil
}

// add adds a row. A row that is damaged counts as not there, until a Put without Known replaces it.
func (s *stored) add(e storage.Entity) {
	key, isChunk := strings.CutPrefix(e.Row, chunkPrefix)
	if !isChunk {
		p, err := pageRows.Decode(e.Props)
		s.there, s.page = err == nil, p.Page
		return
	}
	s.keys = append(s.keys, key)
	if c, err := chunkRows.Decode(e.Props); err == nil {
		s.chunks[key] = c.Chunk
	}
}

// chunk returns a chunk that is stored.
func (s stored) chunk(key string) search.Chunk {
	c := s.chunks[key]
	return search.Chunk{Key: key, UID: c.UID, Heading: c.Heading, Text: c.Text, Anchor: c.Anchor, Zone: c.Zone}
}

// keys returns the keys of all rows of a page.
func (r rows) keys(ctx context.Context, id string) (keys []storage.Key, err error) {
	for e, err := range r.Query(ctx, storage.Query{Partition: pagePrefix + id, Select: []string{"none"}}) {
		if err != nil {
			return nil, err
		}
		keys = append(keys, e.Key)
	}
	return keys, nil
}

// apply applies operations on a page in order, in as few transactions as the store allows.
func (r rows) apply(ctx context.Context, ops []storage.Op) error {
	for len(ops) > 0 {
		n, bytes := 0, 0
		for n < min(len(ops), storage.MaxOps) && (n == 0 || bytes < maxBytes) {
			bytes += storage.JSONSize(ops[n].Entity) + 1024
			n++
		}
		if n > 1 && bytes > maxBytes {
			n--
		}
		if _, err := r.Transact(ctx, ops[:n]...); err != nil {
			return err
		}
		ops = ops[n:]
	}
	return nil
}

// Page returns what is stored of a page, with its chunks in the order of their keys.
func (x *Index) Page(ctx context.Context, id string) (search.Page, error) {
	s, err := x.rows.page(ctx, id, "")
	if err == nil && !s.there {
		err = fault.New(fault.NotFound, "the index holds no page %s", id)
	}
	if err != nil {
		return search.Page{}, err
	}
	p := s.page.page(id)
	for _, key := range s.keys {
		if _, there := s.chunks[key]; there {
			p.Chunks = append(p.Chunks, s.chunk(key))
		}
	}
	return p, nil
}
