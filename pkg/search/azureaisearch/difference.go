package azureaisearch

import (
	"maps"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
)

// action is what is done to one document.
type action struct {
	kind     string // "upload", "merge", "mergeOrUpload" or "delete"
	page     string // whose document it is, for errors
	document object // of a deletion, the key alone
	whole    object // of a merge: uploaded instead if the document is not there
}

func (a action) key() string { return a.document["id"].(string) }

// encoded is the action as it is sent.
func (a action) encoded() []byte {
	d := maps.Clone(a.document)
	d["@search.action"] = a.kind
	return encode(d)
}

// difference is what has to be done so that the index holds exactly p: documents that are written, and documents that
// leave. found are the keys of the page's documents in the index, for a caller that does not know the contents.
// Documents are written whole, except where only the uid, the anchor or the page's tags changed, or where the caller
// does not have the vector that may be there.
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
			// The key stands for the vector, too: one that is there remains.
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

// keysOf returns the keys of a page's chunks and images, those known and those found.
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

// deletions delete the documents that are not wanted.
func deletions(page string, keys []string, wanted map[string]bool) (actions []action) {
	for _, key := range keys {
		if !wanted[key] {
			actions = append(actions, action{kind: "delete", page: page, document: object{"id": key}})
		}
	}
	return actions
}
