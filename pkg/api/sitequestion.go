package api

import "time"

// SiteQuestion is asked where no sitemap or feed of a site lists its pages.
type SiteQuestion struct {
	Text    string       `json:"text"`              // what is asked, in words
	URL     string       `json:"url"`               // the first page of the site, as a choice names it
	Tried   []SiteTry    `json:"tried"`             // what the site was asked for
	Choices []SiteChoice `json:"choices,omitempty"` // what was found, and can be used
	Advice  []string     `json:"advice"`            // what else works, in words
}

// SiteTry is an address that was tried.
type SiteTry struct {
	URL    string `json:"url"`
	Answer string `json:"answer"`
}

// SiteChoice is a document of a site that lists pages.
type SiteChoice struct {
	Kind    string `json:"kind"` // feed: a feed; listing: a page with links; follow: the links of all pages
	URL     string `json:"url"`
	Pages   int    `json:"pages"`   // pages of the site that it lists; of follow, those that one page links to
	LeftOut int    `json:"leftOut"` // other addresses in it
	// Reasons counts the addresses that are left out, by reason, and Examples has an address of each.
	Reasons  map[string]int    `json:"reasons,omitempty"`
	Examples map[string]string `json:"examples,omitempty"`
	Send     SiteRequest       `json:"send"` // the body of `POST sites` that chooses it
}

// SiteFollow says how far the links of a site's pages are followed. A limit of 0 is the default.
type SiteFollow struct {
	Depth     int      `json:"depth,omitempty"`     // links from the first page to another one, at most; default 3
	Pages     int      `json:"pages,omitempty"`     // pages to find, at most; default 5,000
	Addresses int      `json:"addresses,omitempty"` // addresses to examine, at most; default 100,000
	Hosts     []string `json:"hosts,omitempty"`     // other hosts whose pages belong to the site
}

// SiteWalk is the progress of following the links of a site.
type SiteWalk struct {
	Pages   int `json:"pages"`   // pages that were registered, or were known
	Read    int `json:"read"`    // pages whose links were read
	Open    int `json:"open"`    // pages that are still to be fetched
	Waiting int `json:"waiting"` // pages that were found and are not registered yet
	Unread  int `json:"unread"`  // pages that could not be read
	Seen    int `json:"seen"`    // addresses that were examined
	Deepest int `json:"deepest"` // links from the first page to the farthest one
	// Full names the limit that is reached, if pages are left out for it.
	Full string `json:"full,omitempty"`
	// UnreadExample is one of the pages that could not be read, and UnreadWhy the reason.
	UnreadExample string `json:"unreadExample,omitempty"`
	UnreadWhy     string `json:"unreadWhy,omitempty"`
}

// SiteDryRun is the result of a dry run.
type SiteDryRun struct {
	Until time.Time   `json:"until"`           // when it is deleted
	Would []string    `json:"would,omitempty"` // the addresses that would be registered, or are known already
	Send  SiteRequest `json:"send"`            // the body of `POST sites` that adds the site
	// Thin is the number of pages with little text without their scripts, and ThinExample the first of them. A dry run
	// reads no page in a browser, so these may have more links.
	Thin        int    `json:"thin,omitempty"`
	ThinExample string `json:"thinExample,omitempty"`
}
