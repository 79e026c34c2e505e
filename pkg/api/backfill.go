package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// BackfillRequest asks to register the pages that sites of the site file already have (seed 004).
// Numbers that are left out are those of the settings, which are also the most that can be asked for.
type BackfillRequest struct {
	Sources          []string `json:"sources"`            // slugs of the site file, 1 to 50
	Mode             string   `json:"mode,omitempty"`     // SITEMAP, which it is when left out, ARCHIVE, PAGINATION or CONTAINER
	DateFrom         string   `json:"dateFrom,omitempty"` // 2024-06-30 or an RFC 3339 time
	DateTo           string   `json:"dateTo,omitempty"`   // a date is meant with its whole day
	MaxURLs          int      `json:"maxUrls,omitempty"`
	MaxURLsPerSource int      `json:"maxUrlsPerSource,omitempty"`
	Concurrency      int      `json:"concurrency,omitempty"` // sources at once
	DelayMS          int      `json:"delayMs,omitempty"`     // pause between two documents of a source, beside the site's own pace
	DryRun           bool     `json:"dryRun,omitempty"`
	RunBy            string   `json:"runBy,omitempty"` // who asks, for the record
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

// BackfillCounts are what a run, or one of its sources, came to so far. Discovered is the sum of
// Queued, Skipped and Refused.
type BackfillCounts struct {
	Discovered int   `json:"discoveredCount"` // wanted addresses, each once
	Queued     int   `json:"queuedCount"`     // new items; of a dry run, what they would be
	Skipped    int   `json:"skippedCount"`    // known already
	Refused    int   `json:"refusedCount"`    // could not be registered
	Excluded   int   `json:"excludedCount"`   // not wanted
	Trapped    int   `json:"trappedCount"`    // taken for spaces without an end
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
	Reasons    map[string]int     `json:"reasons,omitempty"`  // of what was excluded and trapped
	ErrorLog   []BackfillError    `json:"errorLog,omitempty"` // the first 50
	Progress   []BackfillProgress `json:"progress"`           // by source
	Report     []string           `json:"report,omitempty"`   // once it is over: what it came to, for people
	CreatedAt  time.Time          `json:"createdAt,omitzero"`
	UpdatedAt  time.Time          `json:"updatedAt,omitzero"`
	StartedAt  time.Time          `json:"startedAt,omitzero"`
	FinishedAt time.Time          `json:"finishedAt,omitzero"`
}

// Over reports whether a run has come to its end.
func (r BackfillRun) Over() bool {
	return r.Status == BackfillCompleted || r.Status == BackfillFailed || r.Status == BackfillCancelled
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

// StartBackfill begins a run. While backfill is disabled the error is a *Problem of status 403.
func (c *Client) StartBackfill(ctx context.Context, req BackfillRequest) (BackfillRun, error) {
	var run BackfillRun
	err := c.call(ctx, http.MethodPost, "backfill/runs", nil, req, &run)
	return run, err
}

// BackfillRun tells how far a run is.
func (c *Client) BackfillRun(ctx context.Context, id string) (BackfillRun, error) {
	var run BackfillRun
	err := c.call(ctx, http.MethodGet, "backfill/runs/"+url.PathEscape(id), nil, nil, &run)
	return run, err
}

// BackfillRuns lists runs, newest first: at most top, 20 when that is 0.
func (c *Client) BackfillRuns(ctx context.Context, top int, continuation string) (BackfillRuns, error) {
	v := values("continuation", continuation)
	if top > 0 {
		v.Set("top", strconv.Itoa(top))
	}
	var runs BackfillRuns
	err := c.call(ctx, http.MethodGet, "backfill/runs", v, nil, &runs)
	return runs, err
}

// ResumeBackfill lets a run go on that is paused or FAILED; a *Problem of status 409 for another.
func (c *Client) ResumeBackfill(ctx context.Context, id string) (BackfillRun, error) {
	return c.backfill(ctx, id, "resume")
}

// PauseBackfill keeps a run from its next step.
func (c *Client) PauseBackfill(ctx context.Context, id string) (BackfillRun, error) {
	return c.backfill(ctx, id, "pause")
}

// CancelBackfill ends a run before its next step.
func (c *Client) CancelBackfill(ctx context.Context, id string) (BackfillRun, error) {
	return c.backfill(ctx, id, "cancel")
}

func (c *Client) backfill(ctx context.Context, id, what string) (BackfillRun, error) {
	var run BackfillRun
	err := c.call(ctx, http.MethodPost, "backfill/runs/"+url.PathEscape(id)+"/"+what, nil, nil, &run)
	return run, err
}

// BackfillSites lists the sites that can be backfilled.
func (c *Client) BackfillSites(ctx context.Context) (BackfillSites, error) {
	var sites BackfillSites
	err := c.call(ctx, http.MethodGet, "backfill/sites", nil, nil, &sites)
	return sites, err
}
