package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Container holds the manifests.
const Container = "chunks"

// What else a manifest's blob says, beside its lines.
const (
	metaFields = "fields" // [search.Contents]
	metaImages = "images" // digest of [search.Contents]'s
	metaShown  = "shown"  // those themselves, as JSON, where they are few enough
	metaModel  = "model"  // what the keys in the index end with: the model that the vectors are of
	// Metrics of collisions (002 §5.4), where there were any.
	metaCollisions = "collisions"
	metaByContext  = "bycontext"
	metaByOrdinal  = "byordinal"
	metaLargest    = "largest"
)

// maxShown bounds what is said of images, in bytes, so that metadata stays within 8 KiB: about a hundred.
const maxShown = 6 << 10

// Manifests keep, beside the snapshots, what the index was given of each page: its chunk metadata
// as JSONL (C4), one blob for each content, never changed.
//
//	container chunks  <item id>/<digest>   a line for each chunk, see [chunk.Encode]
//
// The registry names the one that the index was last known to hold (C5). They are derived: one that
// is missing or damaged is as good as none, and the page is written as if nothing were known of it.
type Manifests struct{ blobs storage.Container }

// NewManifests opens the manifests of a store. It touches nothing; see [Manifests.Create].
func NewManifests(s storage.Store) *Manifests { return &Manifests{s.Container(Container)} }

// Create makes the container if it is missing.
func (m *Manifests) Create(ctx context.Context) error { return m.blobs.Create(ctx) }

// Save keeps the manifest of an entry and returns its digest.
func (m *Manifests) Save(ctx context.Context, e Prepared) (digest string, err error) {
	defer fault.Wrap(&err, "manifest of %s", e.Page.ID)
	var lines bytes.Buffer
	if err := chunk.Encode(&lines, e.Records); err != nil {
		return "", err
	}
	contents := e.Page.Contents()
	meta := map[string]string{metaFields: contents.Fields, metaImages: digestOf(contents.Images)}
	if shown, _ := json.Marshal(contents.Images); len(shown) <= maxShown { // texts always encode
		meta[metaShown] = string(shown)
	}
	if model := e.model(); model != "" {
		meta[metaModel] = model
	}
	digest = digestOf([]string{meta[metaFields], meta[metaImages], meta[metaModel], lines.String()})
	for name, n := range counters(&e.Collisions) {
		if *n > 0 {
			meta[name] = strconv.Itoa(*n)
		}
	}
	_, err = m.blobs.Put(ctx, name(e.Page.ID, digest), storage.Blob{Body: lines.Bytes(), ContentType: "application/jsonl",
		Metadata: meta})
	return digest, err
}

// Contents is what the index holds of a page, by the manifest of that digest; nil when that is not
// known. A page of very many images is known only if they are those of the page that is to be put.
func (m *Manifests) Contents(ctx context.Context, p search.Page, digest string) (*search.Contents, error) {
	kept, known, err := m.read(ctx, p.ID, digest)
	if err != nil || !known {
		return nil, err
	}
	for _, images := range []map[string]string{kept.shown, p.Contents().Images} {
		if digestOf(images) == kept.images {
			return &search.Contents{Fields: kept.fields, Chunks: kept.chunks, Images: images}, nil
		}
	}
	return nil, nil
}

// manifest is one as it is stored.
type manifest struct {
	fields, images string
	shown          map[string]string // digest by id, of the images; nil if they are too many
	chunks         map[string]string // uid by key
	records        []chunk.Record
	collisions     chunk.Collisions
}

// read reads a manifest; known is false for one that is missing or damaged.
func (m *Manifests) read(ctx context.Context, id, digest string) (kept manifest, known bool, err error) {
	b, err := m.blobs.Get(ctx, name(id, digest))
	if fault.Is(err, fault.NotFound) {
		return kept, false, nil
	}
	if err != nil {
		return kept, false, err
	}
	kept = manifest{fields: b.Metadata[metaFields], images: b.Metadata[metaImages], chunks: map[string]string{}}
	_ = json.Unmarshal([]byte(b.Metadata[metaShown]), &kept.shown) // the digest tells whether they are whole
	for meta, n := range counters(&kept.collisions) {
		*n, _ = strconv.Atoi(b.Metadata[meta]) // missing or damaged: none
	}
	for r, err := range chunk.Decode(bytes.NewReader(b.Body)) {
		if err != nil {
			return manifest{}, false, nil
		}
		kept.records = append(kept.records, r)
		kept.chunks[string(r.Key)+b.Metadata[metaModel]] = string(r.ChunkUID)
	}
	return kept, true, nil
}

// counters are the numbers of collisions by the metadata that has them.
func counters(c *chunk.Collisions) map[string]*int {
	return map[string]*int{
		metaCollisions: &c.Chunks, metaByContext: &c.ByContext, metaByOrdinal: &c.ByOrdinal, metaLargest: &c.Largest,
	}
}

// Records are the lines of a manifest, none if it is missing or damaged.
func (m *Manifests) Records(ctx context.Context, id source.ID, digest string) ([]chunk.Record, error) {
	kept, _, err := m.read(ctx, string(id), digest)
	return kept.records, err
}

// Collisions are those of the chunks of a page, without its name; none if the manifest is missing or damaged.
func (m *Manifests) Collisions(ctx context.Context, id source.ID, digest string) (chunk.Collisions, error) {
	kept, _, err := m.read(ctx, string(id), digest)
	return kept.collisions, err
}

// Drop removes a manifest that is not needed any more.
func (m *Manifests) Drop(ctx context.Context, id source.ID, digest string) error {
	return m.blobs.Delete(ctx, name(string(id), digest))
}

// Purge removes all manifests of an item.
func (m *Manifests) Purge(ctx context.Context, id source.ID) (err error) {
	defer fault.Wrap(&err, "purge manifests of %s", id)
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

// digestOf is 128 bits of a hash of what encodes as JSON.
func digestOf(v any) string {
	b, _ := json.Marshal(v) // strings, lists and maps of them always encode
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}
