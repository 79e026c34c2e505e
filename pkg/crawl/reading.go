package crawl

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/search"
)

// reading is what a body says, and what of it may be indexed.
type reading struct {
	doc            extract.Document
	raw            string // sha256:<hex> of the body
	hash           string // contentHash
	exclusion      string // why the page is kept out of the index; "" if it is not
	images         []search.Image
	imagesHash     string
	imageExclusion string // what forbids the images that there are
}

// judge weighs a document by its own words and those of the X-Robots-Tag headers that came with it.
// For a document from a snapshot there are no headers: an exclusion of images that stands on the
// item goes on.
func (c *check) judge(doc extract.Document, raw string, header []string) reading {
	r := reading{doc: doc, raw: raw, hash: doc.ContentHash()}
	meta, tags := c.directives(doc.MetaRobots), c.directives(header)
	switch {
	case meta.NoIndex:
		r.exclusion = exclusionNoIndex
	case tags.NoIndex:
		r.exclusion = exclusionHeader
	case doc.Unsupported:
		r.exclusion = fmt.Sprintf("text cannot be extracted from %s yet", doc.MimeType)
	}
	r.images = index.Images(c.ID, doc, c.o.Rules)
	switch {
	case len(r.images) == 0:
	case meta.NoImageIndex:
		r.imageExclusion = exclusionNoImages
	case tags.NoImageIndex:
		r.imageExclusion = exclusionImageHeader
	default:
		r.imageExclusion = c.ImageExclusion
	}
	if r.imageExclusion != "" {
		r.images = nil
	}
	r.imagesHash = index.HashImages(r.images)
	return r
}
