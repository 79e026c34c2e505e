// Package search is the contract of the index that answers queries. Callers put whole pages into an index; a search
// returns pages with their best passages. Package [searchtest] expresses the contract as tests.
//
// A page is replaced as a whole: after Put the index holds exactly the chunks that were given with the page, and
// after Remove it holds no chunks of the page. Both calls are idempotent, so a stage that was interrupted may run
// again. Put writes only the difference: new chunks, removed chunks and changed uids ([Page.Known]).
//
// Errors carry kinds of package fault: Invalid for input that the port refuses, Unavailable when the service does not
// answer.
package search

import (
	"context"
	"time"
)

// Bounds of the port.
const (
	MaxTop        = 100 // maximum number of results of a query
	MaxSkip       = 100_000
	MaxQueryRunes = 1_000 // longer queries are refused

	MaxKey       = 500     // bytes of a page's id, a chunk's key and an image's id
	MaxUID       = 3 << 10 // bytes of a chunk's uid, which may hold the path of a file
	MaxChunks    = 1 << 16 // chunks of a page
	MaxImages    = 500     // images of a page
	MaxImageSrc  = 2_000   // bytes of an image's address
	MaxImageText = 1_000   // bytes of each text of an image
	// MaxNested is the maximum number of images of one page in a result. It keeps an answer small enough to send even
	// if a hundred pages with galleries are found.
	MaxNested = 30
	MaxFacets = 20  // maximum number of values of one facet
	MaxTags   = 100 // number of tags of a page, each of at most MaxTag bytes
	MaxTag    = 500

	MaxSuggestRunes = 200 // length of the text that Suggest completes
	MaxSuggestions  = 8
)

// Page is what the index keeps of one item.
type Page struct {
	ID        string // the item's id, which is also the id of the document
	URL       string // the address that a reader opens
	Host      string
	Type      string // "page" for a fetched page, "entry" for an entry that was pushed in
	Title     string
	Language  string // BCP 47 primary subtag, or empty
	MimeType  string
	IndexedAt time.Time
	ChangedAt time.Time // when a check last found that the content had changed
	// PublishedAt is the publication date that the page states, after 1970; zero when the page states none.
	PublishedAt time.Time
	// Tags are words that people gave the page, without line breaks. If only the tags change, Put writes only the
	// tags.
	Tags   []string
	Chunks []Chunk
	// Group is the canonical address, which several pages may share. Pages of one group with the same Content form
	// one result. The page with the lowest Precedence is shown; of several such pages, the one with the lowest ID. A
	// page without a group is always a result of its own.
	Group      string
	Precedence int    // 0 to 9
	Content    string // digest of the page's text
	// Images are the page's children (spec 003 §8), in page order. Put and Remove apply to them together with the
	// page.
	Images []Image
	// Known describes what the index holds of this page. It is nil when the caller does not know; then the engine
	// reads from the index first. [Contents] says when Known is valid.
	Known *Contents
}

// Image is a picture that a page shows. The texts of an image are shown with it but not searched; only the text of
// chunks is searched.
type Image struct {
	ID      string // unique within the page; must satisfy IsKey, like a page's id
	Src     string // absolute address, at most [MaxImageSrc] bytes
	Alt     string // at most [MaxImageText] bytes, like Title and Caption
	Title   string
	Caption string
}

// Chunk is the unit of search.
type Chunk struct {
	// Key identifies the chunk within its page. It consists of characters that [IsKey] allows. The key also identifies
	// the values of Heading, Text and Vector: when one of them changes, the chunk must get another key.
	Key string
	// UID is the chunk's name in answers, any text of at most [MaxUID] bytes. It may change while the key stays the
	// same; then Put writes only the UID.
	UID     string
	Heading string // heading path, outermost first, joined by " › "
	Text    string
	// Zone is the zone of the page that the text is in, such as "beside"; "" for the main content, which ranks first. The
	// key also identifies the zone.
	Zone string
	// Anchor is the element id, without "#", by which a browser goes to the chunk's heading, or to the term with
	// which the chunk begins; "" if there is none. It may change while the key stays the same; then Put writes only
	// the anchor.
	Anchor string
	// Vector is the embedding of the text, or nil. All vectors of an index have the same length. An engine without
	// vectors ignores it.
	Vector []float32
}

// Query asks for pages. Words are joined by AND first, and by OR if that finds nothing. "Quoted words" are a phrase;
// a trailing * makes a prefix.
type Query struct {
	Text     string
	Top      int // 1 to MaxTop
	Skip     int // 0 to MaxSkip
	Host     string
	Type     string
	Language string
	Tag      string
	// If Path is set, only pages whose path ([PathOf]) begins with Path are found.
	Path string
	// If Since is set, only pages that have changed since then are found. An engine may use the dates of the matching
	// chunks instead of the date of their page.
	Since time.Time
	// If PublishedAfter is set, only pages published at or after that time are found; a page without a date is not.
	PublishedAfter time.Time
	// Facets requests the distribution of the matching pages over the values of facets. The ages of pages are
	// relative to Now.
	Facets bool
	Now    time.Time
	// NestImages requests the images of the pages that were found.
	NestImages bool
	Sort       Sort
	// Whole requests whole chunks as passages.
	Whole bool
	// Vector is the embedding of Text, or nil. An engine with vectors also finds the chunks nearest to Vector, and
	// ranks by both words and nearness. Other engines ignore Vector.
	Vector []float32
}

// Sort is the order of results. Results that compare as equal are ordered by id.
type Sort int

const (
	ByRelevance Sort = iota // best first
	// ByChange sorts by the time when the content last changed, newest first. Only pages with all words are found, or
	// pages with any word if no page has them all. Vectors are not used.
	ByChange
)

// Results are the pages found, in an order that does not depend on paging.
type Results struct {
	// Count is the number of matching pages, regardless of paging. If more than a thousand chunks match, an engine
	// may estimate Count and the facets, and then sets Estimated.
	Count     int
	Estimated bool
	// DidYouMean is the corrected query that was answered because the index lacks words of the original one; "" if
	// the original was answered.
	DidYouMean string
	// Note explains to people how the answer differs from the request; "" if it does not differ.
	Note    string
	Results []Result
	Facets  *Facets // set if [Query.Facets] is
}

// Facets count the matching pages by the values to which a query can be narrowed. Each list has at most [MaxFacets]
// values, sorted by descending count, and by value where counts are equal. Pages without a value are not counted. The
// age of a page is one of [Ages]: the youngest one that contains the page's last change.
type Facets struct {
	Hosts, Tags, Types, Languages, Ages []Facet
}

// Facet is one value and the number of pages that have it.
type Facet struct {
	Value string
	Count int
}

// Ages are the possible ages of pages in [Facets.Ages], youngest first. Pages older than the last one are counted as
// [Older].
var Ages = []Age{{"day", 24 * time.Hour}, {"week", 7 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour},
	{"year", 365 * 24 * time.Hour}}

// Older is the age of pages that are older than the last of [Ages].
const Older = "older"

// AgeOf returns the name of the youngest age that contains the given time of change.
func AgeOf(changed, now time.Time) string {
	for _, a := range Ages {
		if !changed.Before(now.Add(-a.Max)) {
			return a.Name
		}
	}
	return Older
}

// Age is an upper bound on how long ago content changed.
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
	// ChangedAt is when the content last changed. An engine may use the date of the matching chunks.
	ChangedAt time.Time
	// PublishedAt is the publication date that the page states; zero when the page states none.
	PublishedAt time.Time
	Passages    []Passage
	Images      []Image // if [Query.NestImages] is set: the page's first [MaxNested], in page order
}

// Passage is a piece of a chunk around the matches. Highlights are byte ranges of Text, ordered and disjoint.
type Passage struct {
	ChunkUID   string
	Heading    string
	Anchor     string // anchor of the chunk
	Zone       string // zone of the chunk
	Text       string
	Highlights []Range
}

// Range is the half-open byte range [From, To) of a passage's text.
type Range struct{ From, To int }

// Index is a search index.
type Index interface {
	// Create creates the index if it is missing.
	Create(ctx context.Context) error
	// Put replaces what the index holds of these pages by exactly the given contents and images; no id may occur
	// twice. It uses one transaction, or as few requests as the engine allows. A page that the engine refuses may
	// keep the other pages out of the index; putting the pages one by one shows which page is refused.
	Put(ctx context.Context, pages ...Page) error
	// Remove removes a page; a missing page is no error. The parameter known is the same as [Page.Known]. It lets
	// Remove also remove chunks that were put a moment ago and that the engine may not list yet.
	Remove(ctx context.Context, id string, known *Contents) error
	// Search answers a query.
	Search(ctx context.Context, q Query) (Results, error)
	// Suggest completes typed text of at most [MaxSuggestRunes] characters. It returns titles with words that begin
	// as typed. An engine that has a list of its words also returns words of that list that begin as typed. It
	// returns at most [MaxSuggestions], without repeats in any letter case.
	Suggest(ctx context.Context, typed string) ([]string, error)
	// Count returns the number of pages in the index.
	Count(ctx context.Context) (int, error)
	// Ping reports whether the index answers within ctx, and whether the last writes met a problem that an operator
	// has to solve.
	Ping(ctx context.Context) error
	Inventory
	Close() error
}
