// Package api is Tidemark's HTTP contract as Go types, with a client. A program that compiles against this package
// sends and reads exactly what the routes under /api promise.
//
// The types are plain data. Times are in UTC, in RFC 3339 format. Zero times, empty texts and absent numbers are left
// out of JSON, so that "never" and "unknown" differ from "zero". Fields may be added later; existing names do not
// change. The server decodes requests strictly: it rejects fields that it does not know.
//
// The package imports no other package of Tidemark, so that other programs can import it alone.
package api

import (
	"fmt"
	"time"
)

// MaxBatch is the largest number of sources that one request may register.
const MaxBatch = 1000

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

// The types of an item.
const (
	TypeURL  = "url"
	TypeFile = "file"
)

// AddURLRequest registers one URL or many. Set exactly one of URL and URLs; URLs may have at most [MaxBatch]
// elements. With Force, each URL is fetched and indexed again even if nothing changed (spec 003 §6). For private
// pages, Credential is the name of the credential, which is in the setting CREDENTIAL_<name> (A24).
type AddURLRequest struct {
	URL        string   `json:"url,omitempty" also:"urls"`
	URLs       []string `json:"urls,omitempty"`
	Force      bool     `json:"force,omitempty" query:"force" default:"false"`
	Credential string   `json:"credential,omitempty"`
	// GuessScheme accepts addresses without http:// or https://. Their hosts are asked once, first with https; http is
	// tried only if the host is not public. The source of the item has the scheme that was found.
	GuessScheme bool `json:"guessScheme,omitempty"`
	ItemSettings
	Patching
}

// AddFileRequest is [AddURLRequest] for files: addresses of blobs, of whole containers or of files in shares, or
// paths of files and folders under FILE_ROOT. A folder is kept in step, as a container is.
type AddFileRequest struct {
	Path       string   `json:"path,omitempty" also:"paths"`
	Paths      []string `json:"paths,omitempty"`
	Force      bool     `json:"force,omitempty" query:"force" default:"false"`
	Credential string   `json:"credential,omitempty"`
	ItemSettings
	Patching
}

// AddURLResult is the result for one source of a batch. Item is set if the source was registered. Otherwise Error
// says what is wrong with the source.
type AddURLResult struct {
	Source string `json:"source"`
	Item   *Item  `json:"item,omitempty"`
	Error  string `json:"error,omitempty"`
}

// AddURLBatch has the results of a batch, in the order of the request.
type AddURLBatch struct {
	Items []AddURLResult `json:"items"`
}

// ReindexRequest identifies an item by ID or by Source; set exactly one. The item is checked now. With Force, it is
// fetched and indexed even if it has not changed.
type ReindexRequest struct {
	ID     string `json:"id,omitempty"`
	Source string `json:"source,omitempty"`
	Force  bool   `json:"force,omitempty" query:"force" default:"false"`
}

// ItemPage is one page of a listing. Send Continuation to get the next page; Continuation is empty on the last page.
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
	// One of source, status, lastChecked, lastChanged, nextCrawlAt and firstSeen; a leading hyphen reverses the order. At
	// most 5,000 items are sorted: if there are more, name a host, a status or a tag.
	Sort string `json:"sort,omitempty"`
	Top  int    `json:"top,omitempty" default:"100" min:"1" max:"1000"` // Items per page.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// Health says whether the app works. Status is "ok" when everything that the app depends on answers. Storage and
// Index are "ok" or say what is wrong.
type Health struct {
	Status  string `json:"status"`
	Storage string `json:"storage,omitempty"`
	Index   string `json:"index,omitempty"`
	Rebuild string `json:"rebuild,omitempty"` // id of a running rebuild, during which searches may miss pages
	// Migration is set while a migration is running, or while one is needed because the store was made with other
	// settings; see GET migrate.
	Migration string    `json:"migration,omitempty"`
	Version   string    `json:"version,omitempty"`
	AsOf      time.Time `json:"asOf,omitzero"`
	// Warnings describe problems that do not keep the app from working, one sentence each. Status is then degraded.
	Warnings []string `json:"warnings,omitempty"`
}

// The values of Status in a [Health].
const (
	HealthOK          = "ok"
	HealthDegraded    = "degraded"    // the app works, and Warnings say what is wrong
	HealthUnavailable = "unavailable" // Storage or Index says what to do
)

// Works reports whether the app works, with or without warnings.
func (h Health) Works() bool { return h.Status == HealthOK || h.Status == HealthDegraded }

// Warn adds a warning.
func (h *Health) Warn(format string, args ...any) {
	h.Warnings = append(h.Warnings, fmt.Sprintf(format, args...))
	if h.Status == HealthOK {
		h.Status = HealthDegraded
	}
}
