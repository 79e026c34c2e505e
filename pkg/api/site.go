package api

import "time"

// Site is a site of the site file, and how far the polls of what it publishes are.
type Site struct {
	Slug       string        `json:"slug"`
	Domain     string        `json:"domain"`
	Added      bool          `json:"added,omitempty"`     // while Tidemark ran; the others are in the site file
	Watched    bool          `json:"watched"`             // whether it is polled each day
	NextLookAt time.Time     `json:"nextLookAt,omitzero"` // a time that has passed: within the hour
	NewToday   int           `json:"newToday"`            // registered on this day (UTC)
	Look       *Look         `json:"look,omitempty"`      // the one that goes on
	Last       *Look         `json:"last,omitempty"`      // the full one that ended last
	LastFeeds  *Look         `json:"lastFeeds,omitempty"` // the poll of feeds only that ended last
	LastMod    LastModRecord `json:"lastmod"`
	Coverage   Coverage      `json:"coverage"`
}

// Coverage is what all polls of a site together found, each address once, and what became of it.
type Coverage struct {
	Found    int `json:"found"`    // the next five add up to it
	New      int `json:"new"`      // registered
	Known    int `json:"known"`    // items already
	Excluded int `json:"excluded"` // not wanted by the site file
	Trapped  int `json:"trapped"`  // left out as parts of an endless series, such as a calendar
	Refused  int `json:"refused"`  // by the registry
	// Reasons are those for what was excluded or trapped. Beyond 40 the others are counted together.
	Reasons map[string]int `json:"reasons,omitempty"`
}

// Look is one poll of the sitemaps and feeds of a site. Addresses are counted where a document has changed.
type Look struct {
	ID         string      `json:"id"`
	Kind       string      `json:"kind"` // full: sitemaps and feeds; feeds: these only
	BeganAt    time.Time   `json:"beganAt"`
	EndedAt    time.Time   `json:"endedAt,omitzero"`
	Requests   int         `json:"requests"`   // to the site, for documents
	Documents  int         `json:"documents"`  // that were read
	Unmodified int         `json:"unmodified"` // of these, as they were at the poll before
	Found      int         `json:"found"`      // addresses that no poll had dealt with; the next six add up to it
	New        int         `json:"new"`        // registered
	Known      int         `json:"known"`      // items already, left as they are
	Excluded   int         `json:"excluded"`   // not wanted by the site file
	Trapped    int         `json:"trapped"`    // left out as parts of an endless series, such as a calendar
	Refused    int         `json:"refused"`    // by the registry, each with an error
	Later      int         `json:"later"`      // left for the next day, because a bound was reached
	Moved      int         `json:"moved"`      // known addresses whose lastmod has moved
	Noted      int         `json:"noted"`      // of these, predictions that the next check proves
	Hastened   int         `json:"hastened"`   // of these, checks that were brought forward
	Errors     int         `json:"errors"`
	Problems   []LookError `json:"problems,omitempty"` // the first 20
	Note       string      `json:"note,omitempty"`     // what it waits for, or why it ended early
}

// LookError is an error of a poll.
type LookError struct {
	At      time.Time `json:"at"`
	URL     string    `json:"url,omitempty"`
	Message string    `json:"message"`
}

// LastModRecord is how true what a site says of changes (lastmod) has proved, lately.
type LastModRecord struct {
	Right       int  `json:"right"`       // checks that found the change that had been said
	Wrong       int  `json:"wrong"`       // that found none
	Unannounced int  `json:"unannounced"` // changes of which nothing had been said when they were found
	Truthful    bool `json:"truthful"`    // whether checks are brought forward on its word
}

// Sites are those of the site file, in its order, then those that were added.
type Sites struct {
	Sites []Site `json:"sites"`
}

// IndexNowRequest tells which pages of a host are new or have changed (IndexNow).
type IndexNowRequest struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLList     []string `json:"urlList"`
}

// IndexNowResult is the result of a submission.
type IndexNowResult struct {
	Received  int `json:"received"`  // addresses, each once; the next six add up to it
	New       int `json:"new"`       // registered
	Forwarded int `json:"forwarded"` // known, and checked sooner
	Known     int `json:"known"`     // known, and left as they are: due or just checked
	Excluded  int `json:"excluded"`  // not wanted by the site file
	Refused   int `json:"refused"`   // by the registry
	Left      int `json:"left"`      // dropped, because the day's bounds are reached
}

// SiteSlug names a site.
type SiteSlug struct {
	Slug string `json:"-" path:"slug"` // The site, as the site file or the list of sites calls it.
}

// SiteRequest adds a site, whose pages are found and watched.
type SiteRequest struct {
	// A domain, the address of a sitemap or feed, or the address that the wanted pages begin with. The scheme may be left
	// out.
	URL string `json:"url"`
}

// IndexNowOne is an [IndexNowRequest] for one page.
type IndexNowOne struct {
	URL         string `json:"url"`                   // The page.
	Key         string `json:"key"`                   // The key of its host.
	KeyLocation string `json:"keyLocation,omitempty"` // Where the host shows the key; at its root when left out.
}
