// Package search is the contract of the index that answers queries. Callers put whole pages into an index. A search
// returns pages with their best passages. Package [searchtest] expresses the contract as tests.
//
// A page is replaced as a whole. After Put, the index holds exactly the chunks that were passed with the page. After
// Remove, it holds no chunks of the page. Both calls are idempotent, so a stage that was interrupted may run again.
// Put writes only the difference: new chunks, removed chunks and changed uids ([Page.Known]).
//
// Errors have kinds of package fault: Invalid for input that the port refuses, Unavailable if the service does not
// answer.
package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The bounds of the port.
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
	// MaxNested is the maximum number of images of one page in a result. With it, an answer is small enough to send,
	// even if a hundred pages with galleries are found.
	MaxNested = 30
	MaxFacets = 20  // maximum number of values of one facet
	MaxTags   = 100 // number of tags of a page, each of at most MaxTag bytes
	MaxTag    = 500

	MaxSuggestRunes = 200 // maximum length of the text that Suggest completes
	MaxSuggestions  = 8
)

// Page is the data of an item that the index keeps.
type Page struct {
	ID        string // the item's id, which is also the id of the document
	URL       string // the address that readers open
	Host      string
	Type      string // "page" for a fetched page, "entry" for an entry that was pushed in
	Title     string
	Language  string // BCP 47 primary subtag, or empty
	MimeType  string
	IndexedAt time.Time
	ChangedAt time.Time // time of the last check that found a change of content
	// PublishedAt is the publication date that the page states, after 1970. It is zero if the page states none.
	PublishedAt time.Time
	// Tags are words that people gave to the page, without line breaks. If only the tags change, Put writes only the
	// tags.
	Tags   []string
	Chunks []Chunk
	// Group is the canonical address, which several pages may share. Pages of one group with the same Content form
	// one result, which shows only one of them: the page with the lowest Precedence, and among equals the one with
	// the lowest ID. A page without a group is always a result of its own.
	Group      string
	Precedence int    // 0 to 9
	Content    string // digest of the page's text
	Capture    string // the capture that the texts come from; "" for an entry
	// Images are the page's images (spec 003 §8), in page order. Put and Remove apply to them together with the page.
	Images []Image
	// Known describes the contents of the index for this page, or is nil if the caller does not know them. If it is
	// nil, the engine reads from the index first. [Contents] says when Known is valid.
	Known *Contents
}

// Image is a picture that a page shows. The texts of an image are shown with the image but not searched.
type Image struct {
	ID      string // unique within the page; must satisfy IsKey, like a page's id
	Src     string // absolute address, at most [MaxImageSrc] bytes
	Alt     string // at most [MaxImageText] bytes, like Title and Caption
	Title   string
	Caption string
}

// Chunk is the unit of search.
type Chunk struct {
	// Key identifies the chunk within its page. It consists of characters that [IsKey] allows. The key also
	// identifies the values of Heading, Text and Vector: when one of these values changes, the chunk must get another
	// key.
	Key string
	// UID is the chunk's name in answers. It is any text of at most [MaxUID] bytes, and may change while the key
	// stays the same. In that case, Put writes only the UID.
	UID     string
	Heading string // heading path, outermost first, joined by " › "
	Text    string
	// Zone is the zone of the page that contains the text, such as "beside". It is "" for the main content, which
	// ranks first. The key also identifies the zone.
	Zone string
	// Anchor is the element id, without "#", by which a browser goes to the chunk's heading, or to the term with
	// which the chunk begins. It is "" if there is none. It may change while the key stays the same. In that case,
	// Put writes only the anchor.
	Anchor string
	// Vector is the embedding of the text, or nil. All vectors of an index have the same length. Engines without
	// vectors ignore it.
	Vector []float32
}

// Query requests pages. Words are joined by AND first, and by OR if no page has all words. "Quoted words" are a
// phrase. A word with a * at its end is a prefix.
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
	// chunks instead of the dates of their pages.
	Since time.Time
	// If PublishedAfter is set, only pages published at or after that time are found. Pages without a date are not.
	PublishedAfter time.Time
	// Facets requests the numbers of matching pages for the values of facets. The ages of pages are relative to Now.
	Facets bool
	Now    time.Time
	// NestImages requests the images of the pages that were found.
	NestImages bool
	Sort       Sort
	// Whole requests whole chunks as passages.
	Whole bool
	// Vector is the embedding of Text, or nil. An engine with vectors also finds the chunks nearest to Vector, and
	// ranks by words and nearness together. Other engines ignore Vector.
	Vector []float32
}

// Sort is the order of results. Results that compare as equal are ordered by id.
type Sort int

const (
	ByRelevance Sort = iota // best first
	// ByChange sorts by the time of the last change of the content, newest first. Only pages with all words are
	// found. If no page has all words, pages with any of the words are found. Vectors are not used.
	ByChange
)

// Results are the pages that were found, in an order that does not depend on paging.
type Results struct {
	// Count is the number of matching pages, regardless of paging. If more than a thousand chunks match, an engine
	// may estimate Count and the facets. Estimated is then set.
	Count     int
	Estimated bool
	// DidYouMean is the corrected query, if it was answered in place of the original because the index lacks words of
	// the original. It is "" if the original was answered.
	DidYouMean string
	// Index is the name of the index that answered; "" if it has none.
	Index string
	// Note explains to people how the answer differs from the request; "" if it does not differ.
	Note    string
	Results []Result
	Facets  *Facets // set if [Query.Facets] is
}

// Facets count the matching pages by the values to which a query can be narrowed. Each list has at most [MaxFacets]
// values, sorted by descending count, and values with equal counts by value. Pages without a value are not counted.
// The age of a page is the youngest of [Ages] that contains the page's last change.
type Facets struct {
	Hosts, Tags, Types, Languages, Ages []Facet
}

// Facet is a value and the number of pages that have it.
type Facet struct {
	Value string
	Count int
}

// Ages are the possible ages of pages in [Facets.Ages], youngest first. Pages older than the last of them are counted
// as older.
var Ages = []Age{{"day", 24 * time.Hour}, {"week", 7 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour},
	{"year", 365 * 24 * time.Hour}}

// older is the age of pages that are older than the last of [Ages].
const older = "older"

// AgeOf returns the name of the youngest age that contains the time of the given change.
func AgeOf(changed, now time.Time) string {
	for _, a := range Ages {
		if !changed.Before(now.Add(-a.Max)) {
			return a.Name
		}
	}
	return older
}

// Age is an upper bound on the time since content changed.
type Age struct {
	Name string
	Max  time.Duration
}

// Result is a page with its best passages.
type Result struct {
	ID       string
	URL      string
	Type     string
	Title    string
	Language string
	Score    float64
	// ChangedAt is the time when the content last changed. An engine may use the dates of the matching chunks.
	ChangedAt time.Time
	// PublishedAt is the publication date that the page states. It is zero if the page states none.
	PublishedAt time.Time
	Passages    []Passage
	Images      []Image // the page's first [MaxNested] images, in page order, if [Query.NestImages] is set
}

// Passage is a piece of a chunk around the matches. Highlights are byte ranges of Text, in order and disjoint.
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

// Index is a search index that tells what was written to it.
type Index interface {
	Engine
	// Page returns what the index holds of a page: its texts, without images and vectors, in the order of the last Put
	// as far as the index keeps it. Errors: NotFound if the index does not hold the page.
	Page(ctx context.Context, id string) (Page, error)
	// Follow returns what was written to the index since a cursor. Errors: Expired for a cursor that is too old, or that
	// this index never gave; Invalid for a cursor of another filter.
	Follow(ctx context.Context, q FollowQuery) (Followed, error)
	// Forget forgets deletions before the given time. Older cursors expire.
	Forget(ctx context.Context, before time.Time) error
}

// Engine is a search index that need not know what was written to it when. Package written makes an [Index] of it.
type Engine interface {
	// Create creates the index if the index is missing.
	Create(ctx context.Context) error
	// Put replaces the contents of the index for these pages with exactly the given contents and images. No id may
	// occur twice. Put uses one transaction, or as few requests as the engine allows. A page that the engine refuses
	// may keep the other pages out of the index. Putting the pages one by one shows which page is refused.
	Put(ctx context.Context, pages ...Page) error
	// Remove removes a page. If the page is missing, Remove returns no error. The known contents are those of
	// [Page.Known]. With them, Remove also removes chunks that were put a moment ago and that the engine may not list
	// yet.
	Remove(ctx context.Context, id string, known *Contents) error
	// Search answers a query.
	Search(ctx context.Context, q Query) (Results, error)
	// Suggest completes typed text of at most [MaxSuggestRunes] characters. It returns titles with words that begin
	// like the typed text. An engine that has a list of its words also returns words that begin in this way. There
	// are at most [MaxSuggestions], without repeats in any letter case.
	Suggest(ctx context.Context, typed string) ([]string, error)
	// Texts returns the texts of chunks of a page, by their uids. Chunks that the page lacks are left out.
	Texts(ctx context.Context, id string, uids []string) (map[string]string, error)
	// Count returns the number of pages in the index.
	Count(ctx context.Context) (int, error)
	// Ping checks that the index answers within ctx. It also reports a problem that the last writes met and that an
	// operator has to solve.
	Ping(ctx context.Context) error
	Inventory
	Close() error
}

// Contents describes the documents of a page in an index, so that the next Put can write only the difference, without
// reading first. A caller gets it by calling [Page.Contents] on the page that it put last, and may store it as JSON.
// A Contents is valid only if every Put and Remove of the page since then returned nil. A call that failed or was
// interrupted may have left chunks that belong to no page. Only a Put without Known removes those chunks.
type Contents struct {
	Fields string            `json:"fields"`         // digest of those values of the page that are written with each chunk
	Tags   string            `json:"tags,omitempty"` // digest of the tags, which are written without the texts; "" for none
	Chunks map[string]string `json:"chunks"`         // uids of the chunks, by key
	// Anchors holds the anchors of the chunks that have one, by key.
	Anchors map[string]string `json:"anchors,omitempty"`
	Images  map[string]string `json:"images"` // digests of the images, by id
}

// Contents returns the contents of an index after a Put of p.
func (p Page) Contents() *Contents {
	h := &Contents{
		Fields: p.fields(),
		Chunks: make(map[string]string, len(p.Chunks)), Anchors: map[string]string{},
		Images: make(map[string]string, len(p.Images)),
	}
	if len(p.Tags) > 0 {
		h.Tags = digest(p.Tags...)
	}
	for _, c := range p.Chunks {
		h.Chunks[c.Key] = c.UID
		if c.Anchor != "" {
			h.Anchors[c.Key] = c.Anchor
		}
	}
	for _, img := range p.Images {
		h.Images[img.ID] = digest(p.URL, img.Src, img.Alt, img.Title, img.Caption)
	}
	return h
}

// fields returns a digest of all values of a page by which its chunks are filtered, ranked or shown.
func (p Page) fields() string {
	all := []string{p.URL, p.Host, p.Type, p.Title, p.Language, p.Group}
	if !p.PublishedAt.IsZero() { // if the zero date were included, every page without a date would be written again
		all = append(all, p.PublishedAt.UTC().Format(time.RFC3339))
	}
	return digest(all...)
}

// digest returns 96 bits of a hash. That is enough, because a digest is compared only with others of the same page.
func digest(texts ...string) string {
	encoded, _ := json.Marshal(texts) // encoding strings never fails
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:12])
}

var _ Index = None{}

// None is the index to use when no index is configured. It holds nothing. Put and Search return Unavailable, with an
// error that names the settings to configure. Package crawl never puts a page into None.
type None struct{}

// errNone is shown in the answer to a search. Its text names the missing settings for the operator.
var errNone = fault.New(fault.Unavailable,
	"no search index is configured: set SEARCH_ENDPOINT to the address of an Azure AI Search, and what was crawled "+
		"enters it by itself")

// Create does nothing.
func (None) Create(context.Context) error { return nil }

// Put returns Unavailable.
func (None) Put(context.Context, ...Page) error { return errNone }

// Remove does nothing.
func (None) Remove(context.Context, string, *Contents) error { return nil }

// Search returns Unavailable, with an error that says what to configure. A query that the port refuses is Invalid
// instead.
func (None) Search(_ context.Context, q Query) (Results, error) {
	if err := q.Check(); err != nil {
		return Results{}, err
	}
	return Results{}, errNone
}

// Suggest returns Unavailable, with an error that says what to configure.
func (None) Suggest(context.Context, string) ([]string, error) { return nil, errNone }

// Texts returns nothing.
func (None) Texts(context.Context, string, []string) (map[string]string, error) { return nil, nil }

// Page returns NotFound.
func (None) Page(_ context.Context, id string) (Page, error) {
	return Page{}, fault.New(fault.NotFound, "there is no index that could hold page %s", id)
}

// Follow returns Unavailable, with an error that says what to configure.
func (None) Follow(context.Context, FollowQuery) (Followed, error) { return Followed{}, errNone }

// Forget does nothing.
func (None) Forget(context.Context, time.Time) error { return nil }

// Count returns 0.
func (None) Count(context.Context) (int, error) { return 0, nil }

// Ping returns nil.
func (None) Ping(context.Context) error { return nil }

// Inspect returns NotFound.
func (None) Inspect(_ context.Context, id string) (Stored, error) {
	return Stored{}, fault.New(fault.NotFound, "there is no index that could hold page %s", id)
}

// IDs returns nothing.
func (None) IDs(context.Context, string, int) ([]string, error) { return nil, nil }

// Close does nothing.
func (None) Close() error { return nil }

// Inventory is the part of an index that an audit uses to see the actual contents.
type Inventory interface {
	// Inspect returns the contents of the index for a page. Errors: NotFound if there are none.
	Inspect(ctx context.Context, id string) (Stored, error)
	// IDs returns page ids in ascending order, starting after the given id; "" is less than all ids. It returns at
	// most top ids. A page is included even if the index holds only parts of it.
	IDs(ctx context.Context, after string, top int) ([]string, error)
}

// Stored lists the keys, ids and tags that an index holds of a page.
type Stored struct {
	Chunks map[string]string // uids of the chunks, by key
	Images map[string]bool   // the set of image ids
	Tags   []string          // tags of the page
}
