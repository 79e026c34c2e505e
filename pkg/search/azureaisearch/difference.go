package azureaisearch

import (
	"maps"
	"slices"

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
