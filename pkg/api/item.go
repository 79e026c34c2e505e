package api

import "time"

// Item is the registry's row for one source: the columns of seed 003 §4, flattened.
type Item struct {
	ID               string `json:"id"`   // {type}_{26 characters of base32}
	Type             string `json:"type"` // TypeURL or TypeFile
	Status           Status `json:"status"`
	NormalizedSource string `json:"normalizedSource"`
	DisplaySource    string `json:"displaySource,omitempty"` // for people: IDNA decoded
	SourceHost       string `json:"sourceHost,omitempty"`    // empty for files
	ParentPageID     string `json:"parentPageId,omitempty"`
	ContentGroupID   string `json:"contentGroupId,omitempty"` // joins http/https and query variants

	// AliasOf is the id of the item that stands for this one in the index; ErrorMessage says why.
	AliasOf string `json:"aliasOf,omitempty"`

	ReindexRequested  bool  `json:"reindexRequested"`
	ReindexGeneration int64 `json:"reindexGeneration"` // never falls

	// What the last successful fetch of a URL said.

	HTTPETag          string    `json:"httpEtag,omitempty"`
	HTTPLastModified  time.Time `json:"httpLastModified,omitzero"`
	HTTPContentLength *int64    `json:"httpContentLength,omitempty"` // bytes; left out when not told
	HTTPStatusCode    int       `json:"httpStatusCode,omitempty"`
	HTTPRedirectChain []string  `json:"httpRedirectChain,omitempty"` // first hop first
	HTTPRobotsAllowed *bool     `json:"httpRobotsAllowed,omitempty"` // left out until robots.txt was asked
	HTTPCanonicalURL  string    `json:"httpCanonicalUrl,omitempty"`

	// What the file's properties said.

	FileETag         string    `json:"fileEtag,omitempty"`
	FileLastModified time.Time `json:"fileLastModified,omitzero"`
	FileLength       *int64    `json:"fileLength,omitempty"` // bytes; left out when not told
	FileContentType  string    `json:"fileContentType,omitempty"`

	ContentHash string `json:"contentHash,omitempty"` // sha256:<hex> of what is indexed
	TextHash    string `json:"textHash,omitempty"`    // sha256:<hex> of all visible text
	Language    string `json:"language,omitempty"`    // BCP 47
	MimeType    string `json:"mimeType,omitempty"`

	LastIndexedDocID string `json:"lastIndexedDocId,omitempty"`
	ImageCount       int    `json:"imageCount"`

	FirstSeen            time.Time `json:"firstSeen,omitzero"`
	LastChecked          time.Time `json:"lastChecked,omitzero"`
	LastChanged          time.Time `json:"lastChanged,omitzero"`
	LastIndexed          time.Time `json:"lastIndexed,omitzero"`
	NextCrawlAt          time.Time `json:"nextCrawlAt,omitzero"` // left out: never again by itself
	CrawlIntervalSeconds int64     `json:"crawlIntervalSeconds,omitempty"`
	CrawlAttempts        int       `json:"crawlAttempts"`          // failures in a row
	ErrorMessage         string    `json:"errorMessage,omitempty"` // at most 1,024 characters

	// RemoveRequested says that the item is being removed.
	RemoveRequested bool `json:"removeRequested,omitempty"`
	// HeldSince is when the item was found missing, with too many others of its host to be believed
	// before a second look; GoneSince is when it was believed.
	HeldSince time.Time `json:"heldSince,omitzero"`
	GoneSince time.Time `json:"goneSince,omitzero"`
}

// ItemDetail is an item with all that is known of its past.
type ItemDetail struct {
	Item
	// History holds the last decisions, newest last. It is short (about 30); what is older is
	// told by Captures.
	History  []Decision `json:"history,omitempty"`
	Captures []Capture  `json:"captures,omitempty"` // newest first, at most MaxPast; GET items/{id}/captures has all
	Lineage  []Edge     `json:"lineage,omitempty"`  // newest first, at most MaxPast; GET items/{id}/lineage has all
}

// MaxPast is how many captures and edges come with an item.
const MaxPast = 1000

// CapturePage is one page of all captures of an item, in the order of their digests. Continuation is what to
// send for the next page; it is empty on the last one.
type CapturePage struct {
	Captures     []Capture `json:"captures"`
	Continuation string    `json:"continuation,omitempty"`
}

// EdgePage is one page of all edges of an item, newest first, as [CapturePage].
type EdgePage struct {
	Lineage      []Edge `json:"lineage"`
	Continuation string `json:"continuation,omitempty"`
}

// Decision is one thing Tidemark decided about an item, and why.
type Decision struct {
	At   time.Time `json:"at"`
	What string    `json:"what"` // one word or two: "indexed", "unchanged", "deferred"
	Why  string    `json:"why"`  // a sentence without a full stop: "304 to If-None-Match"
}

// Capture is one immutable record of bytes fetched for an item.
type Capture struct {
	SHA256               string              `json:"sha256"` // of the raw bytes, hex; names the capture
	ContentHash          string              `json:"contentHash,omitempty"`
	CanonicalURI         string              `json:"canonicalUri,omitempty"`
	FetchURL             string              `json:"fetchUrl,omitempty"` // that answered with the bytes, if it can be shown
	Header               map[string][]string `json:"header,omitempty"`   // of the answer, as far as it is kept
	CapturedAt           time.Time           `json:"capturedAt,omitzero"`
	LastVerifiedAt       time.Time           `json:"lastVerifiedAt,omitzero"` // last time the same was seen again
	Bytes                int64               `json:"bytes,omitempty"`
	MimeType             string              `json:"mimeType,omitempty"`
	StatusCode           int                 `json:"statusCode,omitempty"`
	RunID                string              `json:"runId,omitempty"`
	NormalizationVersion string              `json:"normalizationVersion,omitempty"`
}

// Edge says that a newer capture took over from an older one, and on what grounds (seed 000 §4.3).
// Captures are named by their item's id, a slash and their SHA256. A page that went back to what
// it was has an edge for that, whose newer capture is the earlier one.
type Edge struct {
	Newer string       `json:"newer"`
	Older string       `json:"older"`
	At    time.Time    `json:"at,omitzero"`
	Meta  EdgeMetadata `json:"metadata"`
}

// EdgeMetadata is the record of how the superseded capture was chosen (seed 000 §4.3). What did not match
// is null.
type EdgeMetadata struct {
	Reason             string  `json:"reason"`
	ConflictResolved   bool    `json:"conflict_resolved"`
	CanonicalURIMatch  *string `json:"canonical_uri_match"`
	ContentSHA256Match *string `json:"content_sha256_match"`
	Selected           string  `json:"selected"`
}
