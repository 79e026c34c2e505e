package backfill

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Mode is where a run looks for pages (E8).
type Mode string

// The modes of a run.
const (
	Sitemap    Mode = "SITEMAP"    // sitemaps of the site file; else those that robots.txt names; else feeds
	Archive    Mode = "ARCHIVE"    // archive pages whose addresses follow dates
	Pagination Mode = "PAGINATION" // listing pages, one after the other
	Container  Mode = "CONTAINER"  // blobs of containers
)

// Modes lists every mode.
var Modes = []Mode{Sitemap, Archive, Pagination, Container}

// Status is how far a run is (INV-8).
type Status string

// The statuses of a run.
const (
	Pending   Status = "PENDING"
	Running   Status = "RUNNING"
	Paused    Status = "PAUSED"
	Completed Status = "COMPLETED"
	Failed    Status = "FAILED"
	Cancelled Status = "CANCELLED"
)

// SourceState is how far one source of a run is.
type SourceState string

// The states of a source.
const (
	SourceWaiting SourceState = "waiting"
	SourceRunning SourceState = "running"
	SourceDone    SourceState = "done"
	SourceFailed  SourceState = "failed"
)

// Counts are what a run or one of its sources came to.
type Counts struct {
	Discovered int   `json:"discovered"`           // wanted addresses, each once; the next three add up to it
	Queued     int   `json:"queued"`               // new items; of a dry run, what they would be
	Skipped    int   `json:"skipped"`              // known already, and left as they are
	Refused    int   `json:"refused,omitempty"`    // by the registry, each with an error, or with a reason where the host is full
	Excluded   int   `json:"excluded,omitempty"`   // not wanted, see Run.Reasons; so are the next
	Trapped    int   `json:"trapped,omitempty"`    // taken for spaces without an end
	Duplicates int   `json:"duplicates,omitempty"` // counted before in this run
	Errors     int   `json:"errors,omitempty"`
	Documents  int   `json:"documents,omitempty"` // sitemaps and pages that were read
	Requests   int   `json:"requests,omitempty"`  // for documents, with those of redirects
	Bytes      int64 `json:"bytes,omitempty"`     // of these
}

func (c *Counts) add(d Counts) {
	c.Discovered += d.Discovered
	c.Queued += d.Queued
	c.Skipped += d.Skipped
	c.Refused += d.Refused
	c.Excluded += d.Excluded
	c.Trapped += d.Trapped
	c.Duplicates += d.Duplicates
	c.Errors += d.Errors
	c.Documents += d.Documents
	c.Requests += d.Requests
	c.Bytes += d.Bytes
}

// Problem is one line of a run's error log.
type Problem struct {
	At      time.Time `json:"at"`
	Source  string    `json:"source,omitempty"`
	URL     string    `json:"url,omitempty"`
	Message string    `json:"message"`
}

// Progress is how far one source is.
type Progress struct {
	Source string      `json:"source"`
	State  SourceState `json:"state"`
	Note   string      `json:"note,omitempty"` // what it waits for, or why it ended early
	Last   string      `json:"last,omitempty"` // the document that was read last
	Counts
	Begun bool `json:"begun,omitempty"` // it has a lane
}

// Request is what a run is asked for. Zero numbers stand for the settings'.
type Request struct {
	Sources     []string // slugs of the site file
	Mode        Mode     // [Sitemap] when empty
	Dates       discover.Dates
	MaxURLs     int // addresses that are discovered, over all sources
	MaxPerSrc   int // likewise of each
	Concurrency int // sources at once
	Delay       time.Duration
	DryRun      bool
	RunBy       string
}

// Bounds of a run's row, which strangers help to fill.
const (
	// MaxSources is the most sources of one run.
	MaxSources = 50
	// MaxErrors is how many errors a run remembers; all are counted.
	MaxErrors  = 50
	maxReasons = 40
	maxMessage = 300
	maxShown   = 500
)

// Run is one backfill (INV-8). Values are copies; only the service changes a run.
type Run struct {
	ID string
	Request
	Status   Status
	Note     string // why it is paused, failed or ended early
	Disabled bool   // paused by BACKFILL_ENABLED, and goes on by itself once that is true
	Counts
	Reasons    map[string]int // why addresses were excluded or trapped
	ErrorLog   []Problem      // the first [MaxErrors]
	Progress   []Progress     // by source, in the order of the request
	CreatedAt  time.Time
	UpdatedAt  time.Time
	StartedAt  time.Time
	FinishedAt time.Time
	// Of a dry run: known pages whose size is known, and those sizes, from which others are estimated.
	KnownPages int
	KnownBytes int64

	reserved int // addresses that lanes may still register
	etag     storage.ETag
}

// detail is what of a run is compound, and so packed.
type detail struct {
	Sources    []string       `json:"sources"`
	Dates      discover.Dates `json:"dates"`
	Counts     Counts         `json:"counts"`
	Reasons    map[string]int `json:"reasons,omitempty"`
	Progress   []Progress     `json:"progress"`
	KnownPages int            `json:"knownPages,omitempty"`
	KnownBytes int64          `json:"knownBytes,omitempty"`
}

func (r *Run) entity() storage.Entity {
	d, _ := json.Marshal(detail{r.Sources, r.Dates, r.Counts, r.Reasons, r.Progress, r.KnownPages, r.KnownBytes}) // always encodes
	log, _ := json.Marshal(r.ErrorLog)
	when := storage.FormatTime
	props := storage.Properties{
		"rowVersion": int64(1), "id": r.ID, "status": string(r.Status), "note": r.Note, "disabled": r.Disabled, "mode": string(r.Mode),
		"dateFrom": when(r.Dates.From), "dateTo": when(r.Dates.To),
		"maxUrls": int64(r.MaxURLs), "maxUrlsPerSource": int64(r.MaxPerSrc), "concurrency": int64(r.Concurrency),
		"delayMs": r.Delay.Milliseconds(), "dryRun": r.DryRun, "runBy": r.RunBy,
		"discoveredCount": int64(r.Discovered), "queuedCount": int64(r.Queued), "skippedCount": int64(r.Skipped), "errorCount": int64(r.Errors),
		"createdAt": when(r.CreatedAt), "updatedAt": when(r.UpdatedAt), "startedAt": when(r.StartedAt), "finishedAt": when(r.FinishedAt),
		"reserved": int64(r.reserved),
	}
	pack(props, "detail", d)
	pack(props, "errorLog", log)
	return storage.Entity{Key: runKey(r.ID), ETag: r.etag, Props: props}
}

func runOf(e storage.Entity) (Run, error) {
	text := func(name string) string { s, _ := e.Props[name].(string); return s }
	number := func(name string) int { n, _ := e.Props[name].(int64); return int(n) }
	flag := func(name string) bool { b, _ := e.Props[name].(bool); return b }
	when := func(name string) time.Time { return storage.ParseTime(text(name)) }
	var d detail
	full, err := unpack(e.Props, "detail")
	if err == nil {
		err = json.Unmarshal(full, &d)
	}
	if err != nil {
		return Run{}, fmt.Errorf("the row of run %s is damaged: %w", text("id"), err)
	}
	r := Run{
		ID: text("id"), Status: Status(text("status")), Note: text("note"), Disabled: flag("disabled"),
		Request: Request{
			Sources: d.Sources, Mode: Mode(text("mode")), Dates: d.Dates, MaxURLs: number("maxUrls"), MaxPerSrc: number("maxUrlsPerSource"),
			Concurrency: number("concurrency"), Delay: time.Duration(number("delayMs")) * time.Millisecond, DryRun: flag("dryRun"), RunBy: text("runBy"),
		},
		Counts: d.Counts, Reasons: d.Reasons, Progress: d.Progress, KnownPages: d.KnownPages, KnownBytes: d.KnownBytes,
		CreatedAt: when("createdAt"), UpdatedAt: when("updatedAt"), StartedAt: when("startedAt"), FinishedAt: when("finishedAt"),
		reserved: number("reserved"), etag: e.ETag,
	}
	if log, err := unpack(e.Props, "errorLog"); err == nil {
		_ = json.Unmarshal(log, &r.ErrorLog) // what is unreadable of it is not missed
	}
	return r, nil
}

// over reports whether a run has come to its end.
func (r *Run) over() bool {
	return r.Status == Completed || r.Status == Failed || r.Status == Cancelled
}

// moves reports whether steps of the run are to be done.
func (r *Run) moves() bool { return r.Status == Pending || r.Status == Running }

// of is the progress of a source; nil if the run has none of that name.
func (r *Run) of(source string) *Progress {
	for i := range r.Progress {
		if r.Progress[i].Source == source {
			return &r.Progress[i]
		}
	}
	return nil
}

// room is how many addresses more of a source may be discovered, beyond what is reserved.
func (r *Run) room(source string) int {
	return max(0, min(r.MaxURLs-r.Discovered-r.reserved, r.MaxPerSrc-r.of(source).Discovered))
}

// full reports whether a cap is reached for good, and which.
func (r *Run) full(source string) (string, bool) {
	switch {
	case r.Discovered >= r.MaxURLs:
		return fmt.Sprintf("the cap of %d addresses for the run is reached", r.MaxURLs), true
	case r.of(source).Discovered >= r.MaxPerSrc:
		return fmt.Sprintf("the cap of %d addresses for each source is reached", r.MaxPerSrc), true
	}
	return "", false
}

func (r *Run) remember(reasons map[string]int) {
	for reason, n := range reasons {
		reason = clip(reason, maxMessage)
		if _, known := r.Reasons[reason]; !known && len(r.Reasons) >= maxReasons {
			reason = "other reasons"
		}
		if r.Reasons == nil {
			r.Reasons = map[string]int{}
		}
		r.Reasons[reason] += n
	}
}

func (r *Run) report(problems []Problem) {
	for _, p := range problems {
		if len(r.ErrorLog) >= MaxErrors {
			return
		}
		p.URL, p.Message = clip(p.URL, maxShown), clip(p.Message, maxMessage)
		r.ErrorLog = append(r.ErrorLog, p)
	}
}

// clip cuts a text to at most n bytes, on a rune's edge, and makes it storable.
func clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}

const (
	partition  = "backfill"
	idPrefix   = "backfill-"
	idLayout   = "20060102t150405z" // ids stand in paths, whose case does not matter
	paceRow    = "pace"
	activeRows = "active|"
	runRows    = "run|"
	afterBar   = "}" // closes the range of a prefix that ends in '|'
)

func key(row string) storage.Key { return storage.Key{Partition: partition, Row: row} }

// runKey puts the newest run first: its id begins with a time, which the row's key has inverted.
func runKey(id string) storage.Key {
	at, _ := time.Parse(idLayout, timeOf(id))
	return key(fmt.Sprintf("%s%012d|%s", runRows, 999_999_999_999-at.Unix(), id))
}

func timeOf(id string) string {
	rest := strings.TrimPrefix(id, idPrefix)
	return rest[:min(len(rest), len(idLayout))]
}

// checkID refuses what is no id of a run before it gets into a key.
func checkID(id string) error {
	_, err := time.Parse(idLayout, timeOf(id))
	if err != nil || !strings.HasPrefix(id, idPrefix) || len(id) > 64 || strings.Contains(id, "|") || storage.CheckKey(key(id)) != nil {
		return fault.Field("id", "%.100q is not the id of a backfill run", id)
	}
	return nil
}

func activeKey(id string) storage.Key { return key(activeRows + id) }
