package api

import (
	"encoding/json"
	"strings"
	"time"
)

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
	Tag        string `json:"tag,omitempty"`      // only pages with this tag
	// only pages whose path begins so, of host or of all: /docs/ is what is below, /docs also /docs-old
	Path string `json:"path,omitempty"`
	// only what changed since: a time, or day, week, month or year for as long ago
	Since        string `json:"since,omitempty"`
	ChangedAfter string `json:"changedAfter,omitempty"` // another name of Since
	// only what says that it was published since, in the same forms
	PublishedAfter string `json:"publishedAfter,omitempty"`
	// relevance, which it is when left out, or changed: the newest change first
	Sort   string     `json:"sort,omitempty"`
	Facets FacetNames `json:"facets,omitempty"`
	// of these results, only pages that were found to be so within this time, such as 24h or 7d
	MaxAge string `json:"maxAge,omitempty"`
	// what becomes of others: omit, or recheck, which takes a key for writing
	Stale string `json:"stale,omitempty"`
}

// The orders of a search.
const (
	SortRelevance = "relevance"
	SortChanged   = "changed"
)

// FacetNames say what the pages found are counted by: some of host, tag, type, language and age, joined by commas, or
// true for all. In a body the JSON true and a list of names do, too.
type FacetNames string

// AllFacets are all that there are.
const AllFacets FacetNames = "true"

// UnmarshalJSON reads names, a list of them, or true or false.
func (n *FacetNames) UnmarshalJSON(data []byte) error {
	var one string
	var list []string
	var all bool
	switch {
	case json.Unmarshal(data, &all) == nil && !all:
	case all:
		one = string(AllFacets)
	case json.Unmarshal(data, &list) == nil:
		one = strings.Join(list, ",")
	default:
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
	}
	*n = FacetNames(one)
	return nil
}

// SuggestQuery asks how what somebody types may go on.
type SuggestQuery struct {
	Q string `json:"q"` // what was typed, at most 200 characters
}

// Suggestions are at most eight completions: words that many pages are called by, and titles.
type Suggestions struct {
	Suggestions []string `json:"suggestions"`
}

// SearchResponse holds the pages found, in the order that was asked for.
type SearchResponse struct {
	Count int `json:"count"` // pages that match, regardless of paging
	// Estimated says that the count and the facets are estimates, as they may be beyond a thousand matches.
	Estimated bool           `json:"estimated,omitempty"`
	Results   []SearchResult `json:"results"`
	Facets    *Facets        `json:"facets,omitempty"` // only with Facets
	Note      string         `json:"note,omitempty"`   // what of the query was read or answered otherwise than it may be meant
	// DidYouMean is the query that was answered instead, because no page has some word of q; it may be misspelt.
	DidYouMean string `json:"didYouMean,omitempty"`
	// StaleResults is how many results MaxAge left out.
	StaleResults int `json:"staleResults,omitempty"`
}

// Facets count the pages found by what a search can be narrowed to: at most 20 values each, the most
// frequent first. Facets that were not asked for, and pages that have no value, are left out. An age is the
// youngest of day, week, month, year and older that a page belongs to, by when its content last changed.
type Facets struct {
	Hosts     []Facet `json:"hosts,omitzero"`
	Tags      []Facet `json:"tags,omitzero"`
	Types     []Facet `json:"types,omitzero"`
	Languages []Facet `json:"languages,omitzero"`
	Ages      []Facet `json:"ages,omitzero"`
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
	// ChangedAt is when the content last changed; with Azure AI Search, that of the passages found.
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// PublishedAt is when the page says that it was published.
	PublishedAt time.Time `json:"publishedAt,omitzero"`
	Passages    []Passage `json:"passages"`
	Images      []Image   `json:"images,omitempty"` // only with NestImages: the first 30 in page order
	// Page is set for an entry that is a link: the page that it is about.
	Page *LinkedPage `json:"page,omitempty"`
	// CheckedAt is when the page was last found to be so; only with MaxAge.
	CheckedAt time.Time `json:"checkedAt,omitzero"`
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
	ChunkUID string `json:"chunkUid"`
	Heading  string `json:"heading,omitempty"` // path of headings, outermost first, joined by " › "
	// Anchor, behind the address of the page and a #, leads browsers to the heading, or to the term that is defined;
	// missing where the page has no id for it.
	Anchor     string  `json:"anchor,omitempty"`
	Text       string  `json:"text"`
	Highlights []Range `json:"highlights"` // ordered and disjoint
}

// Address is the address of a page with an anchor behind it, if there is one and the address has none.
func Address(page, anchor string) string {
	if page == "" || anchor == "" || strings.Contains(page, "#") {
		return page
	}
	return page + "#" + anchor
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
