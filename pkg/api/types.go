// Package api is Tidemark's HTTP contract as Go types, and a client that speaks it: whoever
// compiles against this package sends and reads exactly what the routes under /api promise.
//
// The types are plain data. Every time is UTC and travels as RFC 3339; a zero time, an empty text
// and an absent number are left out, so that "never" and "unknown" are told from "zero". Fields
// may be added later; the names that stand here stay. Requests are decoded strictly by the
// server: a field it does not know is refused.
//
// The package is a leaf. It imports nothing of Tidemark, so that programs of other people may
// import it alone.
package api

import "time"

// MaxBatch is how many sources one request may register.
const MaxBatch = 1000

// Status is where an item stands (spec 003 §4).
type Status string

// The statuses of an item.
const (
	StatusPending    Status = "Pending"    // registered, not fetched yet
	StatusCrawled    Status = "Crawled"    // fetched and kept, not in the index yet
	StatusIndexed    Status = "Indexed"    // found by searches
	StatusError      Status = "Error"      // the last check failed; it will be tried again
	StatusOutOfScope Status = "OutOfScope" // robots.txt, noindex or a rule keeps it out, or another item stands for it
	StatusGone       Status = "Gone"       // 404 or 410 too many times in a row
)

// Statuses lists every status in the order in which people read them.
func Statuses() []Status {
	return []Status{StatusIndexed, StatusCrawled, StatusPending, StatusError, StatusOutOfScope, StatusGone}
}

// The types of an item.
const (
	TypeURL  = "url"
	TypeFile = "file"
)

// AddURLRequest asks to register one URL or many; exactly one of URL and URLs is given, and URLs
// holds at most [MaxBatch]. Force has every one of them fetched and indexed again even if nothing
// changed (spec 003 §6). Credential is the name of a setting CREDENTIAL_<name> that lets in to
// them (A24).
type AddURLRequest struct {
	URL        string   `json:"url,omitempty"`
	URLs       []string `json:"urls,omitempty"`
	Force      bool     `json:"force,omitempty" query:"force" default:"false"`
	Credential string   `json:"credential,omitempty"`
	ItemSettings
}

// AddFileRequest is [AddURLRequest] for files: addresses of blobs, of whole containers and of files
// in shares, or paths under FILE_ROOT.
type AddFileRequest struct {
	Path       string   `json:"path,omitempty"`
	Paths      []string `json:"paths,omitempty"`
	Force      bool     `json:"force,omitempty" query:"force" default:"false"`
	Credential string   `json:"credential,omitempty"`
	ItemSettings
}

// AddURLResult is what became of one source of a batch: Item when it was registered, else Error,
// which says what is wrong with it.
type AddURLResult struct {
	Source string `json:"source"`
	Item   *Item  `json:"item,omitempty"`
	Error  string `json:"error,omitempty"`
}

// AddURLBatch answers a batch, in the order of the request.
type AddURLBatch struct {
	Items []AddURLResult `json:"items"`
}

// ReindexRequest names an item by ID or by Source, exactly one of them. Without Force the item is
// checked now; with it, it is fetched and indexed even if it has not changed.
type ReindexRequest struct {
	ID     string `json:"id,omitempty"`
	Source string `json:"source,omitempty"`
	Force  bool   `json:"force,omitempty" query:"force" default:"false"`
}

// ItemPage is one page of a listing. Continuation is what to send for the next page; it is empty
// on the last one.
type ItemPage struct {
	Items        []Item `json:"items"`
	Continuation string `json:"continuation,omitempty"`
}

// ItemQuery filters and pages a listing; empty fields do not filter.
type ItemQuery struct {
	Host   string `json:"host,omitempty"`   // Only items of this host.
	Status Status `json:"status,omitempty"` // Only items of this status.
	Tag    string `json:"tag,omitempty"`    // Only items that have this tag.
	Paused bool   `json:"paused,omitempty"` // Only items that are paused.
	// One of source, status, lastChecked, lastChanged, nextCrawlAt and firstSeen, with a hyphen before it the other way
	// round. At most 5,000 items are sorted: name a host, a status or a tag where there are more.
	Sort string `json:"sort,omitempty"`
	Top  int    `json:"top,omitempty" default:"100" min:"1" max:"1000"` // Items of a page.
	// That of the page before; leave it out for the first.
	Continuation string `json:"continuation,omitempty"`
}

// Health answers whether the app can work. Status is "ok" when everything it depends on answers;
// Storage and Index say "ok" or what is wrong with them.
type Health struct {
	Status  string `json:"status"`
	Storage string `json:"storage,omitempty"`
	Index   string `json:"index,omitempty"`
	Rebuild string `json:"rebuild,omitempty"` // id of a rebuild that goes on: searches may miss pages
	// Migration is running, or needed because the store was made by other settings: see GET migrate.
	Migration string    `json:"migration,omitempty"`
	Version   string    `json:"version,omitempty"`
	AsOf      time.Time `json:"asOf,omitzero"`
}
