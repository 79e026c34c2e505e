// Package index turns a document into searchable content: one page with its chunks and images. The
// id of a page is the id of its item, so indexing the same content again changes nothing. The
// package also keeps a manifest of what the index contains of each page, so that the next time only
// the difference is written.
package index

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// TypePage is the type of documents made from fetched pages.
const TypePage = "page"

// Prepared is a page that is ready for the index, with the records of its chunks.
type Prepared struct {
	Page       search.Page
	Records    []chunk.Record // one record for each of Page.Chunks, in the same order
	Collisions chunk.Collisions
	LeftOut    int // number of chunks beyond the first [MaxChunks], which are not indexed
}

// MaxChunks bounds the number of chunks of a page's text. The bound allows about four megabytes of
// prose, more than any novel. A page of 5 MB made of short lines has 50,000 chunks, which nobody
// searches.
const MaxChunks = 10_000

// Prepare builds the page for the index from an item, the document extracted from the item, and the
// images that may be shown. The name is that of a file. It is empty for a page, whose chunks are
// named after the item's id (C3).
func Prepare(it *registry.Item, name chunk.Name, doc extract.Document, images []search.Image, now time.Time) Prepared {
	p := search.Page{
		ID: string(it.ID), URL: it.DisplaySource, Host: it.SourceHost, Type: TypePage,
		Title: doc.Title, Language: it.Language, MimeType: doc.MimeType, IndexedAt: now, ChangedAt: it.LastChanged,
		PublishedAt: doc.Metadata.Believable(now).Published, Images: images, Tags: it.Tags,
		Capture: it.RawHash,
	}
	p.Title = cmp.Or(p.Title, it.DisplaySource)
	e := Prepared{Page: p}
	text, collisions := chunk.Split(chunk.Page{ID: p.ID, Name: name, Title: p.Title, Blocks: doc.Blocks})
	// The texts of images get chunks of their own, so that a change to them leaves all other chunks unchanged.
	said, _ := chunk.Split(chunk.Page{ID: p.ID + "/images", Blocks: imageTexts(images)})
	e.Collisions = collisions
	if n := len(text); n > MaxChunks {
		e.LeftOut, text = n-MaxChunks, text[:MaxChunks]
	}
	if why := e.cutWhy(doc); why != "" { // who searches learns that there is more than what is found
		cut, _ := chunk.Split(chunk.Page{ID: p.ID + "/cut", Title: p.Title, Blocks: []extract.Block{
			{Kind: extract.Paragraph, Text: "[Cut: " + why + ".]"}}})
		said = append(said, cut...)
	}
	for i, c := range append(text, said...) {
		if name != (chunk.Name{}) {
			c.Anchor = "" // no anchor: a search result must not send a browser to the address of a file
		}
		e.Page.Chunks = append(e.Page.Chunks, search.Chunk{Key: string(c.Key), UID: string(c.UID), Heading: c.Heading,
			Anchor: c.Anchor, Zone: string(c.Zone), Text: c.Searched()})
		r := chunk.RecordOf(c)
		r.DocID = i
		e.Records = append(e.Records, r)
	}
	return e
}

// cutWhy says what of a document cannot be searched; empty if all of it can.
func (e Prepared) cutWhy(doc extract.Document) string {
	why := doc.CutWhy()
	if e.LeftOut == 0 {
		return why
	}
	left := fmt.Sprintf("the last %s cannot be searched: split the document to search them",
		words.Count(e.LeftOut, "passage"))
	if why == "" {
		return left
	}
	return why + ". Also, " + left
}

// model returns the suffix of the chunks' keys in the index, which identifies the model of the
// vectors; "" if the chunks have no vectors.
func (e Prepared) model() string {
	if len(e.Records) == 0 {
		return ""
	}
	return strings.TrimPrefix(e.Page.Chunks[0].Key, string(e.Records[0].Key))
}
