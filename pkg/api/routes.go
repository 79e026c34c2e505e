package api

import (
	"net/http"
	"reflect"
	"slices"
	"time"
)

// Endpoint is one route. Client and server both use it to encode and decode requests.
type Endpoint struct {
	Method string
	Path   string // below /api/, as in items/{id}
	Status int    // the status of a successful answer
	Other  int    // a second status with the same type of answer; 0 for none
	Scope  Scope  // scope that a key needs; empty for [GetHealth]
	// Anonymous is true for a route that needs no key of the Functions host. If such a route has a scope, it needs
	// one of Tidemark's own keys.
	Anonymous bool
	// BodyOptional is true for a route whose requests may come without a body.
	BodyOptional bool
	// Requests and Answers are the types of requests and answers; most routes have one of each.
	Requests, Answers []reflect.Type
}

// Pattern returns the method and the path below /api/, as in "GET items/{id}".
func (e *Endpoint) Pattern() string { return e.Method + " " + e.Path }

// Route is an endpoint with the types of a request and its answer. An answer of type []byte is not JSON.
type Route[Q, A any] struct{ *Endpoint }

// None is the request of a route without parameters.
type None struct{}

var table []*Endpoint

// Routes lists every route, in the order of the documentation.
func Routes() []*Endpoint { return slices.Clone(table) }

func route[Q, A any](status int, method, path string) Route[Q, A] {
	e := &Endpoint{
		Method: method, Path: path, Status: status, Scope: usualScope(method),
		Requests: []reflect.Type{reflect.TypeFor[Q]()}, Answers: []reflect.Type{reflect.TypeFor[A]()},
	}
	table = append(table, e)
	return Route[Q, A]{e}
}

// or(status) adds a second status with which the route may answer.
func (r Route[Q, A]) or(status int) Route[Q, A] {
	r.Other = status
	return r
}

// open marks a route as one that needs no key.
func (r Route[Q, A]) open() Route[Q, A] { return r.scoped("").anonymous() }

// anonymous marks a route as one that needs no key of the Functions host.
func (r Route[Q, A]) anonymous() Route[Q, A] {
	r.Anonymous = true
	return r
}

// bodyOptional marks a route whose requests may come without a body.
func (r Route[Q, A]) bodyOptional() Route[Q, A] {
	r.BodyOptional = true
	return r
}

// scoped sets the scope that a key needs for the route, in place of the default scope of the route's method.
func (r Route[Q, A]) scoped(s Scope) Route[Q, A] {
	r.Scope = s
	return r
}

// also[Q, A](e) is a route that shares the endpoint e, but has its own types of request and answer.
func also[Q, A any](e *Endpoint) Route[Q, A] {
	if q := reflect.TypeFor[Q](); !slices.Contains(e.Requests, q) {
		e.Requests = append(e.Requests, q)
	}
	if a := reflect.TypeFor[A](); !slices.Contains(e.Answers, a) {
		e.Answers = append(e.Answers, a)
	}
	return Route[Q, A]{e}
}

const (
	get   = http.MethodGet
	post  = http.MethodPost
	ok    = http.StatusOK
	begun = http.StatusAccepted // the work continues in the background
)

// Pages and files.
var (
	AddURL       = route[AddURLRequest, Item](begun, post, "AddUrlDocument")
	addURLs      = also[AddURLRequest, AddURLBatch](AddURL.Endpoint)
	AddFile      = route[AddFileRequest, Item](begun, post, "AddFileDocument")
	addFiles     = also[AddFileRequest, AddURLBatch](AddFile.Endpoint)
	ReindexItem  = route[ReindexRequest, Item](begun, post, "ReindexItem")
	ListItems    = route[ItemQuery, ItemPage](ok, get, "items")
	GetItem      = route[ItemID, ItemDetail](ok, get, "items/{id}")
	PatchItem    = route[ItemPatch, Item](ok, http.MethodPatch, "items/{id}")
	StartBulk    = route[BulkRequest, BulkRun](begun, post, "items/bulk")
	GetBulk      = route[BulkID, BulkRun](ok, get, "bulk/{id}")
	RemoveItem   = route[ItemID, Item](begun, http.MethodDelete, "items/{id}")
	ListCaptures = route[CaptureQuery, CapturePage](ok, get, "items/{id}/captures")
	ListEdges    = route[EdgeQuery, EdgePage](ok, get, "items/{id}/lineage")
	ListChunks   = route[ItemID, ChunkList](ok, get, "items/{id}/chunks")
	EntryChunks  = route[EntryID, ChunkList](ok, get, "entries/{id}/chunks")
	FollowChunks = route[ChunkQuery, ChunkChanges](ok, get, "chunks/changes")
	ListImages   = route[ItemID, ImageList](ok, get, "items/{id}/images")
	GetField     = route[FieldQuery, FieldHistory](ok, get, "items/{id}/fields/{name}")
	GetFieldCSV  = also[FieldQuery, []byte](GetField.Endpoint) // the same route with the format csv
	GetCapture   = route[CaptureID, []byte](ok, get, "items/{id}/captures/{sha256}")
	GetText      = route[TextQuery, []byte](ok, get, "items/{id}/text")
	GetPageText  = also[TextQuery, PageText](GetText.Endpoint) // the same route with the format json
)

// Actions that are taken back. The caller needs the scope that the action needed; to take back what the caller has
// read, read is enough.
var UndoAction = route[UndoID, Undone](ok, post, "undo/{id}").scoped(ScopeRead)

// Tags, and their settings for many items.
var (
	ListTags  = route[None, Tags](ok, get, "tags")
	SaveTag   = route[TagRequest, Tag](ok, post, "tags")
	GetTag    = route[TagName, Tag](ok, get, "tags/{name}")
	PatchTag  = route[TagPatch, Tag](ok, http.MethodPatch, "tags/{name}")
	RemoveTag = route[TagName, Tag](ok, http.MethodDelete, "tags/{name}")
)

// Search. People's searches are sent by POST, to keep them out of logs of URLs.
var (
	SearchByGet = route[SearchRequest, SearchResponse](ok, get, "Search")
	Search      = route[SearchRequest, SearchResponse](ok, post, "Search").scoped(ScopeRead)
	Suggest     = route[SuggestQuery, Suggestions](ok, get, "suggest")
	Retrieve    = route[RetrieveRequest, RetrieveResponse](ok, post, "retrieve").scoped(ScopeRead)
	GetStatus   = route[StatusQuery, SearchStatus](ok, get, "SearchStatus")
	GetHost     = route[HostName, HostDetail](ok, get, "hosts/{host}")
)

// Changes.
var (
	ListChanges  = route[ChangeQuery, ChangePage](ok, get, "changes")
	ChangesAtom  = route[FeedQuery, []byte](ok, get, "changes.atom").scoped(ScopeFeed).anonymous()
	ChangesJSON  = route[FeedQuery, JSONFeed](ok, get, "changes.json").scoped(ScopeFeed).anonymous()
	ListFailures = route[FailureQuery, FailurePage](ok, get, "failures")
	GetDiff      = route[DiffQuery, Diff](ok, get, "items/{id}/diff")
	GetReader    = route[None, Reader](ok, get, "readers/me")
	// Changes to the reader's own state need only the scope read.
	SaveReader   = route[ReaderRequest, Reader](ok, http.MethodPatch, "readers/me").scoped(ScopeRead)
	MarkRead     = route[ReadRequest, Reader](ok, post, "changes/read").scoped(ScopeRead)
	IgnoreLines  = route[IgnoreRequest, IgnoreResult](ok, post, "items/{id}/ignore")
	GetMemory    = route[ItemID, Memory](ok, get, "items/{id}/memory")
	DecideMemory = route[MemoryRequest, Memory](ok, post, "items/{id}/memory")
	ExplainItem  = route[ItemWhyQuery, ItemWhy](ok, get, "items/{id}/why")
	ListElements = route[ElementQuery, PageElements](ok, get, "items/{id}/elements")
	ListOffers   = route[ItemID, PageOffers](ok, get, "items/{id}/offers")
	TryWatch     = route[TryRequest, WatchTrial](ok, post, "items/{id}/watch/try").scoped(ScopeRead)
	AcceptItem   = route[ItemID, Item](begun, post, "items/{id}/accept")
	AcceptWatch  = route[ItemID, Item](begun, post, "items/{id}/watch/accept")
)

// Rules, channels and deliveries.
var (
	ExplainChange = route[ChangeID, ChangeWhy](ok, get, "changes/{id}/why")
	ListRules     = route[RuleQuery, Rules](ok, get, "rules")
	AddRule       = route[NewRule, Rule](ok, post, "rules")
	GetRule       = route[RuleID, Rule](ok, get, "rules/{id}")
	SaveRule      = route[RuleUpdate, Rule](ok, http.MethodPut, "rules/{id}")
	PatchRule     = route[RulePatch, Rule](ok, http.MethodPatch, "rules/{id}")
	RemoveRule    = route[RuleID, Rule](ok, http.MethodDelete, "rules/{id}")
	PreviewRule   = route[NewRule, RuleTest](ok, post, "rules/test").scoped(ScopeRead)
	TestRule      = route[RuleID, RuleTest](ok, post, "rules/{id}/test").scoped(ScopeRead)
	ListChannels  = route[None, Channels](ok, get, "channels")
	AddChannel    = route[ChannelSpec, Channel](ok, post, "channels").scoped(ScopeAdmin)
	SaveChannel   = route[ChannelUpdate, Channel](ok, http.MethodPut, "channels/{name}").scoped(ScopeAdmin)
	PatchChannel  = route[ChannelPatch, Channel](ok, http.MethodPatch, "channels/{name}").scoped(ScopeAdmin)
	RemoveChannel = route[ChannelName, Channel](ok, http.MethodDelete, "channels/{name}").scoped(ScopeAdmin)
	TestChannel   = route[ChannelTest, ReceiverAnswer](ok, post, "channels/{name}/test").scoped(ScopeAdmin).bodyOptional()
	CheckChannel  = route[ChannelUpdate, ChannelCheck](ok, post, "channels/{name}/check").scoped(ScopeAdmin)

	ListMutes  = route[MuteQuery, Mutes](ok, get, "mutes")
	AddMute    = route[MuteRequest, Mute](ok, post, "mutes")
	RemoveMute = route[MuteID, Mute](ok, http.MethodDelete, "mutes/{id}")

	GetPublicAddress  = route[None, PublicAddress](ok, get, "address")
	SavePublicAddress = route[PublicAddressRequest, PublicAddress](ok, http.MethodPut, "address").scoped(ScopeAdmin)

	ListDeliveries = route[DeliveryQuery, DeliveryPage](ok, get, "deliveries")
	RetryDelivery  = route[DeliveryID, Delivery](begun, post, "deliveries/{id}/retry")
)

// Rebuilds of the index, and migrations.
var (
	StartRebuild   = route[RebuildRequest, Rebuild](begun, post, "RebuildIndex")
	GetRebuild     = route[RebuildID, Rebuild](ok, get, "RebuildIndex")
	StartMigration = route[MigrationRequest, Migration](begun, post, "migrate").scoped(ScopeAdmin)
	GetMigration   = route[None, Migration](ok, get, "migrate")
)

// Generations of the index.
var (
	ListGenerations  = route[None, Generations](ok, get, "generations")
	BeginGeneration  = route[GenerationRequest, Generation](begun, post, "generations").scoped(ScopeAdmin).bodyOptional()
	GetGeneration    = route[GenerationID, Generation](ok, get, "generations/{id}")
	RemoveGeneration = route[GenerationID, Generation](ok, http.MethodDelete, "generations/{id}").scoped(ScopeAdmin)
	// Comparing asks both generations, as searches do, and changes nothing.
	CompareGeneration  = route[CompareRequest, Comparison](ok, post, "generations/{id}/compare").scoped(ScopeRead)
	SwitchGeneration   = route[GenerationID, Generation](ok, post, "generations/{id}/switch").scoped(ScopeAdmin)
	RollbackGeneration = route[GenerationID, Generation](ok, post, "generations/{id}/rollback").scoped(ScopeAdmin)
)

// Import and export.
var (
	ImportList    = route[ListImportRequest, ListImport](begun, post, "import")
	GetListImport = route[ListImportID, ListImport](ok, get, "import/list/{id}")
	ExportItems   = route[ItemExport, []byte](ok, get, "export/items")
	ExportChanges = route[ChangeExport, []byte](ok, get, "export/changes")
)

// Backfill runs.
var (
	StartBackfill     = route[BackfillRequest, BackfillRun](begun, post, "backfill/runs")
	ListBackfills     = route[BackfillQuery, BackfillRuns](ok, get, "backfill/runs")
	GetBackfill       = route[BackfillID, BackfillRun](ok, get, "backfill/runs/{id}")
	ResumeBackfill    = route[BackfillID, BackfillRun](begun, post, "backfill/runs/{id}/resume")
	PauseBackfill     = route[BackfillID, BackfillRun](begun, post, "backfill/runs/{id}/pause")
	CancelBackfill    = route[BackfillID, BackfillRun](begun, post, "backfill/runs/{id}/cancel")
	ListBackfillSites = route[None, BackfillSites](ok, get, "backfill/sites")
)

// Sites that are polled for new pages.
var (
	ListSites   = route[None, Sites](ok, get, "sites")
	GetSite     = route[SiteSlug, Site](ok, get, "sites/{slug}")
	AddSite     = route[SiteRequest, Site](ok, post, "sites")
	PatchSite   = route[SitePatch, Site](ok, http.MethodPatch, "sites/{slug}")
	RemoveSite  = route[SiteSlug, Site](ok, http.MethodDelete, "sites/{slug}")
	PollSite    = route[SiteSlug, Site](begun, post, "sites/{slug}/look")
	IndexNow    = route[IndexNowRequest, IndexNowResult](ok, post, "IndexNow")
	IndexNowURL = route[IndexNowOne, IndexNowResult](ok, get, "IndexNow").scoped(ScopeWrite)
)

// Entries, which are pushed in.
var (
	NormalizeTelegram = route[TelegramRequest, Entry](ok, post, "normalize/telegram").scoped(ScopeRead)
	NormalizeEmail    = route[EmailRequest, Entry](ok, post, "normalize/email").scoped(ScopeRead)
	NormalizeWebpage  = route[WebpageRequest, Entry](ok, post, "normalize/webpage").scoped(ScopeRead)
	InsertEntry       = route[Entry, EntryResult](ok, post, "db/insert")
	insertEntries     = also[EntryBatch, EntryBatchResult](InsertEntry.Endpoint)
	UpdateEntry       = route[Entry, EntryResult](ok, post, "db/update")
	updateEntries     = also[EntryBatch, EntryBatchResult](UpdateEntry.Endpoint)
	ListEntries       = route[EntryQuery, EntryPage](ok, get, "entries")
	GetEntry          = route[EntryID, EntryDetail](ok, get, "entries/{id}")
	ListPolicies      = route[None, Policies](ok, get, "policies")
	SavePolicy        = route[Policy, Policy](ok, http.MethodPut, "policies/{key}").scoped(ScopeAdmin)
	GetTestMode       = route[None, TestMode](ok, get, "test-mode")
	SetTestMode       = route[TestMode, TestMode](ok, http.MethodPut, "test-mode").scoped(ScopeAdmin)
	ToggleTestMode    = route[None, TestMode](ok, post, "test-mode/toggle").scoped(ScopeAdmin)
	ImportMbox        = route[ImportRequest, Import](begun, post, "import/email/mbox").or(ok)
	ListImports       = route[ImportQuery, Imports](ok, get, "import/email")
	GetImport         = route[ImportID, Import](ok, get, "import/email/{id}")
)

// Enrichment of entries by a language model.
var (
	Enrich            = route[EnrichRequest, Tier1](ok, post, "enrich/tier1")
	StartEnrichBatch  = route[EnrichBatchRequest, EnrichBatch](begun, post, "enrich/tier1/batch")
	ListEnrichBatches = route[EnrichQuery, EnrichBatches](ok, get, "enrich/tier1/batches")
	GetEnrichBatch    = route[EnrichBatchID, EnrichBatch](ok, get, "enrich/tier1/batches/{id}")
	CancelEnrichBatch = route[EnrichBatchID, EnrichBatch](begun, post, "enrich/tier1/batches/{id}/cancel")
)

// The app itself.
var (
	GetHealth     = route[None, Health](ok, get, "health").or(http.StatusServiceUnavailable).open()
	GetConfig     = route[None, Config](ok, get, "config").scoped(ScopeAdmin)
	GetSettings   = route[None, ServerSettings](ok, get, "settings").scoped(ScopeAdmin)
	PatchSettings = route[SettingsPatch, ServerSettings](ok, http.MethodPatch, "settings").scoped(ScopeAdmin)
	GetMetrics    = route[None, []byte](ok, get, "metrics")
	ListKeys      = route[None, Keys](ok, get, "keys").scoped(ScopeAdmin)
	AddKey        = route[KeyRequest, NewKey](ok, post, "keys").scoped(ScopeAdmin)
	RemoveKey     = route[KeyName, Key](ok, http.MethodDelete, "keys/{name}").scoped(ScopeAdmin)
	GetActivity   = route[ActivityQuery, Activity](ok, get, "activity")
	GetOpenAPI    = route[None, map[string]any](ok, get, "openapi.json")
	GetSchema     = route[SchemaName, map[string]any](ok, get, "schemas/{name}").open()
	CallTool      = route[ToolMessage, ToolMessage](ok, post, "mcp").scoped(ScopeRead).anonymous()
	GetDocs       = route[None, []byte](ok, get, "docs")
)

// Policy decides what happens to an entry whose key already exists (spec 001). PolicyID and PolicyKey never change.
type Policy struct {
	PolicyID       string `json:"policy_id,omitempty"`
	PolicyKey      string `json:"policy_key,omitempty" path:"key"` // The policy.
	Source         string `json:"source"`
	ContentType    string `json:"content_type"`
	ConflictAction string `json:"conflict_action"` // skip or update
	// UpdateFields are the columns that an update may write; null allows all columns except the immutable ones.
	UpdateFields []string `json:"update_fields"`
	Enabled      bool     `json:"enabled"`
}

// Policies lists the policies of the schema selected by the test mode.
type Policies struct {
	Policies []Policy `json:"policies"`
}

// DefaultHours and MaxHours are the default and the largest number of hours of activity.
const (
	DefaultHours = 24
	maxHours     = 720
)

// Activity counts the work that all instances of the app did in the last hours. Work of the last minute may still be
// missing.
type Activity struct {
	AsOf  time.Time      `json:"asOf,omitzero"`
	From  time.Time      `json:"from,omitzero"` // start of the first hour, in UTC
	Total ActivityCounts `json:"total"`
	Hours []ActivityHour `json:"hours"` // hours with activity, in order
}

// ActivityHour counts the work in the hour that begins at Hour, in UTC.
type ActivityHour struct {
	Hour time.Time `json:"hour"`
	ActivityCounts
}

// ActivityCounts sum up the activity of a period.
type ActivityCounts struct {
	Checks  int64 `json:"checks"`  // checks that ended
	Changes int64 `json:"changes"` // checks that found new content
	Errors  int64 `json:"errors"`  // checks that failed
	Bytes   int64 `json:"bytes"`   // size of the bodies fetched, in bytes after decoding
	Indexed int64 `json:"indexed"` // pages written to the search index
}

// ActivityQuery selects how many of the last hours are returned.
type ActivityQuery struct {
	Hours int `json:"hours,omitempty" default:"24" min:"1" max:"720"` // Number of hours, including the current one.
}

// ListImportRequest imports a list of addresses. A request whose media type is not JSON has the list itself as its
// body.
type ListImportRequest struct {
	Content string `json:"content"` // content of the list's file, with at most 10,000 addresses
	// opml, bookmarks (as browsers export them), csv or jsonl; detected from the content if omitted.
	Format string `json:"format,omitempty"`
}

// ListImport is the import of a list of addresses. It continues in the background.
type ListImport struct {
	ID       string           `json:"id"`
	Format   string           `json:"format"`
	Total    int              `json:"total"`    // addresses in the list, each counted once
	Done     int              `json:"done"`     // the sum of added, known and refused
	Added    int              `json:"added"`    // new items
	Known    int              `json:"known"`    // addresses that were already registered; their items are unchanged
	Refused  int              `json:"refused"`  // addresses that were rejected
	Refusals []RefusedAddress `json:"refusals"` // the first 100 rejected addresses
	// Warning says what is not as one may expect of addresses in the list.
	Warning string `json:"warning,omitempty"`

	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt,omitzero"` // left out while the import runs
}

// RefusedAddress is an address that was rejected.
type RefusedAddress struct {
	Source string `json:"source"`
	Error  string `json:"error"`
}

// ListImportID identifies the import of a list.
type ListImportID struct {
	ID string `json:"-" path:"id"` // The import.
}

// MigrationRequest migrates the contents of the store to the current rules. With DryRun nothing changes, and
// the migration only reports the changes that it would make.
type MigrationRequest struct {
	DryRun bool `json:"dryRun,omitempty"`
}

// The states of migrations.
const (
	MigrationCurrent = "current" // the store follows the current rules
	MigrationNeeded  = "needed"  // the store was made with other settings: start a migration, or restore the settings
	MigrationRunning = "running"
)

// Migration is the running or last migration of the store, and whether one is needed.
type Migration struct {
	Status    string          `json:"status"`
	DryRun    bool            `json:"dryRun"`
	Reason    string          `json:"reason,omitempty"` // why the migration started, if nobody requested it
	Steps     []MigrationStep `json:"steps,omitempty"`
	Needed    []MigrationNeed `json:"needed,omitempty"`
	StartedAt time.Time       `json:"startedAt,omitzero"`
	UpdatedAt time.Time       `json:"updatedAt,omitzero"`
	EndedAt   time.Time       `json:"endedAt,omitzero"`
}

// MigrationStep is the progress of a migration for one kind of content.
type MigrationStep struct {
	Name  string `json:"name"`
	Rules string `json:"rules"` // the rules that the content follows after the step
	Seen  int    `json:"seen"`  // number of objects examined so far
	// number of these objects that were changed or, in a dry run, that would be changed
	Changed  int      `json:"changed"`
	Examples []string `json:"examples,omitempty"`
	Done     bool     `json:"done"`
}

// MigrationNeed is a kind of content that was made under other rules.
type MigrationNeed struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // the other rules; empty if the store did not record them
	To   string `json:"to"`
}

// ImportRequest imports the mails of an mbox file. Fields that are nil or empty take their defaults.
type ImportRequest struct {
	// path of a file below EMAIL_IMPORT_ROOT: absolute, or relative to that folder
	MboxPath         string `json:"mbox_path"`
	BatchSize        *int   `json:"batch_size,omitempty"`        // entries in a tier 1 batch, 500 to 2,000; default 500
	InsertChunkSize  *int   `json:"insert_chunk_size,omitempty"` // mails inserted together, 1 to 500; default 200
	CompletionWindow string `json:"completion_window,omitempty"` // 24h is the only value
}

// The states of an import.
const (
	ImportReading    = "reading"    // mails are being read and inserted
	ImportEnqueueing = "enqueueing" // the file has been read; entries wait to be enqueued for tier 1
	ImportDone       = "done"
	ImportFailed     = "failed" // the import stopped before the end of the file
)

// Import is an mbox import. It continues in the background.
type Import struct {
	ID          string          `json:"import_id"`
	Status      string          `json:"status"`
	Message     string          `json:"message,omitempty"` // why the import failed
	Schema      string          `json:"schema"`            // schema into which entries are written
	MboxPath    string          `json:"mbox_path"`
	Bytes       int64           `json:"bytes"` // bytes of Size that have been processed
	Size        int64           `json:"size"`
	Mails       int             `json:"mails"` // the sum of inserted, skipped, updated and failed
	Inserted    int             `json:"inserted"`
	Skipped     int             `json:"skipped"`
	Updated     int             `json:"updated"`
	Failed      int             `json:"failed"`
	Failures    []ImportFailure `json:"failures"`     // the first 100 failures
	Enqueued    int             `json:"enqueued"`     // entries sent to tier 1, which skips those that it has described with the same text
	Batches     int             `json:"batches"`      // number of tier 1 batches with the enqueued entries
	NotEnqueued int             `json:"not_enqueued"` // entries that tier 1 did not accept
	Note        string          `json:"note,omitempty"`
	StartedAt   time.Time       `json:"started_at,omitzero"`
	UpdatedAt   time.Time       `json:"updated_at,omitzero"`
	EndedAt     time.Time       `json:"ended_at,omitzero"`
}

// ImportFailure is a mail that was not imported.
type ImportFailure struct {
	Offset    int64  `json:"offset"` // position of the mail in the file
	MessageID string `json:"message_id,omitempty"`
	Reason    string `json:"reason"`
}

// Imports lists imports, newest first, without their failures.
type Imports struct {
	Imports []Import `json:"imports"`
}

// Over reports whether an import has ended.
func (i Import) Over() bool { return i.Status == ImportDone || i.Status == ImportFailed }

// ImportQuery lists the latest imports.
type ImportQuery struct {
	Top int `json:"top,omitempty" default:"20" min:"1" max:"100"` // The largest number returned.
}

// ImportID identifies an import.
type ImportID struct {
	ID string `json:"-" path:"id"` // The import.
}
