package api

import "time"

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
