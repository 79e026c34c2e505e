package api

import "time"

// Item is the registry's row for one source, flat (spec 003 §4).
type Item struct {
	ID     string `json:"id"`   // {type}_{26 characters of base32}
	Type   string `json:"type"` // TypeURL or TypeFile
	Status Status `json:"status"`
	Thin   bool   `json:"thin,omitempty"` // the page has little to read without its scripts
	// Collapsed says that the last check found all but nothing left of the content. Searches find what was known
	// until two more checks say the same.
	Collapsed bool `json:"collapsed,omitempty"`
	// WatchBroken says that the part of the page that is watched is not there, or not as it was.
	WatchBroken bool `json:"watchBroken,omitempty"`
	// Why the watch is broken, or else why it is collapsed, or else thin.
	Why              string `json:"why,omitempty"`
	NormalizedSource string `json:"normalizedSource"`
	DisplaySource    string `json:"displaySource,omitempty"` // for people: IDNA decoded
	SourceHost       string `json:"sourceHost,omitempty"`    // empty for files
	ParentPageID     string `json:"parentPageId,omitempty"`
	ContentGroupID   string `json:"contentGroupId,omitempty"` // joins http/https and query variants

	// AliasOf is the id of the item that stands for this one in the index; ErrorMessage says why.
	AliasOf string `json:"aliasOf,omitempty"`

	// How the source was found first (spec 004 INV-1, INV-2): by a backfill, in its run and by the job that is the
	// same for the same site and address.

	DiscoveryMethod string `json:"discoveryMethod,omitempty"` // API, BACKFILL, SENTINEL, INDEXNOW, ENTRY or REDIRECT
	DiscoveryRunID  string `json:"discoveryRunId,omitempty"`
	JobID           string `json:"jobId,omitempty"` // backfill:{source}:{12 hex digits}

	ReindexRequested  bool  `json:"reindexRequested"`
	ReindexGeneration int64 `json:"reindexGeneration"` // never falls

	// What the last successful fetch of a URL said.

	HTTPETag          string    `json:"httpEtag,omitempty"`
	HTTPLastModified  time.Time `json:"httpLastModified,omitzero"`
	HTTPContentLength *int64    `json:"httpContentLength,omitempty"` // bytes; left out when not told
	HTTPStatusCode    int       `json:"httpStatusCode,omitempty"`
	HTTPRedirectChain []string  `json:"httpRedirectChain,omitempty"` // first hop first
	HTTPRobotsAllowed *bool     `json:"httpRobotsAllowed,omitempty"` // left out until robots.txt was asked
	// that the page names, else where permanent redirects lead
	HTTPCanonicalURL string `json:"httpCanonicalUrl,omitempty"`

	// What the file's properties said.

	FileETag         string    `json:"fileEtag,omitempty"`
	FileLastModified time.Time `json:"fileLastModified,omitzero"`
	FileLength       *int64    `json:"fileLength,omitempty"` // bytes; left out when not told
	FileContentType  string    `json:"fileContentType,omitempty"`

	ContentHash string `json:"contentHash,omitempty"` // sha256:<hex> of what is indexed
	TextHash    string `json:"textHash,omitempty"`    // sha256:<hex> of all visible text
	Language    string `json:"language,omitempty"`    // BCP 47
	MimeType    string `json:"mimeType,omitempty"`

	// What the page says of itself; dates before 1990 and in the future are left out.

	PublishedAt time.Time `json:"publishedAt,omitzero"`
	ModifiedAt  time.Time `json:"modifiedAt,omitzero"`
	Author      string    `json:"author,omitempty"` // several are joined by commas
	SiteName    string    `json:"siteName,omitempty"`

	LastIndexedDocID string `json:"lastIndexedDocId,omitempty"`
	ImageCount       int    `json:"imageCount"`

	FirstSeen            time.Time `json:"firstSeen,omitzero"`
	LastChecked          time.Time `json:"lastChecked,omitzero"`
	LastChanged          time.Time `json:"lastChanged,omitzero"`
	LastIndexed          time.Time `json:"lastIndexed,omitzero"`
	NextCrawlAt          time.Time `json:"nextCrawlAt,omitzero"` // left out: not again by itself
	CrawlIntervalSeconds int64     `json:"crawlIntervalSeconds,omitempty"`
	CrawlAttempts        int       `json:"crawlAttempts"`          // failures in a row
	ErrorMessage         string    `json:"errorMessage,omitempty"` // at most 1,024 characters

	// What people have set for the item itself. What holds is told by [ItemDetail].

	Tags        []string     `json:"tags,omitempty"`
	Watch       *Watch       `json:"watch,omitempty"`
	Interval    *Interval    `json:"interval,omitempty"`
	Schedule    *Schedule    `json:"schedule,omitempty"`
	ActiveHours *ActiveHours `json:"activeHours,omitempty"`
	Priority    *int         `json:"priority,omitempty"` // 0, the last, to 9, the first
	// Paused says that the item is checked only when somebody asks for it.
	Paused bool `json:"paused,omitempty"`

	// RemoveRequested says that the item is being removed.
	RemoveRequested bool `json:"removeRequested,omitempty"`
	// GuardedSince is when the item was found missing, with too many others of its host to be believed
	// before a second check; GoneSince is when it was believed.
	GuardedSince time.Time `json:"heldSince,omitzero"`
	GoneSince    time.Time `json:"goneSince,omitzero"`
}

// ItemDetail is an item with all that is known of its past.
type ItemDetail struct {
	Item
	// Effective is what holds for the item: what it has set itself, what its tags set, and what the app does where nobody
	// says.
	Effective *Effective `json:"effective,omitempty"`
	// History holds the last decisions, newest last. It is short (about 30); what is older is
	// told by Captures.
	History  []Decision `json:"history,omitempty"`
	Captures []Capture  `json:"captures,omitempty"` // newest first, at most MaxPast; GET items/{id}/captures has all
	Lineage  []Edge     `json:"lineage,omitempty"`  // newest first, at most MaxPast; GET items/{id}/lineage has all
	Changes  []Change   `json:"changes,omitempty"`  // newest first, at most MaxPast
	// FormerIDs are those of items that have turned out to be this one under later rules for URLs, at most
	// MaxFormers. They answer with this item, and their captures are among its own, with the rules of their time.
	FormerIDs []string `json:"formerIds,omitempty"`
}

// MaxFormers is how many former ids come with an item.
const MaxFormers = 100

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

// Capture is one immutable record of bytes fetched for an item, read under one normalization version. After a change
// of version there may be several of the same bytes.
type Capture struct {
	SHA256       string `json:"sha256"` // of the raw bytes, hex; names the bytes
	ContentHash  string `json:"contentHash,omitempty"`
	CanonicalURI string `json:"canonicalUri,omitempty"`
	// that answered with the bytes, if it can be shown
	FetchURL       string              `json:"fetchUrl,omitempty"`
	Header         map[string][]string `json:"header,omitempty"` // of the answer, as far as it is kept
	CapturedAt     time.Time           `json:"capturedAt,omitzero"`
	LastVerifiedAt time.Time           `json:"lastVerifiedAt,omitzero"` // last time the same was seen again
	// when bytes that were kept were read under this version
	ReprocessedAt        time.Time `json:"reprocessedAt,omitzero"`
	Bytes                int64     `json:"bytes,omitempty"`
	MimeType             string    `json:"mimeType,omitempty"`
	StatusCode           int       `json:"statusCode,omitempty"`
	RunID                string    `json:"runId,omitempty"`
	NormalizationVersion string    `json:"normalizationVersion,omitempty"`

	// What the page said of itself then, as in an item.

	PublishedAt time.Time `json:"publishedAt,omitzero"`
	ModifiedAt  time.Time `json:"modifiedAt,omitzero"`
	Author      string    `json:"author,omitempty"`
	SiteName    string    `json:"siteName,omitempty"`
}

// Edge says that a newer capture took over from an older one, and on what grounds (spec 000 §4.3).
// Captures are named by their item's id, a slash and their SHA256. A page that went back to what
// it was has an edge for that, whose newer capture is the earlier one.
type Edge struct {
	Newer string       `json:"newer"`
	Older string       `json:"older"`
	At    time.Time    `json:"at,omitzero"`
	Meta  EdgeMetadata `json:"metadata"`
}

// EdgeMetadata is the record of how the superseded capture was chosen (spec 000 §4.3). What did not match
// is null.
type EdgeMetadata struct {
	Reason             string  `json:"reason"`
	ConflictResolved   bool    `json:"conflict_resolved"`
	CanonicalURIMatch  *string `json:"canonical_uri_match"`
	ContentSHA256Match *string `json:"content_sha256_match"`
	Selected           string  `json:"selected"`
}

// ChangeKind says what of a page has changed. The first that fits counts.
type ChangeKind string

// The kinds of change.
const (
	ChangeNew      ChangeKind = "new"      // the first content
	ChangeReverted ChangeKind = "reverted" // the text is one of the last eight that the page had
	ChangeContent  ChangeKind = "content"  // the text is another
	ChangeTitle    ChangeKind = "title"    // the title alone
	ChangeImages   ChangeKind = "images"   // the images alone
	ChangeMetadata ChangeKind = "metadata" // what the page says of itself, such as its canonical URL, alone

	// Only in the feed.

	ChangeGone      ChangeKind = "gone"      // the page is missing on several checks
	ChangeBack      ChangeKind = "back"      // a page that was gone is there again
	ChangeFailing   ChangeKind = "failing"   // three checks in a row have failed
	ChangeRecovered ChangeKind = "recovered" // a page that was failing was read again

	ChangeWatchBroken   ChangeKind = "watchBroken"   // the part that is watched is not there, or not as it was
	ChangeWatchRestored ChangeKind = "watchRestored" // the part that is watched is there again
)

// ChangeKinds lists every kind.
var ChangeKinds = []ChangeKind{ChangeNew, ChangeContent, ChangeReverted, ChangeTitle, ChangeImages, ChangeMetadata,
	ChangeGone, ChangeBack, ChangeFailing, ChangeRecovered, ChangeWatchBroken, ChangeWatchRestored}

// Change says what a capture meant to its item when the item was found to have it. Shares and words are those of
// the text, and are left out where what was there before is not remembered.
type Change struct {
	At     time.Time  `json:"at,omitzero"`
	Kind   ChangeKind `json:"kind"`
	SHA256 string     `json:"sha256"`           // of the capture
	Before string     `json:"before,omitempty"` // sha256 of the capture that the item had before
	// NewShare is the part of the text's letters that are new, GoneShare that of the letters before that are gone,
	// 0 to 1.
	NewShare     *float64 `json:"newShare,omitempty"`
	GoneShare    *float64 `json:"goneShare,omitempty"`
	WordsAdded   *int     `json:"wordsAdded,omitempty"`
	WordsRemoved *int     `json:"wordsRemoved,omitempty"`
	// The rules under which both texts were read.
	NormalizationVersion string `json:"normalizationVersion,omitempty"`
}

// ItemID names an item.
type ItemID struct {
	ID string `json:"-" path:"id"` // The item.
}

// CaptureQuery asks for captures of an item.
type CaptureQuery struct {
	ID  string `json:"-" path:"id"`                                   // The item.
	Top int    `json:"top,omitempty" default:"100" min:"1" max:"999"` // Captures of a page.
	// That of the page before; leave it out for the first.
	Continuation string `json:"continuation,omitempty"`
}

// EdgeQuery asks for edges of an item.
type EdgeQuery struct {
	ID  string `json:"-" path:"id"`                                   // The item.
	Top int    `json:"top,omitempty" default:"100" min:"1" max:"999"` // Edges of a page.
	// That of the page before; leave it out for the first.
	Continuation string `json:"continuation,omitempty"`
}

// CaptureID names a capture of an item.
type CaptureID struct {
	ID     string `json:"-" path:"id"`                   // The item.
	SHA256 string `json:"-" path:"sha256"`               // The capture: the digest of its bytes.
	Raw    bool   `json:"raw,omitempty" default:"false"` // The bytes instead of the text.
}
