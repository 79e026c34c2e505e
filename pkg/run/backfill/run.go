package backfill

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Mode is the kind of document in which a run finds pages (E8, E18).
type Mode string

// The modes of a run.
const (
	Sitemap    Mode = "SITEMAP"    // the site file's sitemaps or, if it has none, those in robots.txt, or else feeds
	Archive    Mode = "ARCHIVE"    // archive pages whose addresses follow dates
	Pagination Mode = "PAGINATION" // listing pages, one after the other
	Container  Mode = "CONTAINER"  // blobs of containers
	Links      Mode = "LINKS"      // pages, followed from link to link
)

// Modes lists every mode.
var Modes = []Mode{Sitemap, Archive, Pagination, Container, Links}

// Status is the state of a run (INV-8).
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

// SourceState is the state of one source of a run.
type SourceState string

// The states of a source.
const (
	SourceWaiting SourceState = "waiting"
	SourceRunning SourceState = "running"
	SourceDone    SourceState = "done"
	SourceFailed  SourceState = "failed"
)

// Counts are the totals of a run or of one of its sources.
type Counts struct {
	// wanted addresses, each counted once; the sum of the next three
	Discovered int `json:"discovered" col:"discoveredCount"`
	Queued     int `json:"queued" col:"queuedCount"`   // new items; in a dry run, addresses that would become items
	Skipped    int `json:"skipped" col:"skippedCount"` // known pages, which were not changed
	// refused by the registry, each with an error or, if the host is full, with a reason
	Refused  int `json:"refused,omitempty" col:"refusedCount"`
	Excluded int `json:"excluded,omitempty" col:"excludedCount"` // unwanted; the reasons are in Run.Reasons
	// left out as parts of an endless series, such as a calendar; the reasons are in Run.Reasons, too
	Trapped    int   `json:"trapped,omitempty" col:"trappedCount"`
	Duplicates int   `json:"duplicates,omitempty" col:"duplicateCount"` // addresses counted before in this run
	Errors     int   `json:"errors,omitempty" col:"errorCount"`
	Documents  int   `json:"documents,omitempty" col:"documents"` // number of sitemaps and pages that were read
	Requests   int   `json:"requests,omitempty" col:"requests"`   // number of requests for documents, including redirects
	Bytes      int64 `json:"bytes,omitempty" col:"bytes"`         // size of the documents
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

// Progress is the progress of one source.
type Progress struct {
	Source string      `json:"source"`
	State  SourceState `json:"state"`
	Note   string      `json:"note,omitempty"` // why the source waits, or why it ended early
	Last   string      `json:"last,omitempty"` // the document that was read last
	Counts
	Begun bool `json:"begun,omitempty"` // whether the source has a checkpoint
}

// Request describes a run to start. If a number is zero, the setting for that number applies.
type Request struct {
	Sources     []string // slugs of sites in the site file
	Mode        Mode     `col:"mode"` // [Sitemap] when empty
	Dates       discover.Dates
	MaxURLs     int           `col:"maxUrls"`          // limit of discovered addresses, over all sources
	MaxPerSrc   int           `col:"maxUrlsPerSource"` // the same limit for each source
	Concurrency int           `col:"concurrency"`      // number of sources that are read at the same time
	Delay       time.Duration `col:"delayMs,ms"`
	DryRun      bool          `col:"dryRun"`
	RunBy       string        `col:"runBy"`
}

// Bounds of a run's row, because part of its contents comes from unknown sites.
const (
	// MaxSources limits the number of sources in a run.
	MaxSources = 50
	// MaxErrors limits the number of errors that a run stores. All errors are counted.
	MaxErrors  = 50
	maxMessage = 300
	maxShown   = 500
)

// Run is one backfill (INV-8). A Run value is a copy; only the service changes a stored run.
type Run struct {
	RowVersion int    `col:"rowVersion"`
	ID         string `col:"id"`
	Request    `col:",inline"`
	Status     Status `col:"status"`
	Note       string `col:"note"`     // why the run is paused, failed or ended early
	Disabled   bool   `col:"disabled"` // paused because BACKFILL_ENABLED is false; resumes once it is true
	Counts     `col:",inline"`
	// Reasons counts the addresses that were excluded or trapped, by reason. At most 41 reasons of 300 bytes are
	// stored, so that they fit into the row.
	Reasons    run.Reasons         `col:"reasons,must"`
	ErrorLog   []api.BackfillError // the first [MaxErrors] errors
	Last       Latest              `col:",inline"` // what was processed last (OPS-2)
	Progress   []Progress          // by source, in the order of the request
	CreatedAt  time.Time           `col:"createdAt"`
	UpdatedAt  time.Time           `col:"updatedAt"`
	StartedAt  time.Time           `col:"startedAt"`
	FinishedAt time.Time           `col:"finishedAt"`
	// KnownPages and KnownBytes are set in a dry run: the number of known pages whose size is known, and the sum of
	// these sizes. The size of new pages is estimated from them.
	KnownPages int   `col:"knownPages"`
	KnownBytes int64 `col:"knownBytes"`
	// Reserved is the number of addresses that the next steps may still register. Work is the state of the run's
	// checkpoints, hashes and links; see workRemoving.
	Reserved int    `col:"reserved"`
	Work     string `col:"work"`

	etag storage.ETag
}

// Latest is the position of a run, for people to read. The next steps continue from the checkpoints, not from here.
type Latest struct {
	Source string `col:"lastProcessedSource,always"`
	Page   int    `col:"lastProcessedPage"`       // the number of the document in its source, starting at 1
	URL    string `col:"lastProcessedUrl,always"` // the address of the source that was processed last
}

// over reports whether a run has ended.
func (r *Run) over() bool {
	return r.Status == Completed || r.Status == Failed || r.Status == Cancelled
}

func fields(r *Run) run.Fields {
	return run.Fields{ID: &r.ID, Over: r.over(), UpdatedAt: &r.UpdatedAt, ETag: &r.etag}
}

// moves reports whether the run has steps to do.
func (r *Run) moves() bool { return r.Status == Pending || r.Status == Running }

// of returns the progress of a source; nil if the run has no source of that name.
func (r *Run) of(source string) *Progress {
	for i := range r.Progress {
		if r.Progress[i].Source == source {
			return &r.Progress[i]
		}
	}
	return nil
}

// room returns the number of addresses of a source that may be discovered in addition to those already reserved.
func (r *Run) room(source string) int {
	return max(0, min(r.MaxURLs-r.Discovered-r.Reserved, r.MaxPerSrc-r.of(source).Discovered))
}

// The settings that limit the numbers in a request.
const (
	maxRunSetting    = "BACKFILL_MAX_URLS_PER_RUN"
	maxSourceSetting = "BACKFILL_MAX_URLS_PER_SOURCE"
)

// full reports whether a cap is reached for good. The returned note describes the cap.
func (r *Run) full(source string) (string, bool) {
	switch {
	case r.Discovered >= r.MaxURLs:
		return capReached(r.MaxURLs, "the run", "maxUrls", maxRunSetting), true
	case r.of(source).Discovered >= r.MaxPerSrc:
		return capReached(r.MaxPerSrc, "each source", "maxUrlsPerSource", maxSourceSetting), true
	}
	return "", false
}

// fullHost is the reason for refusing new pages when their host has the maximum number of items.
const fullHost = "limit: the host has as many items as it may (LIMIT_ITEMS_PER_HOST)"

// capReached describes the cap that ended a source, and how to raise it.
func capReached(n int, of, field, setting string) string {
	return fmt.Sprintf("the cap of %s for %s is reached (%s, at most %s), and there is more", words.Count(n, "address"),
		of, field, setting)
}

func (r *Run) report(problems []api.BackfillError) {
	for _, p := range problems {
		if len(r.ErrorLog) >= MaxErrors {
			return
		}
		p.URL, p.Message = run.Clip(p.URL, maxShown), run.Clip(p.Message, maxMessage)
		r.ErrorLog = append(r.ErrorLog, p)
	}
}

const (
	partition = "backfill"
	idPrefix  = "backfill-"
	idLayout  = "20060102t150405z" // lower case, because ids occur in paths, whose case may not matter
	paceRow   = "pace"
	runRows   = "run|"
)

func key(row string) storage.Key { return storage.Key{Partition: partition, Row: row} }

// runRow returns the key of a run's row. The id begins with a time. The key inverts this time, so that the newest run
// sorts first.
func runRow(id string) string {
	at, _ := time.Parse(idLayout, timeOf(id))
	return fmt.Sprintf("%s%012d|%s", runRows, 999_999_999_999-at.Unix(), id)
}

func timeOf(id string) string {
	rest := strings.TrimPrefix(id, idPrefix)
	return rest[:min(len(rest), len(idLayout))]
}

// checkID returns an error if a text is not the id of a run. It must be called before the text becomes part of a key.
func checkID(id string) error {
	_, err := time.Parse(idLayout, timeOf(id))
	if err != nil || !strings.HasPrefix(id, idPrefix) || len(id) > 64 || strings.Contains(id, "|") ||
		storage.CheckKey(key(id)) != nil {
		return fault.Field("id", "%.100q is not the id of a backfill run", id)
	}
	return nil
}

// paceOf returns the pace of the host of a source, for estimates.
type paceOf func(source string) policy.Politeness

// reportOf describes the result of a run, one line each, in the words of spec 004 OPS-1. For a dry run it describes
// what a real run would do.
func reportOf(r Run, pace paceOf) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, "[backfill] "+fmt.Sprintf(format, args...)) }
	if r.DryRun {
		say("DRY RUN - no jobs will be queued")
	}
	for _, p := range r.Progress {
		say("Discovered %s from %s", words.Count(p.Discovered, "URL"), p.Source)
		if p.Note != "" { // the reason why the source ended early
			say("%s: %s", p.Source, p.Note)
		}
	}
	if !r.DryRun {
		say("Queued %s (%s)", words.Count(r.Queued, "new item"), exist(r.Skipped))
	} else {
		say("Would queue %s (%s)", words.Count(r.Queued, "new item"), exist(r.Skipped))
		if r.Queued > 0 {
			say("Fetching them would take %s%s", long(r.estimate(pace)), r.size())
		}
	}
	if n := r.Reasons[fullHost]; n > 0 {
		say("Refused %s: %s", words.Thousands(n), fullHost)
	}
	if left := r.Excluded + r.Trapped + r.Duplicates; left > 0 {
		say("Passed over %s: %s excluded, %s, %s", words.Thousands(left), words.Thousands(r.Excluded),
			words.Count(r.Trapped, "trap"), words.Count(r.Duplicates, "duplicate"))
	}
	say("Read %s (%s) with %s; %s", words.Count(r.Documents, "document"), words.Count(int(r.Bytes), "byte"),
		words.Count(r.Requests, "request"), words.Count(r.Errors, "error"))
	return out
}

func exist(n int) string {
	if n == 1 {
		return "1 already exists"
	}
	return words.Thousands(n) + " already exist"
}

// long formats an estimate, which is a sum of pauses. If there are no pauses, the text states that only the sites'
// answers take time.
func long(d time.Duration) string {
	if d < time.Second {
		return "as long as the sites need to answer, as there are no pauses between requests"
	}
	return "about " + d.String()
}

// estimate returns how long fetching the new pages will take at the pace of their sites. It assumes that the sites
// are fetched in parallel.
func (r *Run) estimate(pace paceOf) time.Duration {
	var longest time.Duration
	for _, p := range r.Progress {
		pace := pace(p.Source)
		each := (pace.MinDelay + max(pace.MinDelay, pace.MaxDelay)) / 2
		longest = max(longest, time.Duration(p.Queued)*each)
	}
	return longest.Round(time.Second)
}

// size estimates the bytes of the new pages from the sizes of known pages.
func (r *Run) size() string {
	if r.KnownPages == 0 {
		return ""
	}
	return fmt.Sprintf("; they have about %s", words.Count(int(int64(r.Queued)*r.KnownBytes/int64(r.KnownPages)), "byte"))
}

// rowVersion is the version of the rows that people can read without a decoder (INV-8): they contain numbers, texts
// and JSON.
const rowVersion = 2

var runColumns = row.Of[Run]()

// codec encodes and decodes the rows of runs. A long list is stored in several columns.
type codec struct{}

// Encode returns the columns of a run.
func (codec) Encode(r *Run) storage.Properties {
	r.RowVersion = rowVersion
	props := runColumns.Encode(r)
	props["dateFrom"], props["dateTo"] = storage.FormatTime(r.Dates.From), storage.FormatTime(r.Dates.To)
	writeList(props, "sources", r.Sources)
	writeList(props, "errorLog", r.ErrorLog)
	writeList(props, "progress", r.Progress)
	return props
}

// Decode returns the run that is stored in columns.
func (codec) Decode(props storage.Properties) (Run, error) {
	r, err := runColumns.Decode(props)
	if err != nil {
		return r, err
	}
	when := func(name string) time.Time { text, _ := props[name].(string); return storage.ParseTime(text) }
	r.Dates = discover.Dates{From: when("dateFrom"), To: when("dateTo")}
	r.ErrorLog, _ = readList[api.BackfillError](props, "errorLog") // a damaged log is dropped
	if r.Sources, err = readList[string](props, "sources"); err == nil {
		r.Progress, err = readList[Progress](props, "progress")
	}
	return r, err
}

// columnOf returns the name of a column that holds part of a list: name, name2, name3.
func columnOf(name string, part int) string {
	if part == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, part)
}

// writeList writes a list as JSON. Each column contains a complete JSON list, with as many elements as fit.
func writeList[T any](props storage.Properties, name string, list []T) {
	part, text := 1, []byte("[")
	for _, one := range list {
		next := row.JSON(one)
		if len(text)+len(next)+2 > storage.MaxStringUnits && len(text) > 1 { // a byte needs at most one UTF-16 unit
			props[columnOf(name, part)] = string(append(text, ']'))
			part, text = part+1, []byte("[")
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, next...)
	}
	props[columnOf(name, part)] = string(append(text, ']'))
}

func readList[T any](props storage.Properties, name string) (list []T, err error) {
	for part := 1; ; part++ {
		text, ok := props[columnOf(name, part)].(string)
		if !ok {
			return list, nil
		}
		var some []T
		if err := json.Unmarshal([]byte(text), &some); err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
}
