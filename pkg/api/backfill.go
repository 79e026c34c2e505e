package api

import (
	"slices"
	"time"
)

// BackfillRequest asks to register the pages that sites of the site file already have (spec 004).
// Numbers that are left out are those of the settings, which are also the most that can be asked for.
type BackfillRequest struct {
	Sources []string `json:"sources"` // slugs of the site file, 1 to 50
	// SITEMAP, which it is when left out, ARCHIVE, PAGINATION or CONTAINER
	Mode             string `json:"mode,omitempty"`
	DateFrom         string `json:"dateFrom,omitempty"` // 2024-06-30 or an RFC 3339 time
	DateTo           string `json:"dateTo,omitempty"`   // a date is meant with its whole day
	MaxURLs          int    `json:"maxUrls,omitempty"`
	MaxURLsPerSource int    `json:"maxUrlsPerSource,omitempty"`
	Concurrency      int    `json:"concurrency,omitempty"` // sources at once
	// pause between two documents of a source, beside the site's own pace
	DelayMS int    `json:"delayMs,omitempty"`
	DryRun  bool   `json:"dryRun,omitempty"`
	RunBy   string `json:"runBy,omitempty"` // who asks, for the record
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

// BackfillCounts are what a run, or one of its sources, has counted so far. Discovered is the sum of
// Queued, Skipped and Refused.
type BackfillCounts struct {
	Discovered int   `json:"discoveredCount"` // wanted addresses, each once
	Queued     int   `json:"queuedCount"`     // new items; of a dry run, what they would be
	Skipped    int   `json:"skippedCount"`    // known already
	Refused    int   `json:"refusedCount"`    // could not be registered
	Excluded   int   `json:"excludedCount"`   // not wanted
	Trapped    int   `json:"trappedCount"`    // left out as parts of an endless series, such as a calendar
	Duplicates int   `json:"duplicateCount"`  // found again
	Errors     int   `json:"errorCount"`
	Documents  int   `json:"documents"` // sitemaps and pages that were read
	Requests   int   `json:"requests"`  // for these
	Bytes      int64 `json:"bytes"`     // of these
}

// BackfillRun is a run (INV-8) that was accepted and goes on by itself.
type BackfillRun struct {
	ID               string    `json:"id"`
	Status           string    `json:"status"`
	Note             string    `json:"note,omitempty"` // why it is paused, or failed
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
	Reasons  map[string]int     `json:"reasons,omitempty"`  // of what was excluded and trapped
	ErrorLog []BackfillError    `json:"errorLog,omitempty"` // the first 50
	Progress []BackfillProgress `json:"progress"`           // by source
	Report   []string           `json:"report,omitempty"`   // once it is over: its result, for people

	// Where the run is (spec 004 OPS-2): the source, the document of it, counted from 1, and the address on that.

	LastProcessedSource string `json:"lastProcessedSource,omitempty"`
	LastProcessedPage   int    `json:"lastProcessedPage,omitempty"`
	LastProcessedURL    string `json:"lastProcessedUrl,omitempty"`

	CreatedAt  time.Time `json:"createdAt,omitzero"`
	UpdatedAt  time.Time `json:"updatedAt,omitzero"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
}

// Over reports whether a run has come to its end.
func (r BackfillRun) Over() bool {
	return r.Status == BackfillCompleted || r.Status == BackfillFailed || r.Status == BackfillCancelled
}

// Whole reports whether a run has found all that there was: it ended, and none of its sources ended early.
func (r BackfillRun) Whole() bool {
	return r.Status == BackfillCompleted && !slices.ContainsFunc(r.Progress,
		func(p BackfillProgress) bool { return !p.Whole() })
}

// Most is the most addresses that a run may find.
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

// BackfillProgress is how far one source of a run is.
type BackfillProgress struct {
	Source string `json:"source"`
	State  string `json:"state"`          // waiting, running, done, failed
	Note   string `json:"note,omitempty"` // what it waits for, or why it ended early
	Last   string `json:"last,omitempty"` // the document that was read last
	BackfillCounts
}

// Whole reports whether all of the source was found; a note of one that is done says why it is not.
func (p BackfillProgress) Whole() bool { return p.State == "done" && p.Note == "" }

// BackfillRuns is a list of runs, newest first.
type BackfillRuns struct {
	Runs         []BackfillRun `json:"runs"`
	Continuation string        `json:"continuation,omitempty"` // for the next page; empty on the last
}

// BackfillSite is a site of the site file.
type BackfillSite struct {
	Slug   string   `json:"slug"`
	Domain string   `json:"domain"`
	Modes  []string `json:"modes"` // in which it can be backfilled
}

// BackfillSites are the sites of the site file.
type BackfillSites struct {
	Enabled bool           `json:"enabled"` // BACKFILL_ENABLED
	Sites   []BackfillSite `json:"sites"`
}

// BackfillQuery asks for runs, newest first.
type BackfillQuery struct {
	Top          int    `json:"top,omitempty" default:"20" min:"1" max:"100"` // At most so many.
	Continuation string `json:"continuation,omitempty"`                       // That of the page before.
}

// BackfillID names a run.
type BackfillID struct {
	ID string `json:"-" path:"id"` // The run.
}
