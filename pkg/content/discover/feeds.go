package discover

import (
	"time"

	"github.com/PuerkitoBio/goquery"
)

// namedFeeds selects the feeds that a page names for readers of feeds (RSS autodiscovery).
const namedFeeds = `link[rel~=alternate][type*="rss"][href], link[rel~=alternate][type*="atom"][href], ` +
	`link[rel~=alternate][type*="feed+json"][href]`

// maxFeeds limits the feeds that are read of one page. Most pages name one or two: their own and one of comments.
const maxFeeds = 5

// Feeds returns the addresses of the feeds that a page names, in the order of the page. The base argument is the final
// address of the page; a base element in the page takes precedence. Errors: Invalid for a body that is not a web page
// or too deeply nested to parse.
func Feeds(body []byte, contentType, base string) ([]string, error) {
	root, err := parse(body, contentType)
	if err != nil {
		return nil, err
	}
	c := newCollector(HTML, base, maxFeeds)
	page := goquery.NewDocumentFromNode(root).Selection
	c.rebase(page)
	for _, link := range page.Find(namedFeeds).EachIter() {
		c.page(link.AttrOr("href", ""), time.Time{}, 0)
	}
	var out []string
	for _, link := range c.Links {
		out = append(out, link.URL)
	}
	return out, nil
}

// UsualFeeds returns the addresses at which sites without named feeds usually have one, given that of any page.
func UsualFeeds(page string) (out []string) {
	c := newCollector(HTML, page, 10)
	for _, path := range [...]string{"/feed", "/rss.xml", "/atom.xml", "/feed.xml", "/index.xml"} {
		c.page(path, time.Time{}, 0)
	}
	for _, link := range c.Links {
		out = append(out, link.URL)
	}
	return out
}
