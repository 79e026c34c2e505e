package api

import (
	"strings"
	"time"
)

// The labels of an item say what people call a field that is shown to them, in the order of the fields; see package
// form. The choices of a yes or no are its words.

// Item is one source as the registry stores it, without nesting (spec 003 §4).
type Item struct {
	ID   string `json:"id" label:"ID"`                                  // {type}_{26 characters of base32}
	Type string `json:"type" label:"Kind" choices:"url=page|file=file"` // TypeURL or TypeFile
	// the page's own title when it was last indexed
	Title            string `json:"title,omitempty" label:"Title"`
	NormalizedSource string `json:"normalizedSource" label:"Stored as"`
	// the source as people read it, with IDNA decoded
	DisplaySource string `json:"displaySource,omitempty" label:"Source"`
	SourceHost    string `json:"sourceHost,omitempty" label:"Host"` // empty for files
	Status        Status `json:"status" label:"Status"`
	ErrorMessage  string `json:"errorMessage,omitempty" label:"Error"` // at most 1,024 characters
	// number of checks in a row that failed or found 404 or 410
	CrawlAttempts int `json:"crawlAttempts" label:"Checks in a row that failed or found no page"`
	// Warning says what is not as one may expect of the address that was given. Only the answer to an addition has it.
	Warning string `json:"warning,omitempty" label:"Warning"`
	// Undo takes this change back. Only the answer to a change has it.
	Undo *Undo `json:"undo,omitempty" label:"-"`
	// Check says what becomes of the check that was asked for. Only the answer to such a request has it.
	Check *AskedCheck `json:"check,omitempty" label:"-"`
	// WaitsFor says that the item waits for its host, which cannot be reached. Only GET items/{id} has it.
	WaitsFor *WaitsFor `json:"waitsFor,omitempty" label:"Waits for its host" unit:"whole"`
	// WatchBroken is true when the watched part of the page is missing or no longer looks as it did.
	WatchBroken bool `json:"watchBroken,omitempty" label:"Watch broken"`
	// WatchEmpty says that nothing stands in what is watched, while the rest of the page is as before. That there is
	// something again is a change of its text.
	WatchEmpty *WatchEmpty `json:"watchEmpty,omitempty" label:"Watched part empty" unit:"whole"`
	// Collapsed is true when the last check found almost nothing left of the content. Searches keep finding the
	// previous content until two more checks find the same.
	Collapsed bool `json:"collapsed,omitempty" label:"Collapsed"`
	Thin      bool `json:"thin,omitempty" label:"Thin"` // the page has little text unless its scripts run
	// Why explains the first of WatchBroken, Collapsed and Thin that is true.
	Why string `json:"why,omitempty" label:"Why"`
	// NotIndexed says why the content is kept, but not in the index, such as noindex: that is obeyed in the page as it
	// was sent, and if its scripts set it.
	NotIndexed string `json:"notIndexed,omitempty" label:"Not indexed"`
	// what is not read of the text, and whether it is watched
	Cut string `json:"cut,omitempty" label:"Cut"`
	// AliasOf is the id of the item that is in the index in place of this one. ErrorMessage says why.
	AliasOf string `json:"aliasOf,omitempty" label:"Alias of"`
	// CaptureCount is the number of stored captures, as far as known. An item with one has not changed since it was read.
	CaptureCount int `json:"captureCount,omitempty" label:"Captures"`
	// RemoveRequested is true while the item is being removed.
	RemoveRequested bool `json:"removeRequested,omitempty" label:"Being removed"`
	// DraftUntil is when the item is removed, if nobody wants it until then: it was registered only to look at it.
	DraftUntil time.Time `json:"draftUntil,omitzero" label:"Removed if nobody wants it"`
	// GuardedSince is when the item was found missing together with too many other items of its host. A second check
	// has to confirm that it is missing.
	GuardedSince time.Time `json:"heldSince,omitzero" label:"Missing, with others of its host, since"`
	// UnlinkedSince is the time since which no page of the followed site links to the page. The page is not removed.
	UnlinkedSince time.Time `json:"unlinkedSince,omitzero" label:"No page of its site links to it since"`
	// GoneSince is when it was confirmed that the item is missing.
	GoneSince time.Time `json:"goneSince,omitzero" label:"Gone since"`
	// Uncompared is left out if all text is compared.
	Uncompared *Uncompared `json:"uncompared,omitempty" label:"Not compared" unit:"whole"`
	// Offer is a rule that would leave out a number which has moved alone in several checks. Until somebody adds the
	// rule to watch.ignore, the number is compared.
	Offer *IgnoreOffer `json:"offer,omitempty" label:"Offer" unit:"whole"`
	// Silent is the number of parts whose moves are not told by default, because they move at most checks or a person has
	// decided so. GET items/{id}/memory lists them.
	Silent int `json:"silent,omitempty" label:"Silent parts"`
	// Fields are the values of the page, by name: those that watch.fields asks for, and what the page declares.
	Fields map[string]ItemField `json:"fields,omitempty" label:"Values"`
	// UnreadData says what of the data that the page declares for programs was not read.
	UnreadData *UnreadData `json:"unreadData,omitempty" label:"Not read" unit:"whole"`
	// Rendered is what a browser showed of the page when it was last rendered, if it ever was.
	Rendered *Rendered `json:"rendered,omitempty"`

	// These are the settings of the item itself. [ItemDetail] has the effective ones.

	Tags []string `json:"tags,omitempty" label:"Tags"`
	Settings
	// Paused is true when the item is checked only on request.
	Paused bool `json:"paused,omitempty" label:"Paused"`
	// Effective has the settings in force. The item's own settings take precedence over those of its tags, and these
	// over the defaults of the app. Lists leave it out.
	Effective *Effective `json:"effective,omitempty" label:"-"`
	// Replaced are settings that this change has removed, because another one was set in their place: schedule or
	// interval.
	Replaced []string `json:"replaced,omitempty" label:"Replaced"`

	// Checks says how often a rule wants the item to be checked: the shortest time that is in force.
	Checks *ItemChecks `json:"checks,omitempty" label:"Checked for a rule" unit:"whole"`

	NextCrawlAt          time.Time `json:"nextCrawlAt,omitzero" label:"Next check"` // left out if no check is scheduled
	CrawlIntervalSeconds int64     `json:"crawlIntervalSeconds,omitempty" label:"Interval" format:"every"`
	LastChecked          time.Time `json:"lastChecked,omitzero" label:"Last checked"`
	LastChanged          time.Time `json:"lastChanged,omitzero" label:"Last changed"`
	LastIndexed          time.Time `json:"lastIndexed,omitzero" label:"Last indexed"`
	FirstSeen            time.Time `json:"firstSeen,omitzero" label:"First seen"`
	ReindexRequested     bool      `json:"reindexRequested" label:"Force" choices:"true=a forced check is waiting"`
	// increases whenever the item is to be indexed again; never decreases
	ReindexGeneration int64 `json:"reindexGeneration" label:"Generation"`

	// These fields are from the last successful fetch of a URL.

	HTTPStatusCode    int       `json:"httpStatusCode,omitempty" label:"Answer" format:"plain"`
	HTTPContentLength *int64    `json:"httpContentLength,omitempty" label:"Size" format:"bytes"` // bytes; left out if unknown
	HTTPLastModified  time.Time `json:"httpLastModified,omitzero" label:"Last-Modified"`
	HTTPETag          string    `json:"httpEtag,omitempty" label:"ETag"`
	// Validators says what was found out about HTTPETag and HTTPLastModified: whether they change together with the
	// content, and how many checks were made without the whole page. It is left out if the page has neither.
	Validators        string   `json:"validators,omitempty" label:"Validators"`
	HTTPRedirectChain []string `json:"httpRedirectChain,omitempty" label:"Redirects"` // first hop first
	// left out until robots.txt has been read
	HTTPRobotsAllowed *bool `json:"httpRobotsAllowed,omitempty" label:"robots.txt" choices:"true=allows it|false=forbids it"`
	// the page's own canonical URL, or else the target of permanent redirects
	HTTPCanonicalURL string `json:"httpCanonicalUrl,omitempty" label:"Canonical"`

	// These fields are from the file's properties.

	FileETag         string    `json:"fileEtag,omitempty" label:"ETag of the file"`
	FileLastModified time.Time `json:"fileLastModified,omitzero" label:"File changed"`
	FileLength       *int64    `json:"fileLength,omitempty" label:"Size of the file" format:"bytes"` // bytes; left out if unknown
	FileContentType  string    `json:"fileContentType,omitempty" label:"Type of the file"`

	// These fields are from the page's own metadata. Dates before 1990 and in the future are left out.

	PublishedAt time.Time `json:"publishedAt,omitzero" label:"Published" format:"day"`
	ModifiedAt  time.Time `json:"modifiedAt,omitzero" label:"Modified" format:"day"`
	Author      string    `json:"author,omitempty" label:"Author"` // several authors are joined by commas
	SiteName    string    `json:"siteName,omitempty" label:"Site"`

	MimeType    string `json:"mimeType,omitempty" label:"Type"`
	Language    string `json:"language,omitempty" label:"Language"` // BCP 47
	ImageCount  int    `json:"imageCount" label:"Images"`
	ContentHash string `json:"contentHash,omitempty" label:"Content hash"` // sha256:<hex> of what is indexed
	TextHash    string `json:"textHash,omitempty" label:"Text hash"`       // sha256:<hex> of all visible text

	ParentPageID     string `json:"parentPageId,omitempty" label:"Parent page"`
	ContentGroupID   string `json:"contentGroupId,omitempty" label:"Group"` // shared by the variants of a URL
	LastIndexedDocID string `json:"lastIndexedDocId,omitempty" label:"Indexed as"`

	// How the source was first discovered (spec 004 INV-1, INV-2). If a backfill discovered it, this includes the id
	// of the run and a job id. The job id of a backfill is always the same for the same site and address. Of a poll,
	// it names the step of the site's poll, so all pages that one step found have the same job id.

	// API, BACKFILL, SENTINEL, INDEXNOW, ENTRY or REDIRECT
	DiscoveryMethod string `json:"discoveryMethod,omitempty" label:"Discovered by"`
	DiscoveryRunID  string `json:"discoveryRunId,omitempty" label:"Discovered in"`
	// backfill:{source}:{12 hex digits}; other pages have that of a step
	JobID string `json:"jobId,omitempty" label:"Job"`
}

// AskedCheck says what becomes of a check that was asked for. State is asked if it begins at once. It is waits if the
// site has asked for a pause, a daily limit is reached, or the host was tried within the last ten seconds.
type AskedCheck struct {
	State string    `json:"state"`
	Why   string    `json:"why,omitempty"`
	Until time.Time `json:"until,omitzero"`
}

// WaitsFor is a host that cannot be reached, for which an item waits.
type WaitsFor struct {
	Host    string    `json:"host"`
	Why     string    `json:"why"`
	NextTry time.Time `json:"nextTry"`
}

// WatchEmpty says what of a page is watched and empty.
type WatchEmpty struct {
	Since time.Time `json:"since"` // when the page lost it, or was first read without it
	// Parts are the selectors or paths of what is empty. Only GET items/{id} has them.
	Parts []string `json:"parts,omitempty"`
}

// ItemChecks says how often a rule wants an item to be checked.
type ItemChecks struct {
	Every string `json:"every"` // at least this often, such as 15m
	Of    string `json:"of"`    // who wants that: rule: and the id of the rule
	Name  string `json:"name"`  // the name of the rule
	// HeldBy says what holds the check back at present, and Why says it in words. Only GET items/{id} has them.
	HeldBy HeldBy `json:"heldBy,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Rule returns the id of the rule that wants the checks.
func (c ItemChecks) Rule() string { return strings.TrimPrefix(c.Of, "rule:") }

// HeldBy is what holds back a check that a rule wants.
type HeldBy string

// What holds checks back.
const (
	HeldByPause       HeldBy = "paused"
	HeldBySchedule    HeldBy = "schedule"
	HeldByActiveHours HeldBy = "activeHours"
	HeldByRobots      HeldBy = "robots" // robots.txt, or the page's own noindex
	HeldByPace        HeldBy = "pace"   // the pace of the host, or a pause that the site asked for
	HeldByBudget      HeldBy = "budget"
)

// ItemDetail is an item with its history.
type ItemDetail struct {
	Item
	// History has about 30 decisions, the newest last. Captures reach further back.
	History  []Decision `json:"history,omitempty"`
	Captures []Capture  `json:"captures,omitempty"` // newest first, at most MaxPast; GET items/{id}/captures has all
	Lineage  []Edge     `json:"lineage,omitempty"`  // newest first, at most MaxPast; GET items/{id}/lineage has all
	Changes  []Change   `json:"changes,omitempty"`  // newest first, at most MaxPast
	// FormerIDs are the ids, at most MaxFormers, of items that newer URL rules merged into this one. Requests for
	// such an id return this item. Captures includes the captures of the merged items, each with the rules under
	// which it was made.
	FormerIDs []string `json:"formerIds,omitempty" label:"Former IDs"`
	// List is what was read of a page that is watched as a list.
	List *ListState `json:"list,omitempty" label:"List" unit:"whole"`
	// Folder is what the last listing of a folder found.
	Folder *FolderState `json:"folder,omitempty" label:"Files" unit:"whole"`
	// NoBrowser says why no browser can read a page that has hardly any text without one.
	NoBrowser string `json:"noBrowser,omitempty" label:"No browser"`
}

// FolderState says what the last listing of a folder found.
type FolderState struct {
	Files      int          `json:"files"`                // files that are items
	PassedOver []PassedOver `json:"passedOver,omitempty"` // by reason
}

// PassedOver counts the files and folders that a listing left out for one reason. A folder counts once, with all that
// is in it.
type PassedOver struct {
	Why     string `json:"why"` // what they are, such as hidden files and folders
	Number  int    `json:"number"`
	Example string `json:"example,omitempty"` // one of the names
}

// ListState says what was read of a list.
type ListState struct {
	Entries int `json:"entries"`        // entries that the last check read
	More    int `json:"more,omitempty"` // further entries, which are not read
	// Refused has at most five entries that should have been registered and were not, at the last check that had
	// entries to register.
	Refused     []RefusedEntry `json:"refused,omitempty"`
	RefusedMore int            `json:"refusedMore,omitempty"` // number of further refused entries
}

// RefusedEntry is an entry of a list that was not registered.
type RefusedEntry struct {
	URL string `json:"url"`
	Why string `json:"why"`
}

// Rendered says how a page was last read in a browser.
type Rendered struct {
	At time.Time `json:"at" label:"Rendered"`
	// Needless is true if the page has the same text in a browser as without its scripts, so that no browser is used for
	// it. If the item is thin nevertheless, the page has hardly any text in a browser either.
	Needless bool   `json:"needless,omitempty" label:"Its scripts" choices:"true=add no text"`
	Why      string `json:"why,omitempty" label:"Because"`                             // why it was rendered
	Missing  string `json:"missing,omitempty" label:"May be missing" format:"missing"` // what may not have been read, and why
	URL      string `json:"url,omitempty" label:"Its scripts led to"`                  // the address to which its scripts led
	// PictureOnly is true if the page shows a picture and hardly any text.
	PictureOnly bool `json:"pictureOnly,omitempty" label:"Picture" choices:"true=it shows a picture, and hardly any text"`
	// Bounds are the bounds that the page reached: time, requests, bytes, memory, scrolls, workers, dialogs, popups,
	// downloads, sockets or navigations.
	Bounds   []string          `json:"bounds,omitempty" label:"Bounds reached"`
	Refused  []RefusedRequests `json:"refused,omitempty" label:"Refused requests"`
	Requests int               `json:"requests" label:"Requests"`           // number of requests, without the first
	Bytes    int64             `json:"bytes" label:"Loaded" format:"bytes"` // bytes of the answers, decoded
	Millis   int64             `json:"millis" label:"Took" format:"millis"`
	Browser  string            `json:"browser,omitempty" label:"Browser"` // its name and version
	// DataChanges is true if the content has changed while the page's own HTML stayed the same. Each check then renders
	// the page. Otherwise, checks that find the same HTML may do without, at most 15 in a row.
	DataChanges bool `json:"dataChanges,omitempty" label:"Data" choices:"true=changes while its own HTML stays the same, so each check renders it"`
}

// RefusedRequests says how many requests of a page were refused for a reason.
type RefusedRequests struct {
	// Reason is address, robots, host, method, post, scheme, beacon, stream, bound, popup, download, dialog, socket or
	// worker.
	Reason string `json:"reason"`
	Count  int    `json:"count"`
	Host   string `json:"host,omitempty"` // host of the first of them
}

// MaxFormers is the largest number of former ids returned with an item.
const MaxFormers = 100

// MaxPast is the largest number of captures, of edges and of changes that are returned with an item.
const MaxPast = 1000

// CapturePage is one page of the captures of an item, ordered by digest. Send Continuation to get the next page;
// it is empty on the last one.
type CapturePage struct {
	Captures     []Capture `json:"captures"`
	Continuation string    `json:"continuation,omitempty"`
}

// EdgePage is one page of the edges of an item, newest first. See [CapturePage].
type EdgePage struct {
	Lineage      []Edge `json:"lineage"`
	Continuation string `json:"continuation,omitempty"`
}

// Decision is what Tidemark decided about an item, and why.
type Decision struct {
	At   time.Time `json:"at"`
	What string    `json:"what"` // one word or two: "indexed", "unchanged", "deferred"
	Why  string    `json:"why"`  // a sentence without a full stop: "304 to If-None-Match"
	// Since and Times are given if several checks in a row made the decision: the first time, and how often. At is
	// then the last time.
	Since time.Time `json:"since,omitzero"`
	Times int       `json:"times,omitempty"`
	// Undo takes back what somebody has done, as long as it is given.
	Undo *Undo `json:"undo,omitempty"`
}

// IsShared reports whether the line says of several checks that they made one decision. Lines about the next check
// also share reasons that differ in numbers alone, so their number says nothing.
func (d Decision) IsShared() bool { return d.Times > 1 && d.What != "scheduled" }

// Capture is an immutable record of the bytes that were fetched for an item and of what was read from them under one
// normalization version. After that version changes, the same bytes may get another capture.
type Capture struct {
	SHA256       string `json:"sha256" label:"Capture"` // SHA-256 of the raw bytes, in hex
	ContentHash  string `json:"contentHash,omitempty" label:"Content hash"`
	CanonicalURI string `json:"canonicalUri,omitempty" label:"Canonical"`
	// the URL that returned the bytes, if it may be shown
	FetchURL       string              `json:"fetchUrl,omitempty" label:"Fetched from"`
	Header         map[string][]string `json:"header,omitempty"` // the stored headers of the answer
	CapturedAt     time.Time           `json:"capturedAt,omitzero" label:"Captured"`
	LastVerifiedAt time.Time           `json:"lastVerifiedAt,omitzero" label:"Last verified"` // when the same bytes were last seen
	// when the stored bytes were read again under this normalization version
	ReprocessedAt time.Time `json:"reprocessedAt,omitzero" label:"Reprocessed"`
	// digest of the bytes that were captured first with this text, if these came later and only the bytes differ
	SameTextAs string `json:"sameTextAs,omitempty" label:"Same text as"`
	// PlainSHA256 is the digest of the bytes that the source sent, if those of the capture are what a browser showed.
	PlainSHA256          string `json:"plainSha256,omitempty" label:"Sent by the source"`
	Bytes                int64  `json:"bytes,omitempty" label:"Size" format:"bytes"`
	MimeType             string `json:"mimeType,omitempty" label:"Type"`
	StatusCode           int    `json:"statusCode,omitempty" label:"Answer" format:"plain"`
	RunID                string `json:"runId,omitempty" label:"Run"`
	NormalizationVersion string `json:"normalizationVersion,omitempty" label:"Read by the rules"`

	// The page's own metadata when the capture was made, as in an item.

	PublishedAt time.Time `json:"publishedAt,omitzero" label:"Published" format:"day"`
	ModifiedAt  time.Time `json:"modifiedAt,omitzero" label:"Modified" format:"day"`
	Author      string    `json:"author,omitempty" label:"Author"`
	SiteName    string    `json:"siteName,omitempty" label:"Site"`
}

// Edge records that a newer capture superseded an older one, and why (spec 000 §4.3). A capture is identified by the
// item's id, a slash and its SHA-256. When a page returns to an earlier version, the superseding capture is the one
// that was made when that version was first seen.
type Edge struct {
	Newer string       `json:"newer"`
	Older string       `json:"older"`
	At    time.Time    `json:"at,omitzero"`
	Meta  EdgeMetadata `json:"metadata"`
}

// EdgeMetadata records how the superseded capture was chosen (spec 000 §4.3). Fields that did not match are null.
type EdgeMetadata struct {
	Reason             string  `json:"reason"`
	ConflictResolved   bool    `json:"conflict_resolved"`
	CanonicalURIMatch  *string `json:"canonical_uri_match"`
	ContentSHA256Match *string `json:"content_sha256_match"`
	Selected           string  `json:"selected"`
}

// Uncompared counts the checks at which only visible text that is not compared had changed: furniture of the page,
// such as navigation, and text that changes by itself, such as a clock.
type Uncompared struct {
	Moved int       `json:"moved"`
	Last  time.Time `json:"last,omitzero"` // time of the last such check
	// Folded are lines of the page that change by themselves, at most 20.
	Folded []Folded `json:"folded,omitempty"`
	// Unread counts the elements whose text is read only if a selector asks for it, such as 2 select, 1 svg.
	Unread string `json:"unread,omitempty"`
}

// Folded is a line, or a part of one, that is not compared.
type Folded struct {
	Line string `json:"line"`
	Rule string `json:"rule"` // such as count, clock or relative time
}

// IgnoreOffer is a rule for a part that moves often.
type IgnoreOffer struct {
	Line   string `json:"line"`   // the line as it was last
	Times  int    `json:"times"`  // at how many of the last checks it has moved
	Of     int    `json:"of"`     // the number of these checks
	Ignore string `json:"ignore"` // the rule, for watch.ignore
}

// ChangeKind says what has changed on a page. If several kinds apply, the first one is used.
type ChangeKind string

// The kinds of change.
const (
	ChangeNew      ChangeKind = "new"      // the first content seen
	ChangeReverted ChangeKind = "reverted" // the text is one of the page's last eight texts
	ChangeContent  ChangeKind = "content"  // the main content, or the watched part, is different
	ChangeBeside   ChangeKind = "beside"   // only the text beside the main content is different, such as a price
	ChangeBeyond   ChangeKind = "beyond"   // only the text beyond the part that is read is different
	ChangeBytes    ChangeKind = "bytes"    // the bytes are different; no text can be read in the document
	ChangeMoved    ChangeKind = "moved"    // the same text stands in another order
	ChangeTitle    ChangeKind = "title"    // only the title is different
	ChangeImages   ChangeKind = "images"   // only the images are different
	ChangeMetadata ChangeKind = "metadata" // only the page's metadata is different, such as its canonical URL

	ChangeField ChangeKind = "field" // only values of fields are different

	// These kinds occur only in the feed.

	ChangeGone      ChangeKind = "gone"      // the page was missing in several checks
	ChangeBack      ChangeKind = "back"      // a page that was gone has returned
	ChangeFailing   ChangeKind = "failing"   // three checks in a row have failed or found no page; the last has failed
	ChangeRecovered ChangeKind = "recovered" // a page that was failing works again

	ChangeWatchBroken   ChangeKind = "watchBroken"   // the watched part is missing or no longer looks as it did
	ChangeWatchRestored ChangeKind = "watchRestored" // the watched part is back
	ChangeListed        ChangeKind = "listed"        // a list has a new entry

	// These kinds are for those who keep copies. Rules, changes.atom and changes.json have them only by name.

	ChangeRemoved  ChangeKind = "removed"  // the page was removed from Tidemark
	ChangeLeft     ChangeKind = "left"     // the page left the index: noindex, robots.txt, or another page stands for it
	ChangeReturned ChangeKind = "returned" // a page that had left is in the index again
)

// ZoneMain is the zone of the main content of a page. A watched part counts as main content.
const ZoneMain = "main"

// ChangeKinds lists every kind.
var ChangeKinds = []ChangeKind{ChangeNew, ChangeContent, ChangeBeside, ChangeBeyond, ChangeBytes, ChangeReverted,
	ChangeMoved, ChangeTitle, ChangeImages, ChangeMetadata, ChangeField,
	ChangeGone, ChangeBack, ChangeFailing, ChangeRecovered, ChangeWatchBroken, ChangeWatchRestored,
	ChangeListed}

// Change says how an item's content differed from the previous content when a capture was first made. Shares and word
// counts refer to the text. They are left out when the previous text is not known.
type Change struct {
	At     time.Time  `json:"at,omitzero"`
	Kind   ChangeKind `json:"kind"`
	SHA256 string     `json:"sha256"`           // sha256 of the capture
	Before string     `json:"before,omitempty"` // sha256 of the item's previous capture
	// NewShare is the share of letters in the new text that were added. GoneShare is the share of letters in the old
	// text that were removed. Both are from 0 to 1.
	NewShare     *float64 `json:"newShare,omitempty"`
	GoneShare    *float64 `json:"goneShare,omitempty"`
	WordsAdded   *int     `json:"wordsAdded,omitempty"`
	WordsRemoved *int     `json:"wordsRemoved,omitempty"`
	// Fields says what has become of values of the page: price: 79 → 84 EUR (lowest 72 in May). Several are separated by
	// semicolons.
	Fields string `json:"fields,omitempty"`
	// The rules under which both texts were read.
	NormalizationVersion string `json:"normalizationVersion,omitempty"`
}

// ItemID identifies an item.
type ItemID struct {
	ID string `json:"-" path:"id"` // The item.
}

// CaptureQuery lists captures of an item.
type CaptureQuery struct {
	ID  string `json:"-" path:"id"`                                   // The item.
	Top int    `json:"top,omitempty" default:"100" min:"1" max:"999"` // Captures per page.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// EdgeQuery lists edges of an item.
type EdgeQuery struct {
	ID  string `json:"-" path:"id"`                                   // The item.
	Top int    `json:"top,omitempty" default:"100" min:"1" max:"999"` // Edges per page.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// CaptureID identifies a capture of an item.
type CaptureID struct {
	ID     string `json:"-" path:"id"`                   // The item.
	SHA256 string `json:"-" path:"sha256"`               // The capture, by the digest of its bytes.
	Raw    bool   `json:"raw,omitempty" default:"false"` // Return the bytes instead of the text.
	// Return the bytes that the source sent, of a page that was rendered. Needs raw.
	Plain bool `json:"plain,omitempty" default:"false"`
}

// Status is the state of an item (spec 003 §4).
type Status string

// The statuses of an item.
const (
	StatusPending    Status = "Pending"    // registered but not fetched yet
	StatusCrawled    Status = "Crawled"    // fetched and stored, but not indexed yet
	StatusIndexed    Status = "Indexed"    // in the search index
	StatusError      Status = "Error"      // the last check failed; it will be tried again
	StatusOutOfScope Status = "OutOfScope" // excluded by robots.txt, noindex or a rule, or represented by another item
	StatusGone       Status = "Gone"       // answered 404 or 410 too many times in a row
)

// Statuses lists every status, in the order used for display.
func Statuses() []Status {
	return []Status{StatusIndexed, StatusCrawled, StatusPending, StatusError, StatusOutOfScope, StatusGone}
}
