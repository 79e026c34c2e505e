// Package index turns a document into what is searched: one page with its chunks, addressed by
// the item's id, so that indexing the same content again changes nothing.
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

// Page builds the index's view of an item and the document that was extracted from it.
func Page(it *registry.Item, doc extract.Document, now time.Time) search.Page {
	p := search.Page{
		ID: string(it.ID), URL: it.DisplaySource, Host: it.SourceHost, Type: TypePage,
		Title: doc.Title, Language: it.Language, MimeType: doc.MimeType, IndexedAt: now,
	}
	if p.Title == "" {
		p.Title = it.DisplaySource
	}
	for _, c := range chunk.Split(string(it.ID), p.Title, doc.Blocks) {
		p.Chunks = append(p.Chunks, search.Chunk{UID: c.UID, Heading: c.Heading, Text: c.Text, Ordinal: c.Ordinal})
	}
	return p
}
