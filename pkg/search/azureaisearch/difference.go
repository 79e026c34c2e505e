package azureaisearch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// action is an operation on one document.
type action struct {
	kind     string // "upload", "merge", "mergeOrUpload" or "delete"
	page     string // id of the document's page, for error messages
	document object // for a deletion, only the key
	whole    object // for a merge: the document to upload if it does not exist yet
}

func (a action) key() string { return a.document["id"].(string) }

// encoded returns the action in its wire form.
func (a action) encoded() []byte {
	d := maps.Clone(a.document)
	d["@search.action"] = a.kind
	return encode(d)
}

// difference returns the documents to write and the documents to delete, so that the index then holds exactly p. The
// found keys are those of the page's documents in the index. They are needed if the caller does not know the contents
// of the index. A document is merged instead of written whole in two cases: if only the uid, the anchor or the page's
// tags changed, and if the index may have a vector that the caller does not have.
func (ix *Index) difference(p search.Page, found []string) (written, leaving []action) {
	upload := func(d object) { written = append(written, action{kind: "upload", page: p.ID, document: d}) }
	wanted := map[string]bool{pageKey(p.ID): true}
	known, want := p.Known, p.Contents()
	if known == nil {
		known = &search.Contents{}
	}
	for _, c := range p.Chunks {
		d := ix.chunkDocument(p, c)
		wanted[chunkKey(p.ID, c.Key)] = true
		uid, there := known.Chunks[c.Key]
		switch {
		case there && known.Fields == want.Fields && uid == c.UID && known.Anchors[c.Key] == c.Anchor &&
			known.Tags == want.Tags:
		case (!there || known.Fields != want.Fields) && (c.Vector != nil || ix.dimensions == 0):
			upload(d)
		case !there || known.Fields != want.Fields:
			// The key identifies the vector, too, so a vector that is already in the index remains valid.
			written = append(written, action{kind: "mergeOrUpload", page: p.ID, document: withoutOtherStems(d)})
		default:
			renamed := object{"id": d["id"], "uid": d["uid"], "anchor": d["anchor"], "tags": d["tags"]}
			written = append(written, action{kind: "merge", page: p.ID, document: renamed, whole: d})
		}
	}
	for _, img := range p.Images {
		wanted[imageKey(p.ID, img.ID)] = true
		if known.Images[img.ID] != want.Images[img.ID] {
			upload(imageDocument(p, img))
		}
	}
	upload(pageDocument(p))
	return written, deletions(p.ID, keysOf(p.ID, known, found), wanted)
}

// keysOf returns the keys of a page's chunks and images, both those that the caller knows and those that were found
// in the index.
func keysOf(page string, known *search.Contents, found []string) []string {
	keys := slices.Clone(found)
	if known != nil {
		for key := range known.Chunks {
			keys = append(keys, chunkKey(page, key))
		}
		for id := range known.Images {
			keys = append(keys, imageKey(page, id))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// deletions returns the actions that delete the documents with the given keys, except those that are wanted.
func deletions(page string, keys []string, wanted map[string]bool) (actions []action) {
	for _, key := range keys {
		if !wanted[key] {
			actions = append(actions, action{kind: "delete", page: page, document: object{"id": key}})
		}
	}
	return actions
}

// A filled index holds a marker document. The marker records that the index is filled, and the model of its vectors.
// A new index has no marker, whichever program created it. Therefore no crash can come between creating an index and
// recording that it is empty.
const (
	kindMarker = "marker" // not a chunk, page or image, so no search finds the marker
	filledKey  = "filled" // cannot be the key of a page, chunk or image
)

// Begun returns a name for this index while the index is not filled with vectors of the model that it was opened for.
// Once [Index.Filled] records that it is filled, Begun returns "". All processes that open the index get the same
// name. The name changes whenever the index is filled or created. Begun sends one request, and a second one if there
// is a name. A marker that was written seconds ago may not be visible yet; then Begun still returns the previous
// name.
func (ix *Index) Begun(ctx context.Context) (name string, err error) {
	defer fault.Wrap(&err, "azureaisearch.Begun(%s)", ix.service.name)
	q := query{Search: "*", Filter: "kind eq '" + kindMarker + "'", Select: "id,uid,url", Top: 1}
	found, err := ix.service.query(ctx, q)
	if err != nil {
		return "", err
	}
	var last row
	if len(found.Value) > 0 {
		if last = found.Value[0]; last.UID == ix.markerText() {
			return "", nil
		}
	}
	var have struct {
		ETag string `json:"@odata.etag"`
	}
	if _, err := ix.service.call(ctx, request{method: http.MethodGet}, &have); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{ix.service.endpoint, ix.service.name, have.ETag, last.URL,
		ix.markerText()}, "\n")))
	return hex.EncodeToString(sum[:8]), nil
}

// markerText returns the marker's description of the vectors.
func (ix *Index) markerText() string { return "vectors of " + cmp.Or(ix.model, "no model") }

// Filled records that the index is filled. Callers pass the name that Begun returned, once all pages are certain to
// be put into the index. Repeating the call is harmless.
func (ix *Index) Filled(ctx context.Context, name string) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Filled(%s)", ix.service.name)
	marker := object{"id": filledKey, "kind": kindMarker, "uid": ix.markerText(), "url": name}
	return ix.service.apply(ctx, []action{{kind: "upload", document: marker}})
}
