package crawl

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// read is what a body says, and what of it may be indexed.
type read struct {
	doc            extract.Document
	words          change.Words // of its text, where that has news
	raw            string       // sha256:<hex> of the body
	hash           string       // contentHash
	body           [8]byte      // bodyHash
	exclusion      string       // why the page may not be indexed; "" if it may
	images         []search.Image
	imagesHash     string
	imageExclusion string     // what forbids the images that there are
	unreadable     error      // why the body cannot be read
	page           string     // the text of the page, where a part of it is indexed
	part           *part.Part // of the page, where one is watched
}

// Exclusions that the page wishes, by where it says so; of the page itself and of its images.
const (
	exclusionNoIndex     = "noindex"
	exclusionHeader      = "noindex by X-Robots-Tag"
	exclusionNoImages    = "noimageindex"
	exclusionImageHeader = "noimageindex by X-Robots-Tag"
)

// exclusionContainer is why a container itself is not searched.
const exclusionContainer = "a container: its blobs are items of their own"

// readingOf says what of a document may be indexed, by its own words and those of the X-Robots-Tag headers
// that came with it. imageExclusion is what else forbids its images: a stored document has no headers,
// so what they said goes on.
func readingOf(
	it *registry.Item, doc extract.Document, raw string, header []string, imageExclusion string,
	rules rules, now time.Time,
) read {
	r := read{doc: doc, raw: raw}
	r.hash, r.body = doc.Hashes()
	meta := robots.ParseDirectives(doc.MetaRobots, rules.agent, now)
	tags := robots.ParseDirectives(header, rules.agent, now)
	switch {
	case meta.NoIndex:
		r.exclusion = exclusionNoIndex
	case tags.NoIndex:
		r.exclusion = exclusionHeader
	case doc.Unsupported:
		r.exclusion = fmt.Sprintf("text cannot be extracted from %s yet", doc.MimeType)
	}
	r.images = index.Images(it.ID, doc, rules.sources)
	switch {
	case len(r.images) == 0:
	case meta.NoImageIndex:
		r.imageExclusion = exclusionNoImages
	case tags.NoImageIndex:
		r.imageExclusion = exclusionImageHeader
	default:
		r.imageExclusion = imageExclusion
	}
	if r.imageExclusion != "" {
		r.images = nil
	}
	r.imagesHash = index.HashImages(r.images)
	return r
}

// excludedAs is a reading of a snapshot, which does not say that what a header forbade is over.
func (r read) excludedAs(it *registry.Item) read {
	if it.Exclusion == exclusionHeader {
		r.exclusion = cmp.Or(r.exclusion, exclusionHeader)
	}
	return r
}
