package handlers

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/embed"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// indexedContent answers requests about what the index holds: chunks, their changes, and pictures.
type indexedContent struct {
	Items     *registry.Items
	Manifests *index.Manifests
	Entries   *entries.Store
	Index     search.Index
	// Vectors returns the vectors of texts by the model that is configured; nil if there is none.
	Vectors func(ctx context.Context, texts []string) ([][]float32, error)
	Images  func(context.Context, registry.Item) ([]search.Image, error) // the pictures of an item in the index
	Filling *filling

	ahead atomic.Pointer[readAhead]
}

// readAhead is an answer to a follower that copies the index, which is read while the follower is busy with the answer
// before it: a first copy then takes about as long as the follower takes to read it.
type readAhead struct {
	of   api.ChunkQuery
	done chan struct{} // closed when the answer is there
	out  api.ChunkChanges
	err  error
}

// keptAhead is how long an answer waits for its follower.
const keptAhead = 10 * time.Second

// readOn reads the answer to a query in the background. The last one is kept, for a while.
func (h *indexedContent) readOn(ctx context.Context, q api.ChunkQuery) {
	next := &readAhead{of: q, done: make(chan struct{})}
	h.ahead.Store(next)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keptAhead)
	time.AfterFunc(keptAhead, func() { h.ahead.CompareAndSwap(next, nil) })
	go func() {
		defer cancel()
		next.out, next.err = h.read(ctx, q)
		close(next.done)
	}()
}

// Routes returns the routes about what the index holds.
func (h *indexedContent) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListChunks, h.chunks),
		wire.On(api.EntryChunks, h.entryChunks),
		wire.On(api.FollowChunks, h.follow),
		wire.On(api.ListImages, h.images),
	}
}

// follow lists what was written to the index since a cursor.
func (h *indexedContent) follow(ctx context.Context, q api.ChunkQuery) (out api.ChunkChanges, err error) {
	if q.Vectors && h.Vectors == nil {
		return out, fault.Field("vectors", "no model is configured that computes vectors: set EMBEDDINGS_MODEL")
	}
	if out, err = h.readBefore(ctx, q); err != nil {
		out, err = h.read(ctx, q)
	}
	if err == nil && out.Copying && len(out.Changes) > 0 {
		following := q
		following.Since = out.Cursor
		h.readOn(ctx, following)
	}
	return out, err
}

// readBefore returns the answer that was read ahead, or an error.
func (h *indexedContent) readBefore(ctx context.Context, q api.ChunkQuery) (api.ChunkChanges, error) {
	next := h.ahead.Load()
	if next == nil || next.of != q || !h.ahead.CompareAndSwap(next, nil) {
		return api.ChunkChanges{}, errNotRead
	}
	select {
	case <-next.done:
		return next.out, next.err
	case <-ctx.Done():
		return api.ChunkChanges{}, ctx.Err()
	}
}

var errNotRead = errors.New("the answer was not read ahead")

// read reads what was written to the index since a cursor.
func (h *indexedContent) read(ctx context.Context, q api.ChunkQuery) (out api.ChunkChanges, err error) {
	found, err := h.Index.Follow(ctx, search.FollowQuery{Since: q.Since, Top: q.Top, Host: q.Host, Tag: q.Tag})
	if err != nil {
		return out, err
	}
	out = api.ChunkChanges{Changes: wire.Each(found.Events, changeOfChunk), Cursor: found.Cursor,
		Generation: found.Index, Copying: found.Copying || h.Filling.note(ctx, "") != ""}
	if q.Vectors {
		err = h.addVectors(ctx, found.Events, out.Changes)
	}
	return out, err
}

func changeOfChunk(e search.Event) api.ChunkChange {
	c := api.ChunkChange{Op: api.ChunkOp(e.Op), ChunkID: e.Chunk.Key, At: e.At}
	if e.Op == search.OpTakeover {
		c.From, c.To, c.Differs = e.Takeover.From, e.Takeover.To, e.Takeover.Differs
		return c
	}
	if strings.HasPrefix(e.Page.ID, entries.IDPrefix) {
		c.EntryID = e.Page.ID
	} else {
		c.ItemID = e.Page.ID
	}
	if e.Op != search.OpPut {
		return c
	}
	c.ChunkUIDs, c.Capture, c.Text = []string{e.Chunk.UID}, history.Digest(e.Page.Capture), e.Chunk.Text
	c.Hash, c.TextHash = snapshot.Hash([]byte(embed.Text(e.Chunk))), snapshot.Hash([]byte(e.Chunk.Text))
	c.HeadingPath, c.URL, c.Anchor = chunk.HeadingPath(e.Chunk.Heading), e.Page.URL, wire.Anchor(e.Chunk.Anchor)
	if page, isPage := strings.CutPrefix(e.Chunk.Anchor, "page="); isPage {
		c.Page, _ = strconv.Atoi(page)
	}
	c.Title, c.Language, c.Zone, c.Tags = e.Page.Title, e.Page.Language, e.Chunk.Zone, e.Page.Tags
	c.PublishedAt, c.ChangedAt = e.Page.PublishedAt, e.Page.ChangedAt
	return c
}

func (h *indexedContent) addVectors(ctx context.Context, events []search.Event, to []api.ChunkChange) error {
	var texts []string
	var places []int
	for i, e := range events {
		if text := embed.Text(e.Chunk); e.Op == search.OpPut && text != "" {
			texts, places = append(texts, text), append(places, i)
		}
	}
	vectors, err := h.Vectors(ctx, texts)
	if err != nil {
		return err
	}
	for i, place := range places {
		to[place].Vector = vectors[i]
	}
	return nil
}

// chunks lists the chunks that the index holds of an item, with their places in its text.
func (h *indexedContent) chunks(ctx context.Context, q api.ItemID) (out api.ChunkList, err error) {
	it, err := h.Items.Find(ctx, source.ID(q.ID))
	if err != nil || it.Manifest == "" {
		return api.ChunkList{Chunks: []api.ChunkInfo{}}, wire.Field("id", err)
	}
	records, err := h.Manifests.Records(ctx, it.ID, it.Manifest)
	if err != nil {
		return out, err
	}
	return h.listed(ctx, string(it.ID), records)
}

// entryChunks lists the chunks that the index holds of an entry.
func (h *indexedContent) entryChunks(ctx context.Context, q api.EntryID) (api.ChunkList, error) {
	fields, err := h.Entries.In(entries.Production).Get(ctx, q.ID)
	if err != nil {
		return api.ChunkList{}, err
	}
	return h.listed(ctx, q.ID, entry.Records(fields))
}

// listed returns the chunks of a page in the order of their records. Records are stored at another time than the index
// is written, so chunks without a record may follow.
func (h *indexedContent) listed(ctx context.Context, id string, records []chunk.Record) (api.ChunkList, error) {
	out := api.ChunkList{Chunks: []api.ChunkInfo{}}
	page, err := h.Index.Page(ctx, id)
	if err != nil {
		return out, fault.Except(err, fault.NotFound) // it waits for the index
	}
	out.Capture = history.Digest(page.Capture)
	held := map[string]search.Chunk{}
	for _, c := range page.Chunks {
		held[c.Key] = c
	}
	for _, r := range records {
		if c, found := held[string(r.Key)]; found {
			out.Chunks = append(out.Chunks, chunkInfo(c, r))
			delete(held, c.Key)
		}
	}
	for _, c := range page.Chunks {
		if _, left := held[c.Key]; left {
			out.Chunks = append(out.Chunks, chunkInfo(c, chunk.Record{}))
		}
	}
	return out, nil
}

func chunkInfo(c search.Chunk, r chunk.Record) api.ChunkInfo {
	segment := segmentOf(r.MetaV2.Segment)
	return api.ChunkInfo{
		ChunkID: c.Key, ChunkUID: c.UID, VirtualPath: r.MetaV2.VirtualPath, Key: c.Key, Kind: string(r.Kind),
		Heading: c.Heading, Zone: c.Zone, Anchor: wire.Anchor(c.Anchor), Name: r.Name,
		Tokens: cmp.Or(r.Tokens, chunk.Tokens(c.Text)), Start: r.Start, End: r.End,
		Hash: snapshot.Hash([]byte(embed.Text(c))), TextHash: snapshot.Hash([]byte(c.Text)), Text: c.Text, Segment: segment,
		MetaV2: api.ChunkMeta{ChunkUID: c.UID, VirtualPath: r.MetaV2.VirtualPath, Segment: segment},
	}
}

func segmentOf(s *chunk.SegmentRecord) *api.ChunkSegment {
	if s == nil {
		return nil
	}
	out := &api.ChunkSegment{SegmentUID: s.SegmentUID, Type: s.Type, VirtualPath: s.VirtualPath}
	if s.LanguageID != nil {
		out.LanguageID = *s.LanguageID
	}
	return out
}

// images lists the pictures of an item that are in the index (A18).
func (h *indexedContent) images(ctx context.Context, q api.ItemID) (api.ImageList, error) {
	out := api.ImageList{Images: []api.Image{}}
	it, err := h.Items.Find(ctx, source.ID(q.ID))
	if err != nil {
		return out, wire.Field("id", err)
	}
	found, err := h.Images(ctx, it)
	for _, img := range found {
		out.Images = append(out.Images, imageJSON(img, string(it.ID), it.DisplaySource))
	}
	return out, err
}
