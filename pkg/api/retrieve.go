package api

import "time"

// Bounds of what is retrieved.
const (
	DefaultTokens = 2000
	MaxTokens     = 20_000
	MaxQueries    = 8
)

// How old a page may be that was not verified lately: see [RetrieveRequest.MaxAge].
const (
	StaleOmit    = "omit"
	StaleRecheck = "recheck"
)

// RetrieveRequest asks for the passages that answer one question, or several, best: at most Tokens of text together.
type RetrieveRequest struct {
	Q       string         `json:"q,omitempty"`
	Queries []string       `json:"queries,omitempty"` // instead of q: up to MaxQueries
	Tokens  int            `json:"tokens,omitempty" default:"2000" min:"50" max:"20000"`
	Filter  RetrieveFilter `json:"filter,omitzero"`
	// only pages that were found to be so within this time, such as 24h or 7d
	MaxAge string `json:"maxAge,omitempty"`
	// what becomes of others: omit, or recheck, which takes a key for writing
	Stale string `json:"stale,omitempty"`
	// refused, as there is no index of the past: GET items/{id}/text has pages as they were
	AsOf string `json:"asOf,omitempty"`
}

// RetrieveFilter narrows what passages come from, as the fields of [SearchRequest] of the same names.
type RetrieveFilter struct {
	Host           string `json:"host,omitempty"`
	Type           string `json:"type,omitempty"`
	Language       string `json:"language,omitempty"`
	Tag            string `json:"tag,omitempty"`
	Path           string `json:"path,omitempty"`
	Since          string `json:"since,omitempty"`
	ChangedAfter   string `json:"changedAfter,omitempty"`
	PublishedAfter string `json:"publishedAfter,omitempty"`
}

// Search is the search for a question among what the filter leaves.
func (f RetrieveFilter) Search(q string) SearchRequest {
	return SearchRequest{Q: q, Host: f.Host, Type: f.Type, Language: f.Language, Tag: f.Tag, Path: f.Path,
		Since: f.Since, ChangedAfter: f.ChangedAfter, PublishedAfter: f.PublishedAfter}
}

// RetrieveResponse holds the passages, best first.
type RetrieveResponse struct {
	Passages []RetrievedPassage `json:"passages"`
	// Tokens is about how many tokens of a language model the texts have.
	Tokens int `json:"tokens"`
	// Stale is how many pages were left out because they were not verified within the time asked for.
	Stale int `json:"stale,omitempty"`
	// Note is what of a question was read or answered otherwise than it may be meant.
	Note string `json:"note,omitempty"`
}

// RetrievedPassage is a part of a page, whole: between two headings, or as much of that as is searched at once.
type RetrievedPassage struct {
	Text        string   `json:"text"`
	URL         string   `json:"url"`
	Title       string   `json:"title"`
	HeadingPath []string `json:"headingPath"` // outermost first
	// Anchor, behind the address and a #, leads browsers to the heading, or to the term that is defined: its id, if the
	// page has one, else the text of the heading.
	Anchor string `json:"anchor,omitempty"`
	ItemID string `json:"itemId"` // of an entry: its id
	// Capture is the SHA-256 of the capture that has the text, At when that was made or the entry was written.
	Capture string    `json:"capture,omitempty"`
	At      time.Time `json:"at,omitzero"`
	// CheckedAt is when the page was last found to be so.
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	Score     float64   `json:"score"` // comparable within one answer only
}

// ToolMessage is a message of the Model Context Protocol, in JSON-RPC 2.0.
type ToolMessage map[string]any

// TextQuery asks for a page as it was read.
type TextQuery struct {
	ID string `json:"-" path:"id"` // The item.
	// A time, a day, whose end is meant, or day, week, month or year for as long ago; or the SHA-256 of a capture.
	// Now when it is left out.
	AsOf   string `json:"asOf,omitempty"`
	Format string `json:"format,omitempty"` // markdown, the default; text without marks; or json, which tells what it is of.
}

// PageText is a page as it was read, and what an answer cites it by.
type PageText struct {
	ItemID string `json:"itemId"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	// Capture is the SHA-256 of the capture, At when it was made, CheckedAt when the page was last found to be so.
	Capture   string    `json:"capture"`
	At        time.Time `json:"at,omitzero"`
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	Current   bool      `json:"current"` // it is what the page has now
	Text      string    `json:"text"`    // Markdown
}
