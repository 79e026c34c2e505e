package api

import (
	"encoding/json"
	"strings"
	"time"
)

// Limits of a search.
const (
	DefaultTop = 10
	MaxTop     = 100
)

// SearchRequest finds the pages that best match Q. All words must match; if no page has them all, any word may match.
// "Quoted words" are a phrase, and a trailing * matches a prefix. A GET request has the same fields in its query.
type SearchRequest struct {
	Q string `json:"q" flag:"-"`
	// how many pages, from 1 to 100
	Top int `json:"top,omitempty" label:"Pages" flag:"top NUMBER" default:"10" min:"1" max:"100"`
	// how many pages to skip
	Skip int `json:"skip,omitempty" label:"Skipped" flag:"skip NUMBER" default:"0" min:"0" max:"100000"`
	// list a page's images under it
	NestImages bool `json:"nestImages,omitempty" label:"Images" flag:"images"`
	// only pages of this host
	Host string `json:"host,omitempty" label:"Host" flag:"host HOST" format:"hostname"`
	// only results of this type
	Type string `json:"type,omitempty" label:"Type" flag:"type TYPE" choices:"page|entry=what was pushed in"`
	// only pages in this language (BCP 47 primary subtag), such as en
	Language string `json:"language,omitempty" label:"Language" flag:"language LANGUAGE"`
	// only pages with this tag
	Tag string `json:"tag,omitempty" label:"Tag" flag:"tag TAG"`
	// only pages whose path begins with this, such as /docs/, which finds what is below; /docs also finds /docs-old
	Path string `json:"path,omitempty" label:"Path" flag:"path PATH"`
	// only results that changed since this time: day, week, month, year, a span such as 7d, a date, or a date and time
	Since        string `json:"since,omitempty" label:"Changed since" flag:"since TIME"`
	ChangedAfter string `json:"changedAfter,omitempty" flag:"-"` // same as since
	// only pages that state a later publication date than this time, in the forms of since
	PublishedAfter string `json:"publishedAfter,omitempty" label:"Published after" flag:"published-after TIME"`
	// in this order; by default relevance
	Sort string `json:"sort,omitempty" label:"Order" flag:"sort ORDER" choices:"relevance|changed=newest change first"`
	// count the pages by host, tag, type, language and age, or by the names given
	Facets FacetNames `json:"facets,omitempty" label:"Counts" flag:"facets NAMES"`
	// only results whose pages were verified within this time, such as 24h or 7d
	MaxAge string `json:"maxAge,omitempty" label:"Verified within" flag:"max-age TIME"`
	// what becomes of pages that were verified earlier: they are left out, or the first of them are verified now, which
	// requires a key with the scope write
	Stale string `json:"stale,omitempty" label:"Older ones" flag:"-" choices:"omit|recheck"`
}

// The orders of a search.
const (
	sortRelevance = "relevance"
	SortChanged   = "changed"
)

// FacetNames are the facets to count: some of host, tag, type, language and age, separated by commas, or true for all.
// A JSON body may also use the value true or a list of names.
type FacetNames string

// AllFacets selects every facet.
const AllFacets FacetNames = "true"

// UnmarshalJSON reads a text of names, a list of names, or true or false.
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

// SuggestQuery asks for completions of what has been typed.
type SuggestQuery struct {
	Q string `json:"q"` // the text typed so far, at most 200 characters
}

// Suggestions are at most eight completions: words of many titles, and whole titles.
type Suggestions struct {
	Suggestions []string `json:"suggestions"`
	Generation  string   `json:"generation,omitempty"` // as in SearchResponse
	Note        string   `json:"note,omitempty"`       // says that the index lacks pages, if it does
}

// SearchResponse has the pages found, in the requested order.
type SearchResponse struct {
	Count int `json:"count"` // number of all pages that match
	// Estimated is true when count and facets are estimates, which is possible beyond a thousand matches.
	Estimated bool           `json:"estimated,omitempty"`
	Results   []SearchResult `json:"results"`
	Facets    *Facets        `json:"facets,omitempty"` // set only if the request has Facets
	Note      string         `json:"note,omitempty"`   // how the answer may differ from what was asked
	// Generation is the name of the index that answered. After a new name, scores are not comparable with those before.
	Generation string `json:"generation,omitempty"`
	// DidYouMean is the query that was answered in place of q. It is set if no page contains some word of q, which
	// may be misspelt.
	DidYouMean string `json:"didYouMean,omitempty"`
	// StaleResults is the number of results that maxAge left out.
	StaleResults int `json:"staleResults,omitempty"`
}

// Facets counts the pages found, by the values of each facet: at most 20 values, the most frequent first. Facets that
// were not requested and pages without a value are left out. The age of a page depends on the last change of its
// content: it is the first of day, week, month, year and older that applies.
type Facets struct {
	Hosts     []Facet `json:"hosts,omitzero"`
	Tags      []Facet `json:"tags,omitzero"`
	Types     []Facet `json:"types,omitzero"`
	Languages []Facet `json:"languages,omitzero"`
	Ages      []Facet `json:"ages,omitzero"`
}

// Facet is a value and the number of pages that have it.
type Facet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// The types of results.
const (
	TypePage  = "page"  // fetched from a source
	TypeEntry = "entry" // pushed in through the API
)

// SearchResult is one page or entry with its best passages.
type SearchResult struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	URL      string  `json:"url"` // for an entry, the page that it is about, or empty
	Title    string  `json:"title"`
	Language string  `json:"language,omitempty" label:"Language"`
	Score    float64 `json:"score" label:"Score"` // comparable within one answer only
	// ChangedAt is when the content last changed. With Azure AI Search, it is when the passages that were found last
	// changed.
	ChangedAt time.Time `json:"changedAt,omitzero" label:"Changed"`
	// PublishedAt is the publication date that the page states.
	PublishedAt time.Time `json:"publishedAt,omitzero" label:"Published"`
	Passages    []Passage `json:"passages"`
	Images      []Image   `json:"images,omitempty"` // only with NestImages: the first 30 in page order
	// Page is the linked page, for an entry that is a link.
	Page *LinkedPage `json:"page,omitempty" label:"-"`
	// CheckedAt is when the page was last verified; only with maxAge.
	CheckedAt time.Time `json:"checkedAt,omitzero" label:"Verified"`
}

// LinkedPage is the item of a linked page. The title is empty until the page is crawled.
type LinkedPage struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Status Status `json:"status"`
}

// Passage is an excerpt of a page around a match.
type Passage struct {
	ChunkUID string `json:"chunkUid"`
	Heading  string `json:"heading,omitempty"` // path of headings, outermost first, joined by " › "
	// Anchor is the URL fragment that leads to the heading or to the defined term. It is left out if the page has no
	// id for that place.
	Anchor     string  `json:"anchor,omitempty"`
	Zone       string  `json:"zone,omitempty"` // beside, for text beside the main content; left out for the main content
	Text       string  `json:"text"`
	Highlights []Range `json:"highlights"` // ordered and disjoint
}

// Address appends an anchor to the address of a page. If the anchor is empty or the address already has a fragment,
// the address is returned unchanged.
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
	Source        string `json:"source"` // address of the page that shows the image; same as the parent (spec 003 §8)
}

// ImageList lists the images of an item in the index, in page order.
type ImageList struct {
	Images []Image `json:"images"`
}
