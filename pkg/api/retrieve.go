package api

import "time"

// Limits of a retrieval.
const (
	defaultTokens = 2000
	maxTokens     = 20_000
	MaxQueries    = 8
)

// The values of [RetrieveRequest.Stale], which say what happens to pages that were not verified within MaxAge.
const (
	staleOmit    = "omit"
	StaleRecheck = "recheck"
)

// RetrieveRequest asks for the passages that best answer one or several questions. Their texts have at most Tokens
// tokens in total.
type RetrieveRequest struct {
	Q       string   `json:"q,omitempty" flag:"-"`
	Queries []string `json:"queries,omitempty" flag:"-"` // several questions, at most MaxQueries, in place of q
	// how many tokens, at most
	Tokens int            `json:"tokens,omitempty" label:"Tokens" flag:"tokens NUMBER" default:"2000" min:"50" max:"20000"`
	Filter RetrieveFilter `json:"filter,omitzero"`
	// only pages that were verified within this time, such as 24h or 7d
	MaxAge string `json:"maxAge,omitempty" label:"Verified within" flag:"max-age TIME"`
	// what becomes of pages that were verified earlier: they are left out, or the first of them are verified now, which
	// requires a key with the scope write
	Stale string `json:"stale,omitempty" label:"Older ones" flag:"-" choices:"omit|recheck"`
	// not supported, since the index has no history; use GET items/{id}/text for earlier versions of a page
	AsOf string `json:"asOf,omitempty" flag:"-"`
}

// RetrieveFilter limits the sources of passages. Its fields have the same meaning as in [SearchRequest].
type RetrieveFilter struct {
	// only pages of this host
	Host string `json:"host,omitempty" label:"Host" flag:"host HOST" format:"hostname"`
	// only results of this type
	Type string `json:"type,omitempty" label:"Type" flag:"type TYPE" choices:"page|entry=what was pushed in"`
	// only pages in this language (BCP 47 primary subtag), such as en
	Language string `json:"language,omitempty" label:"Language" flag:"language LANGUAGE"`
	// only pages with this tag
	Tag string `json:"tag,omitempty" label:"Tag" flag:"tag TAG"`
	// only pages whose path begins with this, such as /docs/
	Path string `json:"path,omitempty" label:"Path" flag:"path PATH"`
	// only results that changed since this time, as in a search
	Since        string `json:"since,omitempty" label:"Changed since" flag:"since TIME"`
	ChangedAfter string `json:"changedAfter,omitempty" flag:"-"` // same as since
	// only pages that state a later publication date than this time
	PublishedAfter string `json:"publishedAfter,omitempty" label:"Published after" flag:"published-after TIME"`
}

// Search returns the search for a question within the filter.
func (f RetrieveFilter) Search(q string) SearchRequest {
	return SearchRequest{Q: q, Host: f.Host, Type: f.Type, Language: f.Language, Tag: f.Tag, Path: f.Path,
		Since: f.Since, ChangedAfter: f.ChangedAfter, PublishedAfter: f.PublishedAfter}
}

// RetrieveResponse holds the passages, best first.
type RetrieveResponse struct {
	Passages []RetrievedPassage `json:"passages"`
	// Tokens is the approximate number of tokens in all texts.
	Tokens int `json:"tokens"`
	// Stale is the number of pages left out because they were not verified within maxAge.
	Stale int `json:"stale,omitempty"`
	// Note says how the answer may differ from what was asked.
	Note string `json:"note,omitempty"`
	// Generation is the name of the index that answered.
	Generation string `json:"generation,omitempty"`
}

// RetrievedPassage is a complete section of a page between two headings, or one chunk of it if the section is long.
type RetrievedPassage struct {
	Text        string   `json:"text"`
	URL         string   `json:"url"`
	Title       string   `json:"title"`
	HeadingPath []string `json:"headingPath"` // outermost first
	// Anchor is the URL fragment that leads to the heading or to the defined term. If the page has an id for it, the
	// fragment is that id; if not, it is made from the text of the heading.
	Anchor string `json:"anchor,omitempty"`
	// Zone is "beside" if the text is beside the main content of the page. It is left out for the main content.
	Zone   string `json:"zone,omitempty"`
	ItemID string `json:"itemId"` // for an entry, the entry's id
	// ChunkUIDs are the names of the passage's chunks, in their order.
	ChunkUIDs []string `json:"chunkUids"`
	// Capture is the SHA-256 of the capture that the text comes from. At is the time when the capture was made, or
	// when the entry was written.
	Capture string    `json:"capture,omitempty"`
	At      time.Time `json:"at,omitzero"`
	// CheckedAt is when the page was last verified.
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	Score     float64   `json:"score"` // comparable within one answer only
}

// ToolMessage is a message of the Model Context Protocol, in JSON-RPC 2.0.
type ToolMessage map[string]any

// TextQuery returns the text of a page.
type TextQuery struct {
	ID string `json:"-" path:"id"` // The item.
	// A time, a date (meaning its end), or a span such as 1h, 7d or week, counted back from now; or the SHA-256 of a
	// capture. Default: now.
	AsOf string `json:"asOf,omitempty"`
	// markdown (the default), text for plain text, or json to include where the text comes from.
	Format string `json:"format,omitempty"`
	// Set it to main to leave out the text beside the main content.
	Zone string `json:"zone,omitempty"`
}

// PageText is the text of a page, with the facts that are needed to cite it.
type PageText struct {
	ItemID string `json:"itemId"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	// Capture is the SHA-256 of the capture, At is when it was made, and CheckedAt is when the page was last verified.
	Capture   string    `json:"capture"`
	At        time.Time `json:"at,omitzero"`
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	Current   bool      `json:"current"` // the text is the page's current text
	// NextCheckIn is the number of seconds to the page's next check, 0 if it is due. Until then the page stays as it is,
	// unless somebody asks for a check, or its site reports a change.
	NextCheckIn int    `json:"nextCheckIn,omitempty"`
	Text        string `json:"text"`          // Markdown: the main content, and then the text beside it
	Cut         string `json:"cut,omitempty"` // the part of the text that is not read, and whether it is watched
}
