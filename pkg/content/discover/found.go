package discover

import (
	"cmp"
	"fmt"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// Link is an address found in a document.
type Link struct {
	URL string `json:"url"` // absolute, in the form of [source.FetchForm]
	// LastMod is the time at which the page last changed according to its site, in UTC; zero if the site gives no
	// time. If the site gives only a day, month or year, LastMod is the beginning of that period and Span its length.
	LastMod time.Time     `json:"lastMod,omitzero"`
	Span    time.Duration `json:"span,omitempty"`
}

// Kind is the recognized kind of a body.
type Kind string

// The kinds of documents with links.
const (
	urlSet   Kind = "urlset"   // a sitemap of pages
	mapIndex Kind = "index"    // a sitemap of sitemaps
	textList Kind = "text"     // one address per line
	rssKind  Kind = "rss"      // RSS 0.9x and 2.0
	rdfKind  Kind = "rdf"      // RSS 0.90 and 1.0
	atomKind Kind = "atom"     // RFC 4287
	jsonKind Kind = "jsonfeed" // jsonfeed.org
	htmlKind Kind = "html"     // a listing page
)

// maxProblems limits the number of [Found.Problems].
const maxProblems = 10

// Found is the result of reading a document.
type Found struct {
	Kind  Kind
	Links []Link // pages, in document order, without repeats
	Maps  []Link // further sitemaps of an index, in document order, without repeats
	// Next is the address at which the list continues: the next page of a listing or of a paged feed (RFC 5005 §3 and
	// §4), or "".
	Next string
	// Truncated names the bound or mistake that ended the reading early, such as "more than 50000 addresses". It is
	// "" if everything was read.
	Truncated string
	Entries   int      // number of entries, including useless and repeated ones
	Skipped   int      // number of entries without a usable address
	Problems  []string // the first few skipped entries, by number with the reason, for people to read, without secrets
}

// Unread says what of the document was not read, and why.
func (f Found) Unread() (why []string) {
	if f.Truncated != "" {
		why = append(why, "not read to its end: "+f.Truncated)
	}
	if missed := f.shortfall(); missed != "" {
		why = append(why, missed)
	}
	return why
}

// shortfall says how many entries were not understood and what the first of them lacks; "" if all were understood.
func (f Found) shortfall() string {
	if f.Skipped == 0 || len(f.Problems) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d entries could not be read; the first is %s", f.Skipped, max(f.Entries, f.Skipped),
		f.Problems[0])
}

// Bounds limit how much of one document is read. If a field is zero, the bound of the sitemap protocol applies
// (sitemaps.org, "Sitemap file size"). If MaxDepth is zero, the bound is greater than the depth of any real file.
type Bounds struct {
	MaxBytes int64 // of the decompressed body; default 50 MiB
	MaxLinks int   // in Links and Maps together; default 50,000
	MaxDepth int   // levels of nested elements; default 64
	// If Alternates is true, the translations that a sitemap lists with its pages (xhtml:link rel=alternate hreflang)
	// are collected, too.
	Alternates bool
	// Charset is the charset of the response's Content-Type. It applies to a document that declares no encoding (RFC
	// 7303 §3).
	Charset string
}

func (b Bounds) orDefault() Bounds {
	b.MaxBytes = cmp.Or(b.MaxBytes, 50<<20)
	b.MaxLinks = cmp.Or(b.MaxLinks, 50_000)
	b.MaxDepth = cmp.Or(b.MaxDepth, 64)
	return b
}

// namedFeeds selects the feeds that a page names for readers of feeds (RSS autodiscovery).
const namedFeeds = `link[rel~=alternate][type*="rss"][href], link[rel~=alternate][type*="atom"][href], ` +
	`link[rel~=alternate][type*="feed+json"][href]`

// maxFeeds limits the feeds that are read of one page. Most pages name one or two: their own and one of comments.
const maxFeeds = 5

// Feeds returns the addresses of the feeds that a page names, in the order of the page. The base argument is the final
// address of the page; a base element in the page takes precedence. Errors: Invalid for a body that is not a web page
// or too deeply nested to parse.
func Feeds(body []byte, contentType, base string) ([]string, error) {
	root, err := parse(body, contentType)
	if err != nil {
		return nil, err
	}
	c := newCollector(htmlKind, base, maxFeeds)
	page := goquery.NewDocumentFromNode(root).Selection
	c.rebase(page)
	for _, link := range page.Find(namedFeeds).EachIter() {
		c.page(link.AttrOr("href", ""), time.Time{}, 0)
	}
	var out []string
	for _, link := range c.Links {
		out = append(out, link.URL)
	}
	return out, nil
}

// UsualFeeds returns the addresses at which sites without named feeds usually have one, given that of any page.
func UsualFeeds(page string) (out []string) {
	c := newCollector(htmlKind, page, 10)
	for _, path := range [...]string{"/feed", "/rss.xml", "/atom.xml", "/feed.xml", "/index.xml"} {
		c.page(path, time.Time{}, 0)
	}
	for _, link := range c.Links {
		out = append(out, link.URL)
	}
	return out
}
