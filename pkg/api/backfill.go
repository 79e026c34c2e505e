package api

import (
	"slices"
	"time"
)

// BackfillRequest registers the pages that already exist at the given sites of the site file (spec 004). The limits
// in the settings are the defaults, and also the largest values allowed.
type BackfillRequest struct {
	// 1 to 50 slugs of sites
	Sources []string `json:"sources" label:"Sites" flag:"source SITE,SITE" most:"50"`
	// where pages are found; by default in sitemaps and feeds
	Mode string `json:"mode,omitempty" label:"Where to find pages" flag:"mode MODE" choices:"SITEMAP=sitemaps and feeds|ARCHIVE=archives by date|PAGINATION=listings|CONTAINER=containers of blobs|LINKS=links from page to page"`
	// only pages that changed since this date, such as 2024-06-30, or RFC 3339 time
	DateFrom string `json:"dateFrom,omitempty" label:"Dated from" flag:"date-from DATE"`
	// only pages that changed until the end of this date, or until this RFC 3339 time
	DateTo string `json:"dateTo,omitempty" label:"Dated to" flag:"date-to DATE"`
	// largest number of pages; by default, and at most, BACKFILL_MAX_URLS_PER_RUN
	MaxURLs int `json:"maxUrls,omitempty" label:"Maximum addresses" flag:"max-urls NUMBER" min:"1" max:"100000"`
	// largest number of pages of each site; by default, and at most, BACKFILL_MAX_URLS_PER_SOURCE
	MaxURLsPerSource int `json:"maxUrlsPerSource,omitempty" label:"Per site" flag:"max-per-source NUMBER" min:"1" max:"100000"`
	// sites at once; by default, and at most, BACKFILL_MAX_CONCURRENCY
	Concurrency int `json:"concurrency,omitempty" label:"Sites at once" flag:"concurrency NUMBER" min:"1" max:"16"`
	// pause between two documents of a site, in addition to the site's own pace
	DelayMS int `json:"delayMs,omitempty" label:"Pause" flag:"delay TIME" format:"millis" max:"3600000" default:"0"`
	// count what would be registered, and register nothing
	DryRun bool `json:"dryRun,omitempty" label:"Dry run"`
	// who started the run, for the record
	RunBy string `json:"runBy,omitempty" label:"Started by" flag:"run-by NAME"`
}

// The statuses of a backfill run.
const (
	BackfillPending   = "PENDING"
	BackfillRunning   = "RUNNING"
	BackfillPaused    = "PAUSED"
	BackfillCompleted = "COMPLETED"
	BackfillFailed    = "FAILED"
	BackfillCancelled = "CANCELLED"
)

// BackfillCounts counts what a run, or one of its sources, has done so far. Discovered is the sum of Queued, Skipped
// and Refused.
type BackfillCounts struct {
	Discovered int   `json:"discoveredCount"` // addresses that are wanted, each counted once
	Queued     int   `json:"queuedCount"`     // new items; in a dry run, items that would be new
	Skipped    int   `json:"skippedCount"`    // addresses that were already registered
	Refused    int   `json:"refusedCount"`    // addresses that could not be registered
	Excluded   int   `json:"excludedCount"`   // addresses that are not wanted
	Trapped    int   `json:"trappedCount"`    // addresses left out as part of an endless series, such as a calendar
	Duplicates int   `json:"duplicateCount"`  // addresses that were found again
	Errors     int   `json:"errorCount"`
	Documents  int   `json:"documents"` // sitemaps and pages read
	Requests   int   `json:"requests"`  // requests made to read sitemaps and pages
	Bytes      int64 `json:"bytes"`     // bytes of the sitemaps and pages read
}

// BackfillRun is a backfill run (INV-8). It continues in the background.
type BackfillRun struct {
	ID               string    `json:"id"`
	Status           string    `json:"status"`
	Note             string    `json:"note,omitempty"` // why the run is paused or has failed
	Sources          []string  `json:"sources"`
	Mode             string    `json:"mode"`
	DateFrom         time.Time `json:"dateFrom,omitzero"`
	DateTo           time.Time `json:"dateTo,omitzero"`
	MaxURLs          int       `json:"maxUrls"`
	MaxURLsPerSource int       `json:"maxUrlsPerSource"`
	Concurrency      int       `json:"concurrency"`
	DelayMS          int       `json:"delayMs"`
	DryRun           bool      `json:"dryRun"`
	RunBy            string    `json:"runBy,omitempty"`
	BackfillCounts
	Reasons  map[string]int     `json:"reasons,omitempty"`  // number of excluded and trapped addresses by reason
	ErrorLog []BackfillError    `json:"errorLog,omitempty"` // the first 50 errors
	Progress []BackfillProgress `json:"progress"`           // the progress of each source
	Report   []string           `json:"report,omitempty"`   // the result in words, once the run has ended

	// The position of the run (spec 004 OPS-2): the source, the number of the document in that source, counted from
	// 1, and the address in that document that was processed last.

	LastProcessedSource string `json:"lastProcessedSource,omitempty"`
	LastProcessedPage   int    `json:"lastProcessedPage,omitempty"`
	LastProcessedURL    string `json:"lastProcessedUrl,omitempty"`

	CreatedAt  time.Time `json:"createdAt,omitzero"`
	UpdatedAt  time.Time `json:"updatedAt,omitzero"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
}

// Over reports whether the run has ended.
func (r BackfillRun) Over() bool {
	return r.Status == BackfillCompleted || r.Status == BackfillFailed || r.Status == BackfillCancelled
}

// Whole reports whether the run found everything: it completed, and no source ended early.
func (r BackfillRun) Whole() bool {
	return r.Status == BackfillCompleted && !slices.ContainsFunc(r.Progress,
		func(p BackfillProgress) bool { return !p.Whole() })
}

// Most returns the largest number of addresses that the run may find.
func (r BackfillRun) Most() int {
	return max(1, min(r.MaxURLs, r.MaxURLsPerSource*max(1, len(r.Sources))))
}

// BackfillError is one line of a run's error log.
type BackfillError struct {
	At      time.Time `json:"at"`
	Source  string    `json:"source,omitempty"`
	URL     string    `json:"url,omitempty"`
	Message string    `json:"message"`
}

// BackfillProgress is the progress of one source of a run.
type BackfillProgress struct {
	Source string `json:"source"`
	State  string `json:"state"`          // waiting, running, done, failed
	Note   string `json:"note,omitempty"` // what the source is waiting for, or why it ended early
	Last   string `json:"last,omitempty"` // the document that was read last
	BackfillCounts
}

// Whole reports whether everything in the source was found. If the source is done but has a note, the note says why
// not everything was found.
func (p BackfillProgress) Whole() bool { return p.State == "done" && p.Note == "" }

// BackfillRuns is a list of runs, newest first.
type BackfillRuns struct {
	Runs         []BackfillRun `json:"runs"`
	Continuation string        `json:"continuation,omitempty"` // for the next page; empty on the last page
}

// BackfillSite is a site of the site file.
type BackfillSite struct {
	Slug   string   `json:"slug"`
	Domain string   `json:"domain"`
	Modes  []string `json:"modes"` // modes available for the site
}

// BackfillSites are the sites of the site file.
type BackfillSites struct {
	Enabled bool           `json:"enabled"` // the setting BACKFILL_ENABLED
	Sites   []BackfillSite `json:"sites"`
}

// BackfillQuery lists runs, newest first.
type BackfillQuery struct {
	Top          int    `json:"top,omitempty" default:"20" min:"1" max:"100"` // The largest number returned.
	Continuation string `json:"continuation,omitempty"`                       // The continuation of the previous page.
}

// BackfillID identifies a run.
type BackfillID struct {
	ID string `json:"-" path:"id"` // The run.
}
