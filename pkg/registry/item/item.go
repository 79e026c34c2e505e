package item

import (
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	pagechange "github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Status is where an item stands (spec 003 §4).
type Status string

// The statuses of an item.
const (
	Pending    Status = "Pending"    // registered, never fetched
	Crawled    Status = "Crawled"    // fetched, not (yet) in the index
	Indexed    Status = "Indexed"    // fetched, and the index holds what was fetched
	Error      Status = "Error"      // the last try failed; tried again with backoff
	OutOfScope Status = "OutOfScope" // robots.txt or the page itself forbids it, or another item stands for it
	Gone       Status = "Gone"       // missing on several checks; out of the index
)

// Statuses lists every status, in the order of an item's life.
var Statuses = []Status{Pending, Crawled, Indexed, Error, OutOfScope, Gone}

// Item is the registry's row for one normalized source: five records, whose columns stand side by side in the row. Its
// columns are those of spec 003 §4, flattened, and a few of Tidemark's own. A value knows the revision it was read at,
// so it cannot be written over another writer's change.
type Item struct {
	Identity `col:",inline"`
	Asked    `col:",inline"`
	Seen     `col:",inline"`
	Plan     `col:",inline"`
	Lock     `col:",inline"`

	// Deadly says that the last worker died of this item: who begins work on it finds it out.
	Deadly bool

	// Interrupted says that the item's last worker did not come back, so the index and the snapshots may hold something
	// else than the item says. The next worker's batch says so.
	Interrupted bool

	key  storage.Key
	etag storage.ETag
}

// Identity is who an item is: where it comes from and what became of it. Only the registry writes it, never a check.
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
	DiscoveryRun     string      `col:"discoveryRunId"` // of a backfill: the run that found it, and its job (E2)
	DiscoveryJob     string      `col:"discoveryJobId"`
	Credential       string      `col:"credential"` // a name; the secret is in the settings (A24)
	FirstSeen        time.Time   `col:"firstSeen"`
	// MovedTo is the item that goes on for this one under another identity (see [As]): the next check takes the
	// documents of this one out of the index, and its row goes.
	MovedTo source.ID `col:"movedTo"`
	// Formers is how many items have moved here; one that moved twice counts twice. Their captures are theirs.
	Formers int `col:"formers"`
}

// Asked is what people and runs have asked of an item. Only the registry writes it, never a check.
type Asked struct {
	// What people have set (W9 to W11). Tags are in order, each once.
	Tags    []string        `col:"tags"`
	Options options.Options `col:"options"`
	// Paused has the item checked only when somebody asks for it; its next check is at [Never] then.
	Paused bool `col:"paused"`

	// RemoveRequested has the next check purge the item instead of asking its source.
	RemoveRequested bool `col:"removeRequested"`

	// ReindexGeneration counts the forced checks that were asked for, see [Plan].
	ReindexGeneration int64 `col:"reindexGeneration"`

	// RebuildRun is the last rebuild that asked for the item.
	RebuildRun string `col:"rebuildRun"`
}

// Seen is what checks have found, and what the index and the snapshots hold of it. Checks write it.
type Seen struct {
	Status       Status `col:"status"`
	ErrorMessage string `col:"errorMessage"`

	FetchSource       string   `col:"fetchSource"` // the form that is requested, when it differs
	HTTPEtag          string   `col:"httpEtag"`
	HTTPLastModified  string   `col:"httpLastModified"` // as the server wrote it, so it can be sent back
	HTTPContentLength int64    `col:"httpContentLength"`
	HTTPStatusCode    int      `col:"httpStatusCode"`
	HTTPRedirectChain []string `col:"httpRedirectChain"`
	HTTPRobotsAllowed bool     `col:"httpRobotsAllowed"`
	HTTPCanonicalURL  string   `col:"httpCanonicalUrl"`
	HTTPFinalURL      string   `col:"httpFinalUrl"` // what the validators belong to
	// HTTPUnconditional remembers a server that answered 200 with its own validators: it does
	// not evaluate conditions, so a HEAD may save the download.
	HTTPUnconditional bool `col:"httpUnconditional"`

	FileEtag         string `col:"fileEtag"`
	FileLastModified string `col:"fileLastModified"`
	FileLength       int64  `col:"fileLength"`
	FileContentType  string `col:"fileContentType"`

	RawHash     string `col:"rawHash"`     // sha256:<hex> of the stored bytes
	ContentHash string `col:"contentHash"` // sha256:<hex>, A10
	TextHash    string `col:"textHash"`
	IndexedHash string `col:"indexedHash"` // contentHash that the index holds; empty when none, or [Outdated]
	// Manifest names the chunk metadata of what the index holds (C5). It is certain while IndexedHash
	// is neither empty nor [Outdated] and nothing was interrupted.
	Manifest string `col:"manifest"`
	// Exclusion says why content that was fetched is kept out of the index, if it is.
	Exclusion string `col:"exclusion"`
	// ImagesHash is that of the page's images as the index should hold them; empty when there are none.
	ImagesHash string `col:"imagesHash"`
	// ImageExclusion says what keeps the page's images out of the index, if anything does.
	ImageExclusion string `col:"imageExclusion"`
	// AliasOf is the item that stands for this one in the index (A16): the page names it, or it has
	// the same content. ErrorMessage says which. Empty for a page that stands for itself.
	AliasOf source.ID `col:"aliasOf"`
	// CanonicalNote says why an item that could stand for this one does not; it is in the history
	// once. While it is there, every check looks again.
	CanonicalNote string `col:"canonicalNote"`
	// Unreadable is what the source answers instead of what is held, if that cannot be read.
	Unreadable Unreadable `col:"unreadable"`
	// Soft404Fingerprint names what the host showed for pages that do not exist when the content was compared
	// with it, LikeSoft404 says how the two are alike; empty if they are not.
	Soft404Fingerprint string `col:"absentMark"`
	LikeSoft404        string `col:"looksAbsent"`
	// States are short hashes of the texts that the page had last (see [pagechange.States]), under its
	// NormalizationVersion; empty in a row of before they were kept.
	States []byte `col:"states"`
	// Collapse is a reading of which too little was left to be believed at once (H9). The item is as if it had
	// not been read.
	Collapse pagechange.Collapse `col:"collapse"`
	// Watched is what is known of the part of the page that is watched.
	Watched              Watched `col:"watched"`
	NormalizationVersion string  `col:"normalizationVersion"`
	Language             string  `col:"language"`
	MimeType             string  `col:"mimeType"`
	Title                string  `col:"title"`
	// What the page says of itself (H4); empty where it does not.
	PublishedAt time.Time `col:"publishedAt"`
	ModifiedAt  time.Time `col:"modifiedAt"`
	Author      string    `col:"author"`
	SiteName    string    `col:"siteName"`
	// Thin says why the page has little to read without its scripts; empty for one that has enough.
	Thin string `col:"thin"`

	LastIndexedDocID string `col:"lastIndexedDocId"`
	ImageCount       int    `col:"imageCount"` // images that the index holds under the page

	LastChecked  time.Time `col:"lastChecked"`
	LastVerified time.Time `col:"lastVerified"` // when the source last answered with what RawHash names
	LastChanged  time.Time `col:"lastChanged"`
	LastIndexed  time.Time `col:"lastIndexed"`

	CaptureCount int   `col:"captureCount"` // captures that are kept, as far as is known
	CaptureBytes int64 `col:"captureBytes"` // of them, before compression; 0 while that is not known
	// OldestCapture is when the oldest capture was made that retention may drop; zero: there is none.
	OldestCapture time.Time `col:"oldestCapture"`

	History []Decision `col:"history"`
}

// Plan is what is to be done next and when. Checks write it, and so does everybody who asks for one.
type Plan struct {
	NextCrawlAt          time.Time `col:"nextCrawlAt"`
	CrawlIntervalSeconds int64     `col:"crawlIntervalSeconds"`
	CrawlAttempts        int       `col:"crawlAttempts"`
	UnchangedChecks      int       `col:"unchangedChecks"`
	MissingChecks        int       `col:"missingChecks"`
	PredictedAt          time.Time `col:"predictedAt"` // when its site said that it changed; the next check is the proof
	GuardedSince         time.Time `col:"heldSince"`   // missing, but the mass-removal guard keeps it from being gone
	GoneSince            time.Time `col:"goneSince"`   // its tombstone; kept until the source answers again
	// Level is the priority that held when the next check was planned, a digit; empty for the usual one.
	Level string `col:"level"`
	// ReindexRequested says that a forced check waits, ProcessedGeneration up to which one was made.
	ReindexRequested    bool  `col:"reindexRequested"`
	ProcessedGeneration int64 `col:"processedGeneration"`
	// RebuildPending says that the item still waits for its rebuild.
	RebuildPending bool `col:"rebuildPending"`
	// IndexPending says that the stored snapshot is still to be indexed, because the index was down or is
	// rebuilt (a pending index). ResumeAt is then when the site is to be asked next.
	IndexPending bool      `col:"indexPending"`
	ResumeAt     time.Time `col:"resumeAt"`
}

// Lock is who works on an item, and what became of those who did. Batches write it.
type Lock struct {
	LockedUntil time.Time `col:"lockedUntil"`
	LockOwner   string    `col:"lockOwner"`
	// Deaths is how many workers in a row died that held the item; Alone, that it alone was worked on
	// when the last of them died, or dies.
	Deaths int  `col:"deaths"`
	Alone  bool `col:"alone"`
}

// Missing is the item of a row that does not exist.
func Missing(key storage.Key) Item { return Item{key: key} }

// Exists reports whether the item was read from a row.
func (it *Item) Exists() bool { return it.etag != "" }

// Key is where the item's row is.
func (it *Item) Key() storage.Key { return it.key }

// Revision is that of the row which the item was read from, or written to.
func (it *Item) Revision() storage.ETag { return it.etag }

// Written notes the revision of the item's row.
func (it *Item) Written(at storage.ETag) { it.etag = at }

// Hash is the item's RowKey.
func (it *Item) Hash() string { return it.key.Row }

// Partition is the item's PartitionKey.
func (it *Item) Partition() string { return it.key.Partition }

// Source is what the item was registered as. Of its Scheme only what tells partitions apart is
// known, and only where they are schemes.
func (it *Item) Source() source.Source {
	return source.Source{
		Type: it.Type, Normalized: it.NormalizedSource, Display: it.DisplaySource, Host: it.SourceHost,
		Scheme: it.key.Partition,
	}
}
