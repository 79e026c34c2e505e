package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/tidemark/tidemark/pkg/chunk"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Container holds the manifests.
const Container = "chunks"

// What else a manifest's blob says, beside its lines.
const (
	metaFields = "fields" // [search.Held]
	metaImages = "images" // digest of [search.Held]'s
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
func (m *Manifests) Save(ctx context.Context, e Entry) (digest string, err error) {
	defer fault.Wrap(&err, "manifest of %s", e.Page.ID)
	var lines bytes.Buffer
	if err := chunk.Encode(&lines, e.Records); err != nil {
		return "", err
	}
	held := e.Page.Holds()
	meta := map[string]string{metaFields: held.Fields, metaImages: digestOf(held.Images)}
	if shown, _ := json.Marshal(held.Images); len(shown) <= maxShown { // texts always encode
		meta[metaShown] = string(shown)
	}
	if model := e.model(); model != "" {
		meta[metaModel] = model
	}
	digest = digestOf([]string{meta[metaFields], meta[metaImages], meta[metaModel], lines.String()})
	for name, n := range map[string]int{
		metaCollisions: e.Collisions.Chunks, metaByContext: e.Collisions.ByContext,
		metaByOrdinal: e.Collisions.ByOrdinal, metaLargest: e.Collisions.Largest,
	} {
		if n > 0 {
			meta[name] = strconv.Itoa(n)
		}
	}
	_, err = m.blobs.Put(ctx, name(e.Page.ID, digest), storage.Blob{Body: lines.Bytes(), ContentType: "application/jsonl", Metadata: meta})
	return digest, err
}

// Held is what the index holds of a page, by the manifest of that digest; nil when that is not
// known. A page of very many images is known only if they are those of the page that is to be put.
func (m *Manifests) Held(ctx context.Context, p search.Page, digest string) (*search.Held, error) {
	kept, known, err := m.read(ctx, p.ID, digest)
	if err != nil || !known {
		return nil, err
	}
	for _, images := range []map[string]string{kept.shown, p.Holds().Images} {
		if digestOf(images) == kept.images {
			return &search.Held{Fields: kept.fields, Chunks: kept.chunks, Images: images}, nil
		}
	}
	return nil, nil
}

// manifest is one as it is kept.
type manifest struct {
	fields, images string
	shown          map[string]string // digest by id, of the images; nil if they are too many
	chunks         map[string]string // uid by key
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
	for r, err := range chunk.Decode(bytes.NewReader(b.Body)) {
		if err != nil {
			return kept, false, nil
		}
		kept.chunks[string(r.Key)+b.Metadata[metaModel]] = string(r.ChunkUID)
	}
	return kept, true, nil
}

// Records are the lines of a manifest, none if it is missing or damaged.
func (m *Manifests) Records(ctx context.Context, id source.ID, digest string) ([]chunk.Record, error) {
	b, err := m.blobs.Get(ctx, name(string(id), digest))
	if err != nil {
		if fault.Is(err, fault.NotFound) {
			err = nil
		}
		return nil, err
	}
	var out []chunk.Record
	for r, err := range chunk.Decode(bytes.NewReader(b.Body)) {
		if err != nil {
			return nil, nil
		}
		out = append(out, r)
	}
	return out, nil
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
