// Package search is the contract of the index that answers queries: whole pages go in and come
// out with their best passages. [searchtest] is the contract as tests.
//
// A page is replaced as a whole: after Put the index holds exactly the chunks that were given with the page, after
// Remove none of its chunks. Both are idempotent, so a stage that died may run again. Only the difference is written:
// chunks that are new, chunks that are gone, names that changed ([Page.Known]).
//
// Errors carry kinds of package fault: Invalid for what the port refuses, Unavailable when the
// service does not answer.
package search

import (
	"context"
	"time"
)

// Bounds of the port.
const (
	MaxTop        = 100 // results per query
	MaxSkip       = 100_000
	MaxQueryRunes = 1_000 // longer queries are refused

	MaxKey       = 500     // bytes of a page's id, a chunk's key and an image's id
	MaxUID       = 3 << 10 // bytes of a chunk's uid, which may hold the path of a file
	MaxChunks    = 1 << 16 // chunks of a page
	MaxImages    = 500     // images of a page
	MaxImageSrc  = 2_000   // bytes of an image's address
	MaxImageText = 1_000   // bytes of each of its texts
	// MaxNested is how many images of one page a result holds, so that a hundred galleries remain
	// an answer that can be sent.
	MaxNested = 30
	MaxFacets = 20  // values of one facet
	MaxTags   = 100 // tags of a page, of at most MaxTag bytes
	MaxTag    = 500

	MaxSuggestRunes = 200 // what somebody has typed so far
	MaxSuggestions  = 8
)

// Page is what the index keeps of one item.
type Page struct {
	ID        string // item id, also the id of the document
	URL       string // what a reader opens
	Host      string
	Type      string // "page" of what was fetched, "entry" of what was pushed in
	Title     string
	Language  string // BCP 47 primary subtag, or empty
	MimeType  string
	IndexedAt time.Time
	ChangedAt time.Time // when a check last found that the content had changed
	// PublishedAt is the date of publication that the page gives, after 1970; zero when it gives none.
	PublishedAt time.Time
	// Tags are words that people gave the page, without line breaks. When only they change, only they are written.
	Tags   []string
	Chunks []Chunk
	// Group is the canonical address, which several pages may share. Pages of one group with the same Content are one
	// result: the page with the least Precedence, then the least ID. A page without a group is always a result of its
	// own.
	Group      string
	Precedence int    // 0 to 9
	Content    string // digest of the page's text
	// Images are the page's children (spec 003 §8), in page order. They come and go with the page.
	Images []Image
	// Known is what the index holds of this page, if the caller knows; nil when it does not, and then the engine reads it.
	// See [Contents] for when a caller knows.
	Known *Contents
}

// Image is a picture that a page shows. Its texts are shown with it; only what is in chunks
// is searched.
type Image struct {
	ID      string // unique within the page, fit to be a key like a page's
	Src     string // absolute address, at most [MaxImageSrc] bytes
	Alt     string // at most [MaxImageText] bytes, like the next two
	Title   string
	Caption string
}

// Chunk is the unit that is searched.
type Chunk struct {
	// Key names the chunk within its page, in characters fit for a document's key. It stands for
	// Heading, Text and Vector: a chunk that says something else has another key.
	Key string
	// UID is what answers call the chunk, any text of at most [MaxUID] bytes. It may change while
	// the key stays; then it alone is written.
	UID     string
	Heading string // heading path, outermost first, joined by " › "
	Text    string
	// Anchor is the id on the page by which a browser goes to the chunk's heading, or to the term that it begins with,
	// without "#"; "" for none. It may change while the key stays; then it alone is written.
	Anchor string
	// Vector is the embedding of the text, or nil. All vectors of an index have one length. An
	// engine without vectors passes it over.
	Vector []float32
}

// Query asks for pages. Words are joined by AND first and by OR when that finds nothing;
// "quoted words" are a phrase; a trailing * is a prefix.
type Query struct {
	Text     string
	Top      int // 1 to MaxTop
	Skip     int // 0 to MaxSkip
	Host     string
	Type     string
	Language string
	Tag      string
	// Path, unless it is empty, leaves out pages whose path ([PathOf]) does not begin so.
	Path string
	// Since, unless it is zero, leaves out what has not changed since. An engine may go by the
	// chunks that match instead of their page.
	Since time.Time
	// PublishedAfter, unless it is zero, leaves out what was published before, and what does not say when.
	PublishedAfter time.Time
	// Facets asks how the pages that match are distributed, their ages as of Now.
	Facets bool
	Now    time.Time
	// NestImages asks for the images of the pages found.
	NestImages bool
	Sort       Sort
	// Whole asks for whole chunks as passages.
	Whole bool
	// Vector is the embedding of Text, or nil. An engine with vectors then also finds the chunks
	// that are nearest to it, and ranks by both; others pass it over.
	Vector []float32
}

// Sort is the order of results; equals are in the order of their ids.
type Sort int

const (
	ByRelevance Sort = iota // best first
	// ByChange is by when the content last changed, the newest first, among the pages that have all words, or any
	// where none has them all. Nearness counts for nothing.
	ByChange
)

// Results are the pages found, in an order that does not depend on paging.
type Results struct {
	// Count is the number of pages that match, regardless of paging. An engine may estimate it and the
	// facets when there are more than a thousand chunks that match, and then says so.
	Count     int
	Estimated bool
	// DidYouMean is the query that was answered instead, because the index does not have words of the one
	// that was asked; "" otherwise.
	DidYouMean string
	// Note is what the engine answers otherwise than was asked, for people; "" for nothing.
	Note    string
	Results []Result
	Facets  *Facets // with [Query.Facets]
}

// Facets count the pages that match, by what a query can be narrowed to. Each lists at most
// [MaxFacets] values, the most frequent first, equals by value; pages without a value are left
// out. Ages are those of [Ages], each page in the youngest that it belongs to.
type Facets struct {
	Hosts, Tags, Types, Languages, Ages []Facet
}

// Facet is one value and the number of pages that have it.
type Facet struct {
	Value string
	Count int
}

// Ages are the steps of [Facets.Ages], youngest first. Pages older than the last are counted as
// [Older].
var Ages = []Age{{"day", 24 * time.Hour}, {"week", 7 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour},
	{"year", 365 * 24 * time.Hour}}

// Older is the age beyond the last step.
const Older = "older"

// AgeOf is the name of the youngest age that something which changed at a moment belongs to.
func AgeOf(changed, now time.Time) string {
	for _, a := range Ages {
		if !changed.Before(now.Add(-a.Max)) {
			return a.Name
		}
	}
	return Older
}

// Age is how long ago content changed at most.
type Age struct {
	Name string
	Max  time.Duration
}

// Result is one page with its best passages.
type Result struct {
	ID       string
	URL      string
	Type     string
	Title    string
	Language string
	Score    float64
	// ChangedAt is when the content last changed. An engine may go by the chunks that match.
	ChangedAt time.Time
	// PublishedAt is when it says that it was published; zero when it does not.
	PublishedAt time.Time
	Passages    []Passage
	Images      []Image // with [Query.NestImages]: the page's first [MaxNested], in page order
}

// Passage is a piece of a chunk around what was found. Highlights are byte ranges of Text,
// ordered and disjoint.
type Passage struct {
	ChunkUID   string
	Heading    string
	Anchor     string // of the chunk
	Text       string
	Highlights []Range
}

// Range is the half-open byte range [From, To) of a passage's text.
type Range struct{ From, To int }

// Index is a search index.
type Index interface {
	// Create makes the index if it is missing.
	Create(ctx context.Context) error
	// Put makes the index hold exactly these pages with their images, no id twice: one transaction, or as few
	// requests as the engine allows. A page that is refused may keep the others out; putting them
	// one by one tells which it is.
	Put(ctx context.Context, pages ...Page) error
	// Remove takes a page out; a page that is not there is no error. known is as in [Page.Known]: with
	// it, also what was put a moment ago leaves, which an engine may not see yet.
	Remove(ctx context.Context, id string, known *Contents) error
	// Search answers a query.
	Search(ctx context.Context, q Query) (Results, error)
	// Suggest completes what somebody types, at most [MaxSuggestRunes] of it: by titles whose words begin with it, and
	// where the engine has a list of its words, by those. At most [MaxSuggestions], in no case twice the same.
	Suggest(ctx context.Context, typed string) ([]string, error)
	// Count is the number of pages in the index.
	Count(ctx context.Context) (int, error)
	// Ping reports whether the index answers, within ctx, and whether the last writes met something
	// that an operator has to deal with.
	Ping(ctx context.Context) error
	Inventory
	Close() error
}
