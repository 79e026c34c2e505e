package api

import "time"

// Bounds of a search.
const (
	DefaultTop = 10
	MaxTop     = 100
)

// SearchRequest asks for the pages that answer Q best. Words are joined by AND first and by OR
// when that finds nothing; "quoted words" are a phrase; a trailing * is a prefix. As a GET the
// same names travel in the query.
type SearchRequest struct {
	Q          string `json:"q"`
	Top        int    `json:"top,omitempty" default:"10" min:"1" max:"100"` // 1 to MaxTop; DefaultTop when zero
	Skip       int    `json:"skip,omitempty" default:"0" min:"0" max:"100000"`
	NestImages bool   `json:"nestImages,omitempty"` // put a page's images under it
	Host       string `json:"host,omitempty"`
	Type       string `json:"type,omitempty"`     // TypePage or TypeEntry
	Language   string `json:"language,omitempty"` // BCP 47 primary subtag
	// only what changed since: a time, or day, week, month or year for as long ago
	Since string `json:"since,omitempty"`
	// only what says that it was published since, in the same forms
	PublishedAfter string `json:"publishedAfter,omitempty"`
	Facets         bool   `json:"facets,omitempty"` // count the pages found by host, type, language and age
}

// SearchResponse holds the pages found, best first.
type SearchResponse struct {
	Count int `json:"count"` // pages that match, regardless of paging
	// Estimated says that the count and the facets are estimates, as they may be beyond a thousand matches.
	Estimated bool           `json:"estimated,omitempty"`
	Results   []SearchResult `json:"results"`
	Facets    *Facets        `json:"facets,omitempty"` // only with Facets
	Note      string         `json:"note,omitempty"`   // what of the query was read otherwise than it may be meant
	// DidYouMean is the query that was answered instead, because no page has some word of q; it may be misspelt.
	DidYouMean string `json:"didYouMean,omitempty"`
}

// Facets count the pages found by what a search can be narrowed to: at most 20 values each, the most
// frequent first. Pages that have no value are left out. An age is the youngest of day, week, month, year
// and older that a page belongs to, by when its content last changed.
type Facets struct {
	Hosts     []Facet `json:"hosts"`
	Types     []Facet `json:"types"`
	Languages []Facet `json:"languages"`
	Ages      []Facet `json:"ages"`
}

// Facet is one value and the number of pages that have it.
type Facet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// The types of what is found.
const (
	TypePage  = "page"  // what was fetched
	TypeEntry = "entry" // what was pushed in
)

// SearchResult is one page or entry with its best passages.
type SearchResult struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	URL      string  `json:"url"` // of an entry: empty, or what it is about
	Title    string  `json:"title"`
	Language string  `json:"language,omitempty"`
	Score    float64 `json:"score"` // comparable within one answer only
	// PublishedAt is when the page says that it was published.
	PublishedAt time.Time `json:"publishedAt,omitzero"`
	Passages    []Passage `json:"passages"`
	Images      []Image   `json:"images,omitempty"` // only with NestImages: the first 30 in page order
	// Page is set for an entry that is a link: the page that it is about.
	Page *LinkedPage `json:"page,omitempty"`
}

// LinkedPage is the page that a link is about, as an item. The title is empty until it was crawled.
type LinkedPage struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Status Status `json:"status"`
}

// Passage is a piece of a page around what was found.
type Passage struct {
	ChunkUID   string  `json:"chunkUid"`
	Heading    string  `json:"heading,omitempty"` // path of headings, outermost first, joined by " › "
	Text       string  `json:"text"`
	Highlights []Range `json:"highlights"` // ordered and disjoint
}

// Range is the half-open range [From, To) of bytes of a passage's text in UTF-8.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Image is an image of a page.
type Image struct {
	ID            string `json:"id"`
	Src           string `json:"src"`
	Alt           string `json:"alt,omitempty"`
	Title         string `json:"title,omitempty"`
	Caption       string `json:"caption,omitempty"`
	ParentPageID  string `json:"parentPageId"`
	ParentPageURL string `json:"parentPageUrl"`
	Source        string `json:"source"` // the page that shows it, which is the parent (spec 003 §8)
}
