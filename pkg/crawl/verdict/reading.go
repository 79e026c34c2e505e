package verdict

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Reading is the content of a body, with the part of it that may be indexed.
type Reading struct {
	Doc            extract.Document // the indexed document: the page, or its watched part
	Words          change.Words     // words of the main content; set only if Compare needs them
	Raw            string           // sha256:<hex> of the body
	Hash           string           // the contentHash of the item
	Body           [8]byte          // the bodyHash of the item
	Main           [8]byte          // hash of the main content alone
	Folded         []extract.Folded // what the hashes leave out
	Exclusion      string           // why the page may not be indexed; "" if it may
	Images         []search.Image
	ImagesHash     string
	ImageExclusion string           // why the page's images may not be indexed; "" if they may
	Unreadable     error            // why the body cannot be read
	Unread         bool             // the body has no text that can be read; Hash and Body are those of its bytes
	Page           extract.Document // the whole page
	Part           *part.Part       // the watched part; nil if no part is watched
	Linked         bool             // a header gives the canonical address
	Fields         []field.Result
	NoFields       string // why the fields were not read
	UnreadData     jsonld.Unread
}

// The exclusions that a page can ask for: in the body or in a header, for the whole page or for its images.
const (
	exclusionNoIndex     = "noindex"
	exclusionHeader      = "noindex by X-Robots-Tag"
	exclusionNoImages    = "noimageindex"
	exclusionImageHeader = "noimageindex by X-Robots-Tag"
)

// The reasons why a container or a folder itself is not searchable.
const (
	ExclusionContainer = "a container: its blobs are items of their own"
	ExclusionFolder    = "a folder: its files are items of their own"
)

// IsListing reports whether an item is a container or a folder, whose checks are listings.
func IsListing(it *registry.Item) bool {
	return it.Exclusion == ExclusionContainer || it.Exclusion == ExclusionFolder
}

// ReadingOf decides which content of a document may be indexed, by the document's meta elements and by the
// X-Robots-Tag headers that came with it. A stored document has no headers. For such a document, the argument
// imageExclusion states why the headers excluded the images earlier. That still applies.
func ReadingOf(
	it *registry.Item, doc extract.Document, raw string, header []string, imageExclusion string,
	rules Rules, now time.Time,
) Reading {
	r := Reading{Doc: doc, Raw: raw}
	h, folded := doc.HashesFolded()
	r.Hash, r.Body, r.Main, r.Folded = h.Content, h.Body, h.Main, folded
	if r.Unread = isUnread(doc) && raw != ""; r.Unread {
		sum := sha256.Sum256([]byte(raw))
		r.Hash, r.Body, r.Main = raw, [8]byte(sum[:8]), [8]byte{}
	}
	meta := robots.ParseDirectives(doc.MetaRobots, rules.Agent, now)
	tags := robots.ParseDirectives(header, rules.Agent, now)
	switch {
	case meta.NoIndex:
		r.Exclusion = exclusionNoIndex
	case tags.NoIndex:
		r.Exclusion = exclusionHeader
	case doc.Unsupported:
		r.Exclusion = fmt.Sprintf("text cannot be extracted from %s yet", doc.MimeType)
	}
	r.Images = index.Images(it.ID, doc, rules.Sources)
	switch {
	case len(r.Images) == 0:
	case meta.NoImageIndex:
		r.ImageExclusion = exclusionNoImages
	case tags.NoImageIndex:
		r.ImageExclusion = exclusionImageHeader
	default:
		r.ImageExclusion = imageExclusion
	}
	if r.ImageExclusion != "" {
		r.Images = nil
	}
	r.ImagesHash = index.HashImages(r.Images, rules.Sources)
	return r
}

// Indexing returns the same reading, of which another document is indexed. See [ReadingOf].
func (r Reading) Indexing(it *registry.Item, doc extract.Document, header []string, imageExclusion string, rules Rules,
	now time.Time) Reading {
	out := ReadingOf(it, doc, r.Raw, header, imageExclusion, rules, now)
	out.Page, out.Part, out.Linked = r.Page, r.Part, r.Linked
	out.Fields, out.NoFields, out.UnreadData = r.Fields, r.NoFields, r.UnreadData
	return out
}

// isUnread reports whether only the bytes of a document show that it has changed: no package reads its type, or it
// has no text, as a PDF of scanned pages. A web page without text is not compared by its bytes, because most sites
// send other bytes each time.
func isUnread(doc extract.Document) bool {
	return doc.Unsupported || doc.VisibleText == "" && !web.IsHTML(doc.MimeType)
}

// ExcludedAs applies the exclusions that the item's header asked for. A snapshot has no headers, so reading a
// snapshot cannot end such an exclusion.
func (r Reading) ExcludedAs(it *registry.Item) Reading {
	if it.Exclusion == exclusionHeader {
		r.Exclusion = cmp.Or(r.Exclusion, exclusionHeader)
	}
	return r
}
