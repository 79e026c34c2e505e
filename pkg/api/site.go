package api

import "time"

// Site is a site that is polled, and the state of its polls.
type Site struct {
	Slug       string        `json:"slug"`
	Domain     string        `json:"domain"`
	Added      bool          `json:"added,omitempty"`     // added while Tidemark was running; other sites are in the site file
	Watched    bool          `json:"watched"`             // polled every day
	Warning    string        `json:"warning,omitempty"`   // what is not as one may expect of the addresses that were given
	NextLookAt time.Time     `json:"nextLookAt,omitzero"` // if this is in the past, the poll begins within the hour
	NewToday   int           `json:"newToday"`            // pages registered today (UTC)
	Look       *Look         `json:"look,omitempty"`      // the running poll
	Last       *Look         `json:"last,omitempty"`      // the most recent full poll that has finished
	LastFeeds  *Look         `json:"lastFeeds,omitempty"` // the most recent finished poll that read only feeds
	LastMod    LastModRecord `json:"lastmod"`
	Coverage   Coverage      `json:"coverage"`
	// Question is set if nothing lists the pages of the site, until somebody has chosen.
	Question *SiteQuestion `json:"question,omitempty"`
	Follow   *SiteFollow   `json:"follow,omitempty"` // how links are followed; without it they are not
	Walk     *SiteWalk     `json:"walk,omitempty"`   // progress of following links
	DryRun   *SiteDryRun   `json:"dryRun,omitempty"` // this is no site, but a dry run
}

// Coverage counts the addresses found by all polls of a site, grouped by outcome. Each address is counted once.
type Coverage struct {
	Found    int `json:"found"`    // the sum of new, known, excluded, trapped and refused
	New      int `json:"new"`      // registered
	Known    int `json:"known"`    // already registered
	Excluded int `json:"excluded"` // excluded by the site file
	Trapped  int `json:"trapped"`  // left out as part of an endless series, such as a calendar
	Refused  int `json:"refused"`  // rejected by the registry
	// Reasons counts the excluded and trapped addresses by reason. After 40 reasons, all others share one number.
	Reasons map[string]int `json:"reasons,omitempty"`
	// Examples has one of the addresses of each reason.
	Examples map[string]string `json:"examples,omitempty"`
}

// Look is one poll of the sitemaps and feeds of a site. An address is counted only if the document that lists it has
// changed.
type Look struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"` // full: sitemaps and feeds; feeds: feeds only
	BeganAt    time.Time `json:"beganAt"`
	EndedAt    time.Time `json:"endedAt,omitzero"`
	Requests   int       `json:"requests"`   // requests for documents
	Documents  int       `json:"documents"`  // documents read
	Unmodified int       `json:"unmodified"` // documents that have not changed since the previous poll
	// addresses not seen by earlier polls; the sum of new, known, excluded, trapped, refused and later
	Found    int `json:"found"`
	New      int `json:"new"`      // registered
	Known    int `json:"known"`    // already registered, left unchanged
	Excluded int `json:"excluded"` // excluded by the site file
	Trapped  int `json:"trapped"`  // left out as part of an endless series, such as a calendar
	Refused  int `json:"refused"`  // rejected by the registry, each with an error
	Later    int `json:"later"`    // left for the next day because a limit was reached
	Moved    int `json:"moved"`    // known addresses whose lastmod has changed
	// moved addresses whose next check will show whether the page has really changed
	Noted    int         `json:"noted"`
	Hastened int         `json:"hastened"` // moved addresses that were checked earlier than scheduled
	Errors   int         `json:"errors"`
	Problems []LookError `json:"problems,omitempty"` // the first 20 errors
	Note     string      `json:"note,omitempty"`     // what the poll is waiting for, or why it ended early
}

// LookError is an error of a poll.
type LookError struct {
	At      time.Time `json:"at"`
	URL     string    `json:"url,omitempty"`
	Message string    `json:"message"`
}

// LastModRecord says how reliable the lastmod values of a site have been recently.
type LastModRecord struct {
	Right       int  `json:"right"`       // checks that found the announced change
	Wrong       int  `json:"wrong"`       // checks that did not find the announced change
	Unannounced int  `json:"unannounced"` // changes that were not announced
	Truthful    bool `json:"truthful"`    // lastmod is reliable, so pages are checked earlier because of it
}

// Sites lists the sites of the site file, in its order, then those that were added.
type Sites struct {
	Sites []Site `json:"sites"`
}

// IndexNowRequest announces new or changed pages of a host (IndexNow).
type IndexNowRequest struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLList     []string `json:"urlList"`
}

// IndexNowResult is the result of a submission.
type IndexNowResult struct {
	// addresses, each counted once; the sum of new, forwarded, known, excluded, refused and left
	Received  int `json:"received"`
	New       int `json:"new"`       // registered
	Forwarded int `json:"forwarded"` // known, and checked earlier
	Known     int `json:"known"`     // known and left unchanged: already due or just checked
	Excluded  int `json:"excluded"`  // excluded by the site file
	Refused   int `json:"refused"`   // rejected by the registry
	Left      int `json:"left"`      // dropped because a daily limit was reached
}

// SiteSlug identifies a site.
type SiteSlug struct {
	Slug string `json:"-" path:"slug"` // The site, by its name in the site file or in the list of sites.
}

// SiteRequest adds a site, whose pages are discovered and watched.
type SiteRequest struct {
	// A domain, the address of a sitemap or feed, or the common beginning of the addresses of the wanted pages. The
	// scheme may be left out.
	URL string `json:"url"`
	// GuessScheme asks the host once which scheme it answers; http is tried only if the host is not public.
	GuessScheme bool `json:"guessScheme,omitempty"`
	// The documents to read instead of the guessed ones: sitemaps, feeds, and pages that link to others. They replace
	// those of a site that was added before.
	Sitemaps []string `json:"sitemaps,omitempty"`
	Feeds    []string `json:"feeds,omitempty"`
	Listings []string `json:"listings,omitempty"`
	// Follow the links of the site's pages, beginning at the given address. Pages are added as they are found.
	Follow *SiteFollow `json:"follow,omitempty"`
	// Patterns of the wanted and unwanted addresses, together with one of the lists above or with follow. A pattern is
	// a path such as /docs/**: * stands for anything but a slash, ** for anything.
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	// DryRun follows the links and fetches the pages, but adds nothing. The answer has the slug of the dry run; its result
	// is kept for a day.
	DryRun bool `json:"dryRun,omitempty"`
}

// IndexNowOne is an [IndexNowRequest] for one page.
type IndexNowOne struct {
	URL string `json:"url"` // The page.
	Key string `json:"key"` // The key of the page's host.
	// Where the host publishes the key; by default at the root of the host.
	KeyLocation string `json:"keyLocation,omitempty"`
}
