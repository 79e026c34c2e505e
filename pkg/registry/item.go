package registry

import (
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/identity/source"
	pagechange "github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Status is the state of an item (spec 003 §4).
type Status string

// The statuses of an item.
const (
	Pending    Status = "Pending"    // registered, never fetched
	Crawled    Status = "Crawled"    // fetched, but not in the index, or not yet in it
	Indexed    Status = "Indexed"    // fetched, and the fetched content is in the index
	Error      Status = "Error"      // the last try failed; it is retried with backoff
	OutOfScope Status = "OutOfScope" // robots.txt or the page forbids indexing, or the page is an alias
	Gone       Status = "Gone"       // missing in several checks, and removed from the index
)

// Statuses lists every status, in the order of an item's life.
var Statuses = []Status{Pending, Crawled, Indexed, Error, OutOfScope, Gone}

// Item is the registry's row for one normalized source. The columns are those of spec 003 §4, flattened, and a few of
// Tidemark's own. An Item knows the revision of the row that it was read from, so writing the Item cannot overwrite
// another writer's change. Its methods compute, and send no request to the store.
//
// It consists of five records. [Identity] describes the source. [Asked] has the requests of people and runs. [Seen] has
// the findings of checks. [Plan] has what is to be done next, and when. [Lock] identifies the worker that has the item.
// A check writes Seen, Plan and Lock. Registrations, runs and people's requests write everything else, even while a
// check runs. [meanwhile] defines how the commit of such a check merges each record.
type Item struct {
	Identity `col:",inline"`
	Asked    `col:",inline"`
	Seen     `col:",inline"`
	Plan     `col:",inline"`
	Lock     `col:",inline"`

	// Replaced has the paths of the options that the last change removed in place of others.
	Replaced []string
	// Undo takes back the last change; nil if there was none.
	Undo *api.Undo

	// Deadly says that workers died again and again while they worked on this item alone. Early says that the item is
	// not tried now, because of the last death. The batch and the worker set these fields.
	Deadly, Early bool

	// Interrupted reports that the item's last worker did not finish, so the index and the snapshots may differ from
	// the item. It is set by the batch of the next worker.
	Interrupted bool

	key  storage.Key
	etag storage.ETag
}

// Identity describes where an item comes from, and which item replaces it. It is written by the registry, never by a
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
	Credential       string      `col:"credential"` // name of the credential; the secret is in the settings (A24)
	// Folder is the identity of the folder of this machine whose listing has found the file. UnlistedSince is when its
	// listings began to lack the file, or when the last link to a page was lost; zero if it is listed or linked.
	Folder        string    `col:"folder"`
	UnlistedSince time.Time `col:"unlistedSince"`
	FirstSeen     time.Time `col:"firstSeen"`
	// MovedTo is the item that replaces this one under another identity (see [asSource]). The next check removes this
	// item's documents from the index, and then its row is deleted.
	MovedTo source.ID `col:"movedTo"`
	// Formers is the number of items that have moved to this one. An item that moved twice counts twice. The captures
	// of these items stay under their old ids.
	Formers int `col:"formers"`
}

// Asked is what people and runs have requested for an item. It is written by the registry, never by a check.
type Asked struct {
	// Tags and Options are the tags and options that people have set (W9 to W11). The tags are sorted, without
	// duplicates.
	Tags    []string     `col:"tags"`
	Options api.Settings `col:"options"`
	// Decided are the parts of the page of which people have decided whether their moves are told.
	Decided []linememory.Decided `col:"decided"`
	// Demands says how often rules want the item to be checked. It is written when rules, mutes or tags change, so that
	// no check reads rules for it.
	Demands []options.Demand `col:"demands"`
	// Paused states that the item is checked only on request. Its next check is then at [Never].
	Paused bool `col:"paused"`

	// RemoveRequested states that the next check purges the item instead of fetching its source. Until RemoveAfter the
	// removal can be taken back, and a check only takes the item out of the index.
	RemoveRequested bool      `col:"removeRequested"`
	RemoveAfter     time.Time `col:"removeAfter"`
	// DraftUntil is set while the item is a draft, which somebody only looks at: see draft.go.
	DraftUntil time.Time `col:"draftUntil"`

	// ReindexGeneration is the number of forced checks that were requested. Compare [Plan].ProcessedGeneration.
	ReindexGeneration int64 `col:"reindexGeneration"`

	// RebuildRun is the last rebuild that included the item.
	RebuildRun string `col:"rebuildRun"`
}

// Seen is what checks have found, and what is in the index and the snapshots. It is written by checks.
type Seen struct {
	Status       Status `col:"status"`
	ErrorMessage string `col:"errorMessage"`

	FetchSource       string   `col:"fetchSource"`  // the address to request, if it differs from NormalizedSource
	FetchTracked      string   `col:"fetchTracked"` // the address as it was given, if that has trackers
	HTTPEtag          string   `col:"httpEtag"`
	HTTPLastModified  string   `col:"httpLastModified"` // see [Seen.LastModified]
	HTTPContentLength int64    `col:"httpContentLength"`
	HTTPStatusCode    int      `col:"httpStatusCode"`
	HTTPRedirectChain []string `col:"httpRedirectChain"`
	HTTPRobotsAllowed bool     `col:"httpRobotsAllowed"`
	HTTPCanonicalURL  string   `col:"httpCanonicalUrl"`
	HTTPFinalURL      string   `col:"httpFinalUrl"` // the URL that sent the validators
	// HTTPUnconditional reports that the server answered 200 although the request had the server's own validators.
	// Such a server ignores conditions, so a HEAD request may save the download, if Validators allows it.
	HTTPUnconditional bool `col:"httpUnconditional"`
	// Validators is what was found out about HTTPEtag and HTTPLastModified.
	Validators Validators `col:"validators"`

	FileEtag         string `col:"fileEtag"`
	FileLastModified string `col:"fileLastModified"`
	FileLength       int64  `col:"fileLength"`
	FileContentType  string `col:"fileContentType"`

	RawHash     string `col:"rawHash"`     // sha256:<hex> of the stored body
	ContentHash string `col:"contentHash"` // sha256:<hex> of the content (A10)
	TextHash    string `col:"textHash"`
	IndexedHash string `col:"indexedHash"` // the ContentHash of what is in the index; "" if nothing is; or [Outdated]
	// Manifest is the name of the manifest with the chunks of the indexed content (C5). The name is reliable if
	// IndexedHash is neither empty nor [Outdated] and no work was interrupted.
	Manifest string `col:"manifest"`
	// LeftAt is when the page left the index, or was first kept out of it, because it or its site forbids indexing or
	// another page stands for it. It is zero while the page is in the index.
	LeftAt time.Time `col:"leftAt"`
	// Exclusion is the reason why fetched content is kept out of the index. It is empty if the content is not kept
	// out.
	Exclusion string `col:"exclusion"`
	// ImagesHash is the hash of the images that the index should have for the page; empty if it should have none.
	ImagesHash string `col:"imagesHash"`
	// ImageExclusion is the reason why the page's images are kept out of the index. It is empty if they are not.
	ImageExclusion string `col:"imageExclusion"`
	// AliasOf is the item that represents this one in the index (A16): the page declares that item canonical, or both
	// have the same content. ErrorMessage states which of the two applies. AliasOf is empty for a page that
	// represents itself.
	AliasOf source.ID `col:"aliasOf"`
	// CanonicalNote is the reason why a possible canonical item does not represent this one. The history contains the
	// reason once. While CanonicalNote is set, every check examines the canonical item again.
	CanonicalNote string `col:"canonicalNote"`
	// Claim is what was found out about the page's canonical address.
	Claim Claim `col:"claim"`
	// Unreadable describes the source's last answer if no text could be extracted from it. The item's content is then
	// that of an earlier answer.
	Unreadable Unreadable `col:"unreadable"`
	// Soft404Fingerprint is the host's soft-404 fingerprint that the content was compared with. LikeSoft404 describes
	// how the content resembles the host's answer for missing pages; it is empty if the content does not.
	Soft404Fingerprint string `col:"absentMark"`
	LikeSoft404        string `col:"looksAbsent"`
	// States are short hashes of the page's last texts (see [pagechange.States]), made under the item's
	// NormalizationVersion.
	States []byte `col:"states"`
	// MainState is the short hash of the main content alone. It is empty if States is.
	MainState []byte `col:"mainState"`
	// Collapse describes a reading with too little text to be accepted at once (H9). Until it is accepted, the item
	// stays as if there had been no such reading.
	Collapse pagechange.Collapse `col:"collapse"`
	// Watched is the state of the watched part of the page.
	Watched Watched `col:"watched"`
	// Listed is what is known of the entries, if the page is a list.
	Listed Listed `col:"listed,gzip"`
	// Listing is what was found in it, if the item is a folder.
	Listing Listing `col:"listing"`
	// Fields is what is known of the fields of the page.
	Fields               field.Known `col:"fields,gzip"`
	NormalizationVersion string      `col:"normalizationVersion"`
	Language             string      `col:"language"`
	MimeType             string      `col:"mimeType"`
	Title                string      `col:"title"`
	// PublishedAt and the following fields are metadata of the page (H4). They are empty if the page does not have
	// them.
	PublishedAt time.Time `col:"publishedAt"`
	ModifiedAt  time.Time `col:"modifiedAt"`
	Author      string    `col:"author"`
	SiteName    string    `col:"siteName"`
	// Thin is the reason why the page has little text when its scripts do not run. It is empty for a page that has
	// enough text.
	Thin string `col:"thin"`
	// Rendering is what is known of the page as a browser shows it. It is zero for a page that no browser has read.
	Rendering Rendering `col:"rendering"`
	// Cut describes the part of the text that was not read, and whether that part is watched. It is empty if all text
	// was read.
	Cut string `col:"cut"`
	// Uncompared counts changes of visible text that is not compared, such as navigation and counters.
	Uncompared Uncompared `col:"uncompared"`
	// Saw is the last check that saw the page, also one that found nothing new.
	Saw linememory.Check `col:"saw"`
	// Moving sums up what moves on the page.
	Moving Moving `col:"moving"`

	LastIndexedDocID string `col:"lastIndexedDocId"`
	ImageCount       int    `col:"imageCount"` // number of images of the page that are in the index

	LastChecked  time.Time `col:"lastChecked"`
	LastVerified time.Time `col:"lastVerified"` // when the source last answered with the body [Validators.Served]
	LastChanged  time.Time `col:"lastChanged"`
	LastIndexed  time.Time `col:"lastIndexed"`

	CaptureCount int   `col:"captureCount"` // number of stored captures, as far as known
	CaptureBytes int64 `col:"captureBytes"` // size of these captures before compression; 0 if unknown
	// OldestCapture is the time of the oldest capture that retention may drop; zero if there is no such capture.
	OldestCapture time.Time `col:"oldestCapture"`

	History []Decision `col:"history"`
}

// Plan is what is to be done next, and when. It is written by checks and by every request for a check.
type Plan struct {
	NextCrawlAt          time.Time `col:"nextCrawlAt"`
	CrawlIntervalSeconds int64     `col:"crawlIntervalSeconds"`
	CrawlAttempts        int       `col:"crawlAttempts"`
	UnchangedChecks      int       `col:"unchangedChecks"`
	MissingChecks        int       `col:"missingChecks"`
	// PausedSince is the first of the last answers in a row that asked for a pause with HTTP 429.
	PausedSince time.Time `col:"pausedSince"`
	// UnreachedSince is when the host of an item that fails for it could first not be reached. It is zero again once the
	// item was read.
	UnreachedSince time.Time `col:"unreachedSince"`
	PredictedAt    time.Time `col:"predictedAt"` // time of a change that the site reported, not yet verified
	GuardedSince   time.Time `col:"heldSince"`   // start of the time in which the guard keeps the page
	GoneSince      time.Time `col:"goneSince"`   // when the item got its tombstone; kept until the source answers
	// Level is the priority, as a digit, that applied when the next check was planned. It is empty for the default.
	Level string `col:"level"`
	// ReindexRequested states that a forced check is waiting. ProcessedGeneration is the last ReindexGeneration for
	// which a check was done.
	ReindexRequested    bool  `col:"reindexRequested"`
	ProcessedGeneration int64 `col:"processedGeneration"`
	// RebuildPending states that the item is waiting for its rebuild.
	RebuildPending bool `col:"rebuildPending"`
	// IndexPending states that the stored snapshot is not yet indexed, because the index was down or is being rebuilt
	// (a pending index). While IndexPending is set, ResumeAt is the time of the next check of the site.
	IndexPending bool      `col:"indexPending"`
	ResumeAt     time.Time `col:"resumeAt"`
}

// failsUnreached reports whether the item fails because of its host. Its due row says so, too, so that such items are
// not read at each try of the host. A request for a check makes the item wait again.
func (it *Item) failsUnreached() bool { return it.Status == Error && !it.UnreachedSince.IsZero() }

// Lock identifies the worker that has an item, and records what happened to earlier workers. It is written by
// batches.
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

// missingItem returns the item for a row that does not exist.
func missingItem(key storage.Key) Item { return Item{key: key} }

// exists reports whether the item was read from a row.
func (it *Item) exists() bool { return it.etag != "" }

// Key returns the key of the item's row.
func (it *Item) Key() storage.Key { return it.key }

// revision returns the revision at which the item was read or written.
func (it *Item) revision() storage.ETag { return it.etag }

// written records the new revision of the item's row.
func (it *Item) written(at storage.ETag) { it.etag = at }

// Hash returns the item's RowKey.
func (it *Item) Hash() string { return it.key.Row }

// Partition returns the item's PartitionKey.
func (it *Item) Partition() string { return it.key.Partition }

// Source returns the source for which the item was registered. Its Scheme is taken from the item's partition. So the
// Scheme is right only if partitions are schemes.
func (it *Item) Source() source.Source {
	return source.Source{
		Type: it.Type, Normalized: it.NormalizedSource, Display: it.DisplaySource, Host: it.SourceHost,
		Scheme: it.key.Partition,
	}
}

// Listing is what the last listing of a folder found. It is zero for other items.
type Listing struct {
	Files  int      `json:"files"`
	Passed []Passed `json:"passed,omitempty"` // what it passed over, by reason
}

// Passed counts the names that a listing passed over for one reason. A folder counts once, with all that is in it.
type Passed struct {
	Why    string `json:"why"`
	Number int    `json:"number"`
	First  string `json:"first,omitempty"` // one of the names
}

// Unreadable describes the last answer of an item's source if no text could be extracted from it. It contains what is
// needed to recognize the same answer again. The zero value means that the last answer was readable.
type Unreadable struct {
	RawHash      string    `json:"rawHash"` // sha256:<hex> of the body, which is not stored
	Type         string    `json:"type,omitempty"`
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"lastModified,omitempty"`
	Length       int64     `json:"length,omitempty"`   // length of the body of a file
	FinalURL     string    `json:"finalUrl,omitempty"` // the URL that sent the validators
	Version      string    `json:"version"`            // version of the rules under which no text could be extracted
	Since        time.Time `json:"since"`              // the last time that extracting the text was tried
	Why          string    `json:"why"`
}

// Listed is what is known of the entries of a list that is watched. It is zero for other items.
type Listed struct {
	// Key identifies the rule by which the entries are found. Under another rule, a reading tells no entry.
	Key       string     `json:"key"`
	Seen      watch.Seen `json:"seen,omitempty"`
	Now       int        `json:"now,omitempty"`       // entries of the last reading
	More      int        `json:"more,omitempty"`      // further ones that were not read
	Forgotten int        `json:"forgotten,omitempty"` // entries that were seen and are not remembered
	// Refused are the first entries of the last reading with new ones that were not registered, although somebody
	// wants that; RefusedMore is the number of further ones.
	Refused     []Refused `json:"refused,omitempty"`
	RefusedMore int       `json:"refusedMore,omitempty"`
}

// Refused is an entry that was not registered.
type Refused struct {
	URL string `json:"url"`
	Why string `json:"why"`
}

// Claim is what checks have found out about a page's claim that another address is its canonical one.
type Claim struct {
	// Named is the address that the last check's text named, if it may be true; empty if the page named none, or one
	// with other content.
	Named string `json:"named,omitempty"`
	// Header states that the page names the address in a header, not in its text.
	Header bool `json:"header,omitempty"`
	// Of, Own and Other identify the two texts that were compared: that of the item which stands for the page, and the
	// content hashes. Share is the share of the shorter text that is also in the other, 0 to 1.
	Of    source.ID `json:"of,omitempty"`
	Own   string    `json:"own,omitempty"`
	Other string    `json:"other,omitempty"`
	Share float64   `json:"share,omitempty"`
	// Followed states that AliasOf is due to the claim. Doubted states that the last check's text contradicted it.
	Followed bool `json:"followed,omitempty"`
	Doubted  bool `json:"doubted,omitempty"`
	// Refused is the address that the page names although its content is another.
	Refused string `json:"refused,omitempty"`
}

// Compared reports whether the claim has the result for two items with their present texts.
func (c *Claim) Compared(it, of *Item) bool {
	return c.Of == of.ID && c.Own == it.ContentHash && c.Other == of.ContentHash
}

// Uncompared counts checks that found only changes of visible text that is not compared: furniture of the page, and
// text that changes by itself. Such changes are in no feed.
type Uncompared struct {
	// Hash is the hash of all visible text at the last check.
	Hash  string    `json:"hash,omitempty"`
	Moved int       `json:"moved,omitempty"`
	Last  time.Time `json:"last,omitzero"`
	// Folded are lines that change by themselves. Unread counts the elements whose text is not read, as in "2 select".
	Folded []extract.Folded `json:"folded,omitempty"`
	Unread string           `json:"unread,omitempty"`
}

// See returns the count after a check that found a text with the given hash. The argument sameContent states whether
// the content was the same as before.
func (u Uncompared) See(hash string, sameContent bool, now time.Time) Uncompared {
	if sameContent && u.Hash != "" && u.Hash != hash {
		u.Moved, u.Last = u.Moved+1, now
	}
	u.Hash = hash
	return u
}

// mayVanish reports whether the item's next check may purge the item. If so, a registration must record that the item
// is wanted, even if that check is due anyway.
func (it *Item) mayVanish() bool {
	return it.RemoveRequested || it.MovedTo != "" || !it.GoneSince.IsZero() || !it.DraftUntil.IsZero()
}

// revive records that an item is wanted, although its next check might have purged it. If the removal of the item was
// requested, the item starts anew. A tombstone stays, but its retention starts again. Because a worker may have died
// during the purge, the revived item does not rely on anything that is stored outside its row.
func (it *Item) revive(now time.Time) {
	switch {
	case it.RemoveRequested || it.MovedTo != "" || it.DraftOver(now):
		*it = anew(it, now)
	case !it.GoneSince.IsZero():
		it.GoneSince, it.RawHash, it.Validators.Body = now, "", ""
	}
}

// anew returns the item as if it had just been registered, with two exceptions. Its generations never fall. Its lock
// stays, so that the worker that holds the lock notices the change.
func anew(it *Item, now time.Time) Item {
	fresh := Item{
		Identity: Identity{
			Version: rowVersion, ID: it.ID, Type: it.Type, NormalizedSource: it.NormalizedSource,
			DisplaySource: it.DisplaySource, SourceHost: it.SourceHost, ContentGroupID: it.ContentGroupID,
			ParentPageID: it.ParentPageID, DiscoveryMethod: it.DiscoveryMethod, Formers: it.Formers, FirstSeen: now,
		},
		Asked: Asked{ReindexGeneration: it.ReindexGeneration, RebuildRun: it.RebuildRun},
		Seen:  Seen{Status: Pending, HTTPRobotsAllowed: true, History: it.History},
		Plan: Plan{
			NextCrawlAt: it.NextCrawlAt, ReindexRequested: it.ReindexRequested,
			ProcessedGeneration: it.ProcessedGeneration, RebuildPending: it.RebuildPending, // counted in the host row
		},
		Lock: Lock{LockedUntil: it.LockedUntil, LockOwner: it.LockOwner},
		key:  it.key, etag: it.etag,
	}
	fresh.Record(now, "registered", "source added again while it was being removed")
	return fresh
}
