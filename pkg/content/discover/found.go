package discover

import (
	"cmp"
	"time"
)

// Link is an address that was found.
type Link struct {
	URL string `json:"url"` // absolute, in the form of [source.FetchForm]
	// LastMod is when the page last changed as its site says, in UTC; zero when it does not say.
	// Of a date, month or year it is the beginning, and Span its length.
	LastMod time.Time     `json:"lastMod,omitzero"`
	Span    time.Duration `json:"span,omitempty"`
}

// Kind is what a body turned out to be.
type Kind string

// The kinds of documents that links are found in.
const (
	URLSet   Kind = "urlset"   // a sitemap of pages
	MapIndex Kind = "index"    // a sitemap of sitemaps
	TextList Kind = "text"     // one address a line
	RSS      Kind = "rss"      // RSS 0.9x and 2.0
	RDF      Kind = "rdf"      // RSS 0.90 and 1.0
	Atom     Kind = "atom"     // RFC 4287
	JSONFeed Kind = "jsonfeed" // jsonfeed.org
	HTML     Kind = "html"     // a listing page
)

// maxProblems bounds [Found.Problems].
const maxProblems = 10

// Found is what a document gave.
type Found struct {
	Kind  Kind
	Links []Link // pages, in document order, without repeats
	Maps  []Link // further sitemaps of an index, likewise
	// Next is where the same list goes on: the next page of a listing or of a paged feed
	// (RFC 5005 §3 and §4), or "".
	Next string
	// Truncated says which bound or mistake ended the reading early, such as "more than 50000
	// addresses"; "" when all was read.
	Truncated string
	Skipped   int      // entries without a usable address
	Problems  []string // why, for people: the first few, without secrets
}

// Bounds limit what is read of one document. A zero field means the bound of the sitemap protocol
// (sitemaps.org, "Sitemap file size"), and for MaxDepth one beyond the depth of any real file.
type Bounds struct {
	MaxBytes int64 // after decompression; 50 MiB
	MaxLinks int   // in Links and Maps together; 50,000
	MaxDepth int   // of nested elements; 64
	// Alternates also takes the translations that a sitemap names beside its pages (xhtml:link
	// rel=alternate hreflang).
	Alternates bool
}

func (b Bounds) orDefault() Bounds {
	b.MaxBytes = cmp.Or(b.MaxBytes, 50<<20)
	b.MaxLinks = cmp.Or(b.MaxLinks, 50_000)
	b.MaxDepth = cmp.Or(b.MaxDepth, 64)
	return b
}
