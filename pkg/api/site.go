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
	Set      SiteSettings  `json:"set,omitzero"`     // what is set of it; patterns of the site file are regular expressions
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

// SiteSettings say which documents list the pages of a site, and which of its pages are wanted. Documents that are
// named are read instead of those that are guessed.
type SiteSettings struct {
	// their addresses, on any host
	Sitemaps []string `json:"sitemaps,omitempty" label:"Sitemaps" flag:"sitemap URL" most:"1000"`
	// addresses of RSS, Atom or JSON feeds, on any host
	Feeds []string `json:"feeds,omitempty" label:"Feeds" flag:"feed URL" most:"1000"`
	// addresses of pages that link to others
	Listings []string `json:"listings,omitempty" label:"Pages with lists of links" flag:"listing URL" most:"1000"`
	// go from page to page, beginning at the address of the site; pages are added as they are found
	Follow *SiteFollow `json:"follow,omitempty" label:"Follow links" unit:"switch"`
	// patterns, such as /docs/**: * stands for anything but a slash, ** for anything
	Include []string `json:"include,omitempty" label:"Only addresses like these" flag:"include PATTERN" most:"1000"`
	// patterns of addresses to leave out, such as /print/**
	Exclude []string `json:"exclude,omitempty" label:"No addresses like these" flag:"exclude PATTERN" most:"1000"`
}

// Named reports whether anything is named that lists pages.
func (s SiteSettings) Named() bool {
	return s.Follow != nil || len(s.Sitemaps)+len(s.Feeds)+len(s.Listings) > 0
}

// SiteFollow limits how far the links of a site's pages are followed. A limit of 0 stands for the default.
type SiteFollow struct {
	// how many links a page may be away from the first one
	Depth int `json:"depth,omitempty" label:"Links from the first page, at most" flag:"depth NUMBER" min:"1" max:"20" default:"3"`
	// how many pages are found by following links
	Pages int `json:"pages,omitempty" label:"Pages, at most" flag:"pages NUMBER" min:"1" max:"50000" default:"5000"`
	// how many addresses of links are examined
	Addresses int `json:"addresses,omitempty" label:"Addresses, at most" flag:"addresses NUMBER" min:"1" max:"500000" default:"100000"`
	// other hosts whose pages belong to the site
	Hosts []string `json:"hosts,omitempty" label:"Other hosts" flag:"also-host HOST" most:"1000"`
}

// SiteRequest adds a site, whose pages are discovered and watched. Settings replace those of a site that was added
// before.
type SiteRequest struct {
	// A domain, the address of a sitemap or feed, or the common beginning of the addresses of the wanted pages. The
	// scheme may be left out.
	URL string `json:"url" flag:"-"`
	// GuessScheme asks the host once which scheme it answers; http is tried only if the host is not public.
	GuessScheme bool `json:"guessScheme,omitempty" flag:"-"`
	SiteSettings
	// with follow: fetch pages, add nothing, and show what would be added; the result is kept for a day
	DryRun bool `json:"dryRun,omitempty" label:"Only show what would be added"`
}

// SitePatch changes the settings of a site that was added (JSON Merge Patch, RFC 7396): what is left out stays, null
// removes a setting.
type SitePatch struct {
	Slug string `json:"-" path:"slug"` // The site.
	SiteSettings
	Patching
}

// IndexNowOne is an [IndexNowRequest] for one page.
type IndexNowOne struct {
	URL string `json:"url"` // The page.
	Key string `json:"key"` // The key of the page's host.
	// Where the host publishes the key; by default at the root of the host.
	KeyLocation string `json:"keyLocation,omitempty"`
}

// SiteQuestion asks how to find the pages of a site, if no sitemap or feed lists them.
type SiteQuestion struct {
	Text    string       `json:"text"`              // the question, in words
	URL     string       `json:"url"`               // the first page of the site
	Tried   []SiteTry    `json:"tried"`             // the addresses that were tried
	Choices []SiteChoice `json:"choices,omitempty"` // what was found and can be used
	Advice  []string     `json:"advice"`            // other ways, in words
}

// SiteTry is an address that was tried.
type SiteTry struct {
	URL    string `json:"url"`
	Answer string `json:"answer"`
}

// SiteChoice is a way to find the pages of a site.
type SiteChoice struct {
	Kind    string `json:"kind"` // feed: a feed; listing: a page with links; follow: the links of all pages
	URL     string `json:"url"`
	Pages   int    `json:"pages"`   // pages of the site that it lists; for follow, pages that the first page links to
	LeftOut int    `json:"leftOut"` // other addresses there
	// Reasons counts the addresses that are left out, by reason, and Examples has an address for each reason.
	Reasons  map[string]int    `json:"reasons,omitempty"`
	Examples map[string]string `json:"examples,omitempty"`
	Send     SiteRequest       `json:"send"` // the body of the `POST sites` that makes this choice
}

// SiteWalk is the progress of following the links of a site.
type SiteWalk struct {
	Pages   int `json:"pages"`   // pages that were registered now or before
	Read    int `json:"read"`    // pages whose links were read
	Open    int `json:"open"`    // pages that are still to be fetched
	Waiting int `json:"waiting"` // pages that were found, but are not registered yet
	Unread  int `json:"unread"`  // pages that could not be read
	Seen    int `json:"seen"`    // addresses that were examined
	Deepest int `json:"deepest"` // links from the first page to the farthest one
	// Full says which limit is reached, if pages are left out because of it, and how to raise it.
	Full string `json:"full,omitempty"`
	// UnreadExample is one of the pages that could not be read, and UnreadWhy the reason.
	UnreadExample string `json:"unreadExample,omitempty"`
	UnreadWhy     string `json:"unreadWhy,omitempty"`
}

// SiteDryRun is the result of a dry run.
type SiteDryRun struct {
	Until time.Time   `json:"until"`           // when the result is deleted
	Would []string    `json:"would,omitempty"` // the addresses that would be registered, or are known already
	Send  SiteRequest `json:"send"`            // the body of `POST sites` that adds the site
	// Thin is the number of pages with little text without their scripts, and ThinExample the first of them. A dry run
	// reads no page in a browser, so these may have more links.
	Thin        int    `json:"thin,omitempty"`
	ThinExample string `json:"thinExample,omitempty"`
}
