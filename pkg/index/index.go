// Package index turns a document into what is searched: one page with its chunks and images,
// addressed by the item's id, so that indexing the same content again changes nothing.
package index

import (
	"time"

	"github.com/tidemark/tidemark/pkg/chunk"
	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// TypePage is the type of documents made from fetched pages.
const TypePage = "page"

// Page builds the index's view of an item and the document that was extracted from it, with those
// images that may be shown. The path of a file is relative to its container; that of a page is
// empty, and the item's id stands for it in the names of chunks (C3).
func Page(it *registry.Item, path string, doc extract.Document, images []search.Image, now time.Time) search.Page {
	p := search.Page{
		ID: string(it.ID), URL: it.DisplaySource, Host: it.SourceHost, Type: TypePage,
		Title: doc.Title, Language: it.Language, MimeType: doc.MimeType, IndexedAt: now, ChangedAt: it.LastChanged, Images: images,
	}
	if p.Title == "" {
		p.Title = it.DisplaySource
	}
	// What is said about images has chunks of its own, so that no other chunk changes with it.
	text, _ := chunk.Split(chunk.Page{ID: p.ID, Path: path, Title: p.Title, Blocks: doc.Blocks})
	said, _ := chunk.Split(chunk.Page{ID: p.ID + "/images", Blocks: words(images)})
	for _, c := range append(text, said...) {
		p.Chunks = append(p.Chunks, search.Chunk{Key: string(c.Key), UID: string(c.UID), Heading: c.Heading, Text: c.Text})
	}
	return p
}
