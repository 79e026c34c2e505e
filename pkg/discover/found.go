package discover

import (
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

// Bounds limit what is read of one document. The zero value stands for [DefaultBounds], field by
// field.
type Bounds struct {
	MaxBytes int64 // after decompression
	MaxLinks int   // in Links and Maps together
	MaxDepth int   // of nested elements
	// Alternates also takes the translations that a sitemap names beside its pages (xhtml:link
	// rel=alternate hreflang).
	Alternates bool
}

// DefaultBounds are those of the sitemap protocol (sitemaps.org, "Sitemap file size"), and a depth
// beyond that of any real file.
func DefaultBounds() Bounds { return Bounds{MaxBytes: 50 << 20, MaxLinks: 50_000, MaxDepth: 64} }

func (b Bounds) orDefault() Bounds {
	d := DefaultBounds()
	if b.MaxBytes > 0 {
		d.MaxBytes = b.MaxBytes
	}
	if b.MaxLinks > 0 {
		d.MaxLinks = b.MaxLinks
	}
	if b.MaxDepth > 0 {
		d.MaxDepth = b.MaxDepth
	}
	d.Alternates = b.Alternates
	return d
}
