// Package index turns a document into what is searched: one page with its chunks and images,
// addressed by the item's id, so that indexing the same content again changes nothing; and keeps
// what it gave to the index of each page, so that the next time only the difference is written.
package index

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// TypePage is the type of documents made from fetched pages.
const TypePage = "page"

// Prepared is a page for the index and how its chunks were named.
type Prepared struct {
	Page       search.Page
	Records    []chunk.Record // those of Page.Chunks, in their order
	Collisions chunk.Collisions
	LeftOut    int // chunks behind the first [MaxChunks], which the index is not given
}

// MaxChunks bounds the chunks of a page's text. They hold about four megabytes of prose, more than
// any novel; a page of 5 MB made of short lines has 50,000, which nobody searches.
const MaxChunks = 10_000

// Prepare builds the index's view of an item and the document that was extracted from it, with those
// images that may be shown. The path of a file is relative to its container; that of a page is
// empty, and the item's id stands for it in the names of chunks (C3).
func Prepare(it *registry.Item, path string, doc extract.Document, images []search.Image, now time.Time) Prepared {
	p := search.Page{
		ID: string(it.ID), URL: it.DisplaySource, Host: it.SourceHost, Type: TypePage,
		Title: doc.Title, Language: it.Language, MimeType: doc.MimeType, IndexedAt: now, ChangedAt: it.LastChanged,
		PublishedAt: doc.Metadata.Believable(now).Published, Images: images, Tags: it.Tags,
	}
	if p.Title == "" {
		p.Title = it.DisplaySource
	}
	e := Prepared{Page: p}
	text, collisions := chunk.Split(chunk.Page{ID: p.ID, Path: path, Title: p.Title, Blocks: doc.Blocks})
	// What is said about images has chunks of its own, so that no other chunk changes with it.
	said, _ := chunk.Split(chunk.Page{ID: p.ID + "/images", Blocks: imageTexts(images)})
	e.Collisions = collisions
	if n := len(text); n > MaxChunks {
		e.LeftOut, text = n-MaxChunks, text[:MaxChunks]
	}
	for i, c := range append(text, said...) {
		if path != "" {
			c.Anchor = "" // nobody knows that the address of a file leads a browser to the page
		}
		e.Page.Chunks = append(e.Page.Chunks, search.Chunk{Key: string(c.Key), UID: string(c.UID), Heading: c.Heading,
			Anchor: c.Anchor, Text: c.Text})
		r := chunk.RecordOf(c)
		r.DocID = i
		e.Records = append(e.Records, r)
	}
	return e
}

// model is what the keys of an entry's chunks have got behind them with their vectors.
func (e Prepared) model() string {
	if len(e.Records) == 0 {
		return ""
	}
	return strings.TrimPrefix(e.Page.Chunks[0].Key, string(e.Records[0].Key))
}
