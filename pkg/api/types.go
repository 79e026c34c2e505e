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
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxBatch is the largest number of sources that one request may register.
const MaxBatch = 1000

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
	// Draft registers new items only to look at them: each is removed after an hour, unless somebody changes its settings,
	// makes a rule for it or registers it again meanwhile.
	Draft bool `json:"draft,omitempty"`
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
	Known  bool   `json:"known,omitempty"` // the item was there before
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
	// Only items with a watch of their own that finds a row or an entry by its place, such as tr:nth-of-type(3).
	Positional bool   `json:"positional,omitempty"`
	Find       string `json:"find,omitempty"` // Only items whose address or title has this text, whatever its case.
	// Only items with these ids, separated by commas: at most 100, in this order, and without other filters.
	IDs      string `json:"ids,omitempty"`
	Removing bool   `json:"removing,omitempty"` // Also items whose removal can still be taken back.
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
	// Generations are those of the index. They are left out if the index has none.
	Generations *IndexGenerations `json:"generations,omitempty"`
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

// refusals say for people what was refused, by reason.
var refusals = map[string]string{
	"address": "addresses that are not public", "robots": "robots.txt", "host": "limits of the host",
	"method": "other methods than GET and POST", "post": "POST to other sites, or too large",
	"scheme": "neither http nor https", "beacon": "reports of use", "stream": "streams, films and sounds",
	"bound": "sent after a bound was met", "popup": "windows of its own", "download": "downloads", "dialog": "dialogs",
	"socket": "WebSockets", "worker": "workers", "pdf": "PDFs within the page",
}

// Words says for people what was refused, and how often.
func (r RefusedRequests) Words() string {
	text := fmt.Sprintf("%s: %d", cmp.Or(refusals[r.Reason], r.Reason), r.Count)
	switch {
	case r.Host == "":
		return text
	case r.Count == 1:
		return text + " (" + r.Host + ")"
	}
	return text + " (the first: " + r.Host + ")"
}

// BulkRequest applies one operation to many items: those listed by id, or all that match a filter.
type BulkRequest struct {
	IDs    []string    `json:"ids,omitempty"` // ids of items, at most 1,000
	Filter *ItemFilter `json:"filter,omitempty"`
	Op     string      `json:"op"`            // tag, untag, check, pause, resume or remove
	Tag    string      `json:"tag,omitempty"` // the tag, for the operations tag and untag
}

// ItemFilter selects items. An item must match every field that is set.
type ItemFilter struct {
	Host   string `json:"host,omitempty"`
	Status Status `json:"status,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Paused bool   `json:"paused,omitempty"` // only paused items
	All    bool   `json:"all,omitempty"`    // selects every item; required when no other field is set
}

// BulkRun is the progress of a bulk operation.
type BulkRun struct {
	ID string `json:"id"`
	// as in the request, or replan, which reschedules the next checks of the items of a tag that has changed
	Op        string      `json:"op"`
	Tag       string      `json:"tag,omitempty"`
	Status    string      `json:"status"`           // running or done
	Items     int         `json:"items"`            // items examined so far
	Done      int         `json:"done"`             // examined items for which the operation succeeded
	Failed    int         `json:"failed"`           // examined items for which the operation failed
	Errors    []BulkError `json:"errors,omitempty"` // the first 20 errors
	StartedAt time.Time   `json:"startedAt,omitzero"`
	UpdatedAt time.Time   `json:"updatedAt,omitzero"`
	EndedAt   time.Time   `json:"endedAt,omitzero"`
	// Check says what becomes of the checks. Only runs that check have it.
	Check *BulkCheck `json:"check,omitempty"`
	// Undo takes this change back. Only the answer to a change has it.
	Undo *Undo `json:"undo,omitempty"`
}

// BulkCheck says what becomes of the checks that a run has asked for so far. Its state, why and until are those of the
// first host whose items wait; the state is asked as long as there is none.
type BulkCheck struct {
	AskedCheck
	Asked int        `json:"asked"`           // items whose check begins at once
	Waits []BulkWait `json:"waits,omitempty"` // the first 20 hosts whose items wait
}

// BulkWait is a host whose items wait for their check, and why.
type BulkWait struct {
	Host  string    `json:"host"`
	Why   string    `json:"why"`
	Until time.Time `json:"until"`
	Items int       `json:"items"` // how many items
}

// BulkError is an item for which the operation failed, and why.
type BulkError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// BulkID identifies a bulk run.
type BulkID struct {
	ID string `json:"-" path:"id"` // The run.
}

// AddOptions control how sources are registered.
type AddOptions struct {
	Force      bool   // fetch and index the sources even if they have not changed
	Credential string // for private sources: the name of the credential, which is in the setting CREDENTIAL_<name>
	Patch      Patch  // settings, by their names in JSON

	GuessScheme bool // accept URLs without a scheme
}

// AddURLs registers up to [MaxBatch] URLs and returns the result of each, in order.
func (c *Client) AddURLs(ctx context.Context, urls []string, o AddOptions) (AddURLBatch, error) {
	o.GuessScheme = o.GuessScheme &&
		slices.ContainsFunc(urls, func(url string) bool { return !strings.Contains(url, "://") })
	batch, err := addURLs.Call(ctx, c, AddURLRequest{URLs: urls, Force: o.Force, Credential: o.Credential,
		Patching: Patching{o.Patch}, GuessScheme: o.GuessScheme})
	return batch, c.complete(batch, urls, err)
}

// AddFiles registers up to [MaxBatch] files and returns the result of each, in order.
func (c *Client) AddFiles(ctx context.Context, paths []string, o AddOptions) (AddURLBatch, error) {
	batch, err := addFiles.Call(ctx, c, AddFileRequest{Paths: paths, Force: o.Force, Credential: o.Credential,
		Patching: Patching{o.Patch}})
	return batch, c.complete(batch, paths, err)
}

// complete returns err, or an error if the batch does not have one answer for each source. Callers can therefore pair
// answers and sources by position.
func (c *Client) complete(batch AddURLBatch, sources []string, err error) error {
	if err == nil && len(batch.Items) != len(sources) {
		err = fmt.Errorf("%s answered %d of %d sources", c.server, len(batch.Items), len(sources))
	}
	return err
}

// Capture returns the bytes of a capture as they were fetched. It checks that the bytes have the given digest, which
// is in hexadecimal.
func (c *Client) Capture(ctx context.Context, id, digest string) ([]byte, error) {
	return c.capture(ctx, CaptureID{ID: id, SHA256: digest, Raw: true}, digest)
}

// SentCapture returns the bytes that the source sent, of a capture of a rendered page, after it checked them against
// their digest.
func (c *Client) SentCapture(ctx context.Context, id string, of Capture) ([]byte, error) {
	return c.capture(ctx, CaptureID{ID: id, SHA256: of.SHA256, Raw: true, Plain: true}, of.PlainSHA256)
}

func (c *Client) capture(ctx context.Context, q CaptureID, digest string) ([]byte, error) {
	body, err := GetCapture.Call(ctx, c, q)
	if sum := sha256.Sum256(body); err == nil && hex.EncodeToString(sum[:]) != digest {
		err = fmt.Errorf("%s answered with bytes that are not those of capture %s", c.server, digest)
	}
	return body, err
}
