package index

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Table holds the manifests. Container holds manifests that are too large for a row.
const (
	Table     = "Manifests"
	Container = "chunks"
)

// maxRow bounds the size, in bytes, of the compressed lines in a row. About two thousand chunks fit.
const maxRow = 200 << 10

// inRow is the prefix of the digests of manifests that are stored in rows.
const inRow = "r"

// The names of a manifest's metadata, which is stored together with its lines.
const (
	metaFields = "fields" // Fields of [search.Contents]
	metaTags   = "tags"   // Tags of [search.Contents]; absent if the page has no tags
	metaImages = "images" // a digest of the page's images
	metaShown  = "shown"  // the images themselves, as JSON, if they fit into [maxShown] bytes
	metaModel  = "model"  // the suffix of the chunks' keys in the index, which identifies the model of the vectors
	// The numbers of collisions (002 §5.4), where there were any.
	metaCollisions = "collisions"
	metaByContext  = "bycontext"
	metaByOrdinal  = "byordinal"
	metaLargest    = "largest"
)

// maxShown bounds the JSON of images, in bytes, so that the metadata stays within 8 KiB. About a hundred images fit.
const maxShown = 6 << 10

// Manifests stores, for each page, what was written to the index: the metadata of the page's chunks
// as JSONL (C4). Each manifest is one row or one blob, which never changes.
//
//	table Manifests   <item id>  r<digest>  a line for each chunk, see [chunk.Encode], compressed
//	container chunks  <item id>/<digest>    the same, for very many chunks
//
// The item in the registry refers to the manifest of the last known contents of the index (C5).
// Manifests are derived data: when one is missing or damaged, the page is written as if its
// contents in the index were unknown.
type Manifests struct {
	rows  storage.Table
	blobs storage.Container
	most  int // [maxRow], unless a test sets a lower bound
}

// NewManifests returns the manifests of a store. It makes no request; see [Manifests.Create].
func NewManifests(s storage.Store) *Manifests {
	return &Manifests{s.Table(Table), s.Container(Container), maxRow}
}

// Create creates the table and the container if they are missing.
func (m *Manifests) Create(ctx context.Context) error {
	if err := m.rows.Create(ctx); err != nil {
		return err
	}
	return m.blobs.Create(ctx)
}

// Save stores the manifest of a page and returns the digest by which the manifest is found. The
// write is deferred ([storage.Deferred]), because nobody needs the manifest before the item refers
// to it.
func (m *Manifests) Save(ctx context.Context, e Prepared) (digest string, err error) {
	defer fault.Wrap(&err, "manifest of %s", e.Page.ID)
	var lines bytes.Buffer
	if err := chunk.Encode(&lines, e.Records); err != nil {
		return "", err
	}
	contents := e.Page.Contents()
	meta := map[string]string{metaFields: contents.Fields, metaImages: digestOf(contents.Images)}
	if shown, _ := json.Marshal(contents.Images); len(shown) <= maxShown { // strings always encode
		meta[metaShown] = string(shown)
	}
	if model := e.model(); model != "" {
		meta[metaModel] = model
	}
	of := []string{meta[metaFields], meta[metaImages], meta[metaModel], lines.String()}
	if contents.Tags != "" {
		meta[metaTags], of = contents.Tags, append(of, contents.Tags)
	}
	digest = digestOf(of)
	for name, n := range counters(&e.Collisions) {
		if *n > 0 {
			meta[name] = strconv.Itoa(*n)
		}
	}
	return m.write(storage.Deferred(ctx), e.Page.ID, digest, meta, lines.Bytes())
}

// manifestRow is the row of a manifest.
type manifestRow struct {
	Meta  map[string]string `col:"meta"`
	Lines []byte            `col:"lines,parts"`
}

var manifestRows = row.Of[manifestRow]()

// write stores a manifest: in a row if it fits, or else in a blob. A row costs a hundredth of what a blob costs.
func (m *Manifests) write(ctx context.Context, id, digest string, meta map[string]string,
	lines []byte) (as string, err error) {
	if packed := row.Gzip(lines); len(packed) <= m.most {
		as = inRow + digest
		_, err = m.rows.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: rowKey(id, as),
			Props: manifestRows.Encode(&manifestRow{meta, packed})}})
		return as, err
	}
	_, err = m.blobs.Put(ctx, name(id, digest), storage.Blob{Body: lines, ContentType: "application/jsonl",
		Metadata: meta})
	return digest, err
}

// load reads a stored manifest. It returns NotFound when there is none, or when it is damaged.
func (m *Manifests) load(ctx context.Context, id, digest string) (meta map[string]string, lines []byte, err error) {
	if !isRow(digest) {
		b, err := m.blobs.Get(ctx, name(id, digest))
		return b.Metadata, b.Body, err
	}
	e, err := m.rows.Get(ctx, rowKey(id, digest))
	if err != nil {
		return nil, nil, err
	}
	kept, err := manifestRows.Decode(e.Props)
	if err == nil {
		lines, err = row.Gunzip(kept.Lines, maxLines)
	}
	if err != nil {
		return nil, nil, fault.New(fault.NotFound, "the manifest is damaged: %w", err)
	}
	return kept.Meta, lines, nil
}

// maxLines bounds the decompressed lines of a row, in bytes.
const maxLines = 64 << 20

func isRow(digest string) bool { return strings.HasPrefix(digest, inRow) }

func rowKey(id, digest string) storage.Key { return storage.Key{Partition: id, Row: digest} }

// Contents returns the contents of a page in the index, according to the manifest with the given
// digest; nil when the contents are not known. If the page has too many images for the manifest,
// its contents are known only while its images equal those of p.
func (m *Manifests) Contents(ctx context.Context, p search.Page, digest string) (*search.Contents, error) {
	kept, known, err := m.read(ctx, p.ID, digest)
	if err != nil || !known {
		return nil, err
	}
	for _, images := range []map[string]string{kept.shown, p.Contents().Images} {
		if digestOf(images) == kept.images {
			return &search.Contents{Fields: kept.fields, Tags: kept.tags, Chunks: kept.chunks,
				Anchors: kept.anchors, Images: images}, nil
		}
	}
	return nil, nil
}

// manifest is a decoded manifest.
type manifest struct {
	fields, images string
	tags           string
	shown          map[string]string // digests of the images by id; nil if there were too many to store
	chunks         map[string]string // the uid of each chunk, by key
	anchors        map[string]string // the anchor of each chunk, by key
	records        []chunk.Record
	collisions     chunk.Collisions
}

// read reads a manifest; known is false when it is missing or damaged.
func (m *Manifests) read(ctx context.Context, id, digest string) (kept manifest, known bool, err error) {
	meta, lines, err := m.load(ctx, id, digest)
	if fault.Is(err, fault.NotFound) {
		return kept, false, nil
	}
	if err != nil {
		return kept, false, err
	}
	kept = manifest{fields: meta[metaFields], tags: meta[metaTags], images: meta[metaImages], chunks: map[string]string{},
		anchors: map[string]string{}}
	_ = json.Unmarshal([]byte(meta[metaShown]), &kept.shown) // if images are missing here, their digest shows it
	for name, n := range counters(&kept.collisions) {
		*n, _ = strconv.Atoi(meta[name]) // the number is zero when it is missing or damaged
	}
	for r, err := range chunk.Decode(bytes.NewReader(lines)) {
		if err != nil {
			return manifest{}, false, nil
		}
		kept.records = append(kept.records, r)
		key := string(r.Key) + meta[metaModel]
		kept.chunks[key] = string(r.ChunkUID)
		if r.Anchor != "" {
			kept.anchors[key] = r.Anchor
		}
	}
	return kept, true, nil
}

// counters returns pointers to the numbers of collisions, by the names that the metadata gives them.
func counters(c *chunk.Collisions) map[string]*int {
	return map[string]*int{
		metaCollisions: &c.Chunks, metaByContext: &c.ByContext, metaByOrdinal: &c.ByOrdinal, metaLargest: &c.Largest,
	}
}

// Records returns the chunk records in a manifest. It returns none when the manifest is missing or damaged.
func (m *Manifests) Records(ctx context.Context, id source.ID, digest string) ([]chunk.Record, error) {
	kept, _, err := m.read(ctx, string(id), digest)
	return kept.records, err
}

// Misnamed reports whether a chunk of a page does not have the given name, according to the
// manifest with the given digest, and returns the uid of the first such chunk. If the manifest is
// missing or damaged, nothing is known of the names, and Misnamed reports true and "". A file whose chunks are all of
// one segment may be one listing, which by the first rules was a segment of itself, so it counts as misnamed.
func (m *Manifests) Misnamed(ctx context.Context, id source.ID, digest string, name chunk.Name) (uid chunk.UID,
	misnamed bool, err error) {
	kept, known, err := m.read(ctx, string(id), digest)
	if err != nil || !known {
		return "", err == nil, err
	}
	segments, first := map[string]bool{}, chunk.UID("")
	for _, r := range kept.records {
		var segment string
		if r.Segment != nil {
			segment = r.Segment.SegmentUID
		}
		// Texts about the page, such as those of its images, are named by the page's id.
		about := strings.HasPrefix(r.MetaV2.VirtualPath, string(id)+"/")
		if !about && !strings.HasPrefix(string(r.ChunkUID), name.Begins(segment)) {
			return r.ChunkUID, true, nil
		}
		if !about {
			segments[segment], first = true, cmp.Or(first, r.ChunkUID)
		}
	}
	if len(segments) == 1 && !segments[""] {
		return first, true, nil
	}
	return "", false, nil
}

// Collisions returns the numbers of collisions of a page's chunks. The page's id is not set. The
// numbers are zero when the manifest is missing or damaged.
func (m *Manifests) Collisions(ctx context.Context, id source.ID, digest string) (chunk.Collisions, error) {
	kept, _, err := m.read(ctx, string(id), digest)
	return kept.collisions, err
}

// Drop removes a manifest that is no longer needed.
func (m *Manifests) Drop(ctx context.Context, id source.ID, digest string) error {
	if !isRow(digest) {
		return m.blobs.Delete(ctx, name(string(id), digest))
	}
	return storage.DeleteRow(ctx, m.rows, rowKey(string(id), digest))
}

// Purge removes all manifests of an item.
func (m *Manifests) Purge(ctx context.Context, id source.ID) (err error) {
	defer fault.Wrap(&err, "purge manifests of %s", id)
	q := storage.Query{Partition: string(id), Select: []string{"meta"}}
	for e, err := range m.rows.Query(ctx, q) {
		if err == nil {
			err = m.Drop(ctx, id, e.Row)
		}
		if err != nil {
			return err
		}
	}
	for blob, err := range m.blobs.List(ctx, name(string(id), "")) {
		if err == nil {
			err = m.blobs.Delete(ctx, blob)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func name(id, digest string) string { return id + "/" + digest }

// digestOf returns 128 bits of a hash of v's JSON encoding.
func digestOf(v any) string {
	b, _ := json.Marshal(v) // encoding strings, and lists and maps of strings, cannot fail
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}
