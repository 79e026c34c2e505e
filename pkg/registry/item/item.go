package item

import (
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	pagechange "github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Status is the state of an item (spec 003 §4).
type Status string

// The statuses of an item.
const (
	Pending    Status = "Pending"    // registered, never fetched
	Crawled    Status = "Crawled"    // fetched, but not in the index, or not yet
	Indexed    Status = "Indexed"    // fetched, and the index holds what was fetched
	Error      Status = "Error"      // the last try failed; it is retried with backoff
	OutOfScope Status = "OutOfScope" // robots.txt or the page forbids indexing, or the page is an alias
	Gone       Status = "Gone"       // missing in several checks, and removed from the index
)

// Statuses lists every status, in the order of an item's life.
var Statuses = []Status{Pending, Crawled, Indexed, Error, OutOfScope, Gone}

// Item is the registry's row for one normalized source. It consists of five records. The columns are those of spec
// 003 §4, flattened, and a few of Tidemark's own. An Item knows the revision of the row from which it was read, so
// writing the Item cannot overwrite another writer's change.
type Item struct {
	Identity `col:",inline"`
	Asked    `col:",inline"`
	Seen     `col:",inline"`
	Plan     `col:",inline"`
	Lock     `col:",inline"`

	// Deadly says that workers died again and again while they worked on this item alone. Early says that the item is
	// not tried now, because of the last death. The batch and the worker set these fields.
	Deadly, Early bool

	// Interrupted says that the item's last worker did not finish, so the index and the snapshots may differ from the
	// item. The batch of the next worker sets this field.
	Interrupted bool

	key  storage.Key
	etag storage.ETag
}

// Identity says where an item comes from and which item replaces it. Only the registry writes Identity, never a
// check.
type Identity struct {
	Version          int         `col:"rowVersion"`
	ID               source.ID   `col:"id"`
	Type             source.Type `col:"type"`
	NormalizedSource string      `col:"normalizedSource"`
	DisplaySource    string      `col:"displaySource"`
	SourceHost       string      `col:"sourceHost"`
	ContentGroupID   string      `col:"contentGroupId"`
	ParentPageID     string      `col:"parentPageId"`
	DiscoveryMethod  string      `col:"discoveryMethod"`
	DiscoveryRun     string      `col:"discoveryRunId"` // backfill run that found the item (E2)
	DiscoveryJob     string      `col:"discoveryJobId"`
	Credential       string      `col:"credential"` // name of the credential; the settings contain the secret (A24)
	FirstSeen        time.Time   `col:"firstSeen"`
	// MovedTo is the item that replaces this one under another identity (see [As]). The next check removes the
	// documents of this item from the index, and then its row is deleted.
	MovedTo source.ID `col:"movedTo"`
	// Formers is how many items have moved to this one. An item that moved twice counts twice. The captures of these
	// items stay under their old ids.
	Formers int `col:"formers"`
}

// Asked is what people and runs have requested of an item. Only the registry writes it, never a check.
type Asked struct {
	// Tags and Options are the tags and options that people have set (W9 to W11). Each tag occurs once, and the tags
	// are sorted.
	Tags    []string        `col:"tags"`
	Options options.Options `col:"options"`
	// Paused says that the item is checked only on request. Its next check is then at [Never].
	Paused bool `col:"paused"`

	// RemoveRequested says that the next check purges the item instead of fetching its source.
	RemoveRequested bool `col:"removeRequested"`

	// ReindexGeneration counts the forced checks that were requested; see [Plan].ProcessedGeneration.
	ReindexGeneration int64 `col:"reindexGeneration"`

	// RebuildRun is the last rebuild that included the item.
	RebuildRun string `col:"rebuildRun"`
}

// Seen is what checks have found, and what the index and the snapshots hold of the item. Checks write it.
type Seen struct {
	Status       Status `col:"status"`
	ErrorMessage string `col:"errorMessage"`

	FetchSource       string   `col:"fetchSource"` // the address to request, if it differs from NormalizedSource
	HTTPEtag          string   `col:"httpEtag"`
	HTTPLastModified  string   `col:"httpLastModified"` // as the server wrote it; conditional requests repeat it
	HTTPContentLength int64    `col:"httpContentLength"`
	HTTPStatusCode    int      `col:"httpStatusCode"`
	HTTPRedirectChain []string `col:"httpRedirectChain"`
	HTTPRobotsAllowed bool     `col:"httpRobotsAllowed"`
	HTTPCanonicalURL  string   `col:"httpCanonicalUrl"`
	HTTPFinalURL      string   `col:"httpFinalUrl"` // the URL for which the server gave the validators
	// HTTPUnconditional notes that the server answered 200 to a request with the server's own validators. Such a
	// server does not evaluate conditions, so a HEAD request may save the download.
	HTTPUnconditional bool `col:"httpUnconditional"`

	FileEtag         string `col:"fileEtag"`
	FileLastModified string `col:"fileLastModified"`
	FileLength       int64  `col:"fileLength"`
	FileContentType  string `col:"fileContentType"`

	RawHash     string `col:"rawHash"`     // sha256:<hex> of the body as stored
	ContentHash string `col:"contentHash"` // sha256:<hex> of the content (A10)
	TextHash    string `col:"textHash"`
	IndexedHash string `col:"indexedHash"` // ContentHash in the index; "": not in the index; or [Outdated]
	// Manifest is the name of the manifest with the chunks of the indexed content (C5). The name is reliable if
	// IndexedHash is neither empty nor [Outdated] and no work was interrupted.
	Manifest string `col:"manifest"`
	// Exclusion says why fetched content is kept out of the index. It is empty if the content is not kept out.
	Exclusion string `col:"exclusion"`
	// ImagesHash is the hash of the page's images as the index should hold them; empty when there are none.
	ImagesHash string `col:"imagesHash"`
	// ImageExclusion says why the page's images are kept out of the index. It is empty if they are not kept out.
	ImageExclusion string `col:"imageExclusion"`
	// AliasOf is the item that represents this one in the index (A16), because the page declares that item canonical
	// or because both have the same content. ErrorMessage says which of the two applies. AliasOf is empty for a page
	// that represents itself.
	AliasOf source.ID `col:"aliasOf"`
	// CanonicalNote says why a possible canonical item does not represent this one. History records the reason once.
	// While CanonicalNote is set, every check examines the canonical item again.
	CanonicalNote string `col:"canonicalNote"`
	// Unreadable describes the source's last answer if no text could be extracted from that answer. The item's
	// content is then from an earlier answer.
	Unreadable Unreadable `col:"unreadable"`
	// Soft404Fingerprint is the host's soft-404 fingerprint with which the content was compared. LikeSoft404 says in
	// what way the content is like the host's answer for missing pages; it is empty if they are not alike.
	Soft404Fingerprint string `col:"absentMark"`
	LikeSoft404        string `col:"looksAbsent"`
	// States are short hashes of the page's last texts (see [pagechange.States]), made under the item's
	// NormalizationVersion. States is empty in rows that are older than this column.
	States []byte `col:"states"`
	// MainState is the short hash of the main content alone. It is empty if States is.
	MainState []byte `col:"mainState"`
	// Collapse describes a reading with too little text to be accepted at once (H9). Until it is accepted, the item
	// is kept as if that reading had not happened.
	Collapse pagechange.Collapse `col:"collapse"`
	// Watched is the state of the watched part of the page.
	Watched              Watched `col:"watched"`
	NormalizationVersion string  `col:"normalizationVersion"`
	Language             string  `col:"language"`
	MimeType             string  `col:"mimeType"`
	Title                string  `col:"title"`
	// PublishedAt and the following fields are metadata of the page (H4). They are empty where the page has none.
	PublishedAt time.Time `col:"publishedAt"`
	ModifiedAt  time.Time `col:"modifiedAt"`
	Author      string    `col:"author"`
	SiteName    string    `col:"siteName"`
	// Thin says why the page has little text when its scripts do not run. It is empty for a page that has enough
	// text.
	Thin string `col:"thin"`
	// Cut says which part of the text is not read, and whether that part is watched. It is empty if all text is read.
	Cut string `col:"cut"`
	// Uncompared counts changes of the visible text that is not compared, such as navigation and counters.
	Uncompared Uncompared `col:"uncompared"`

	LastIndexedDocID string `col:"lastIndexedDocId"`
	ImageCount       int    `col:"imageCount"` // number of images of the page that are in the index

	LastChecked  time.Time `col:"lastChecked"`
	LastVerified time.Time `col:"lastVerified"` // when the source last answered with the content of RawHash
	LastChanged  time.Time `col:"lastChanged"`
	LastIndexed  time.Time `col:"lastIndexed"`

	CaptureCount int   `col:"captureCount"` // number of captures that are kept, as far as known
	CaptureBytes int64 `col:"captureBytes"` // size of these captures before compression; 0 if unknown
	// OldestCapture is the time of the oldest capture that retention may drop; zero if there is none.
	OldestCapture time.Time `col:"oldestCapture"`

	History []Decision `col:"history"`
}

// Plan is what is to be done next and when. Checks write it, and so does every request for a check.
type Plan struct {
	NextCrawlAt          time.Time `col:"nextCrawlAt"`
	CrawlIntervalSeconds int64     `col:"crawlIntervalSeconds"`
	CrawlAttempts        int       `col:"crawlAttempts"`
	UnchangedChecks      int       `col:"unchangedChecks"`
	MissingChecks        int       `col:"missingChecks"`
	PredictedAt          time.Time `col:"predictedAt"` // time of a reported change; the next check verifies it
	GuardedSince         time.Time `col:"heldSince"`   // since when the guard keeps the missing page from being Gone
	GoneSince            time.Time `col:"goneSince"`   // when the item got its tombstone; kept until the source answers
	// Level is the priority, as a digit, that applied when the next check was planned. It is empty for the default.
	Level string `col:"level"`
	// ReindexRequested says that a forced check is waiting. ProcessedGeneration is the last ReindexGeneration for
	// which a check was done.
	ReindexRequested    bool  `col:"reindexRequested"`
	ProcessedGeneration int64 `col:"processedGeneration"`
	// RebuildPending says that the item is waiting for its rebuild.
	RebuildPending bool `col:"rebuildPending"`
	// IndexPending says that the stored snapshot is not indexed yet, because the index was down or is being rebuilt
	// (a pending index). While IndexPending is set, ResumeAt is the time of the next check of the site.
	IndexPending bool      `col:"indexPending"`
	ResumeAt     time.Time `col:"resumeAt"`
}

// Lock says which worker has an item, and what happened to earlier workers. Batches write it.
type Lock struct {
	LockedUntil time.Time `col:"lockedUntil"`
	LockOwner   string    `col:"lockOwner"`
	// Deaths is how many workers in a row died while they held the item; after the first, only deaths of workers that
	// had begun its check count. Begun says that the present worker has begun to check the item; it is written only
	// for items with deaths. NotBefore is the time before which a suspect is not tried, even if a person asks.
	Deaths    int       `col:"deaths"`
	Begun     bool      `col:"alone"`
	NotBefore time.Time `col:"notBefore"`
}

// Missing returns the item for a row that does not exist.
func Missing(key storage.Key) Item { return Item{key: key} }

// Exists reports whether the item was read from a row.
func (it *Item) Exists() bool { return it.etag != "" }

// Key returns the key of the item's row.
func (it *Item) Key() storage.Key { return it.key }

// Revision returns the revision at which the item was read or written.
func (it *Item) Revision() storage.ETag { return it.etag }

// Written records the new revision of the item's row.
func (it *Item) Written(at storage.ETag) { it.etag = at }

// Hash returns the item's RowKey.
func (it *Item) Hash() string { return it.key.Row }

// Partition returns the item's PartitionKey.
func (it *Item) Partition() string { return it.key.Partition }

// Source returns the source for which the item was registered. Its Scheme is the item's partition. So the Scheme is
// right only where partitions are schemes, and it is only as precise as the partitions.
func (it *Item) Source() source.Source {
	return source.Source{
		Type: it.Type, Normalized: it.NormalizedSource, Display: it.DisplaySource, Host: it.SourceHost,
		Scheme: it.key.Partition,
	}
}
