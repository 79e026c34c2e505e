package sitepoll

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run"
)

// maxTried limits the addresses that a poll records as tried.
const maxTried = 30

// The kinds of offers.
const (
	OfferFeed    = "feed"    // a feed
	OfferListing = "listing" // a page of the site with links to others
)

// Offer is a document that lists pages of a site, and that polls read only if a person chooses it. A poll looks for
// such documents where no sitemap or feed of the site lists pages.
type Offer struct {
	Kind     string       `json:"kind"`
	URL      string       `json:"url"`
	Pages    int          `json:"pages"`   // pages of the site that the document lists
	LeftOut  int          `json:"leftOut"` // other addresses
	Reasons  run.Reasons  `json:"reasons,omitempty"`
	Examples run.Examples `json:"examples,omitempty"` // an address of each reason
}

// tried records what an address has answered that nobody named, where many sites list pages. That there is nothing is
// no error.
func (l *Poll) tried(url, answer string) {
	if len(l.Tried) < maxTried {
		l.Tried = append(l.Tried, api.SiteTry{URL: run.Clip(url, maxShown), Answer: run.Clip(answer, maxMessage)})
	}
}

// isOffer reports whether a document is only examined, to offer it.
func (d doc) isOffer() bool { return d.Kind == docFirst || d.Kind == docNamed || d.Kind == docUsual }

// guessed reports whether nobody named a document: the site may lack it.
func (w *step) guessed(d doc) bool {
	if d.isOffer() || len(w.site.Start) == 0 || d.Kind != docMap {
		return d.isOffer()
	}
	scheme, rest, _ := strings.Cut(w.site.Start[0], "://")
	host, _, _ := strings.Cut(rest, "/")
	beside := func(host string) bool { return d.URL == site.SitemapBeside(scheme+"://"+host+"/robots.txt") }
	return beside(host) || beside(source.OtherName(host))
}

// examine queues the first page of a site at which nothing was found yet. It reports whether the page is to be read.
func (w *step) examine() bool {
	if len(w.site.Start) == 0 || w.st.All.Found > 0 || w.site.Named() {
		return false
	}
	w.st.push(doc{URL: w.site.Start[0], Kind: docFirst})
	return len(w.st.Docs) > 0
}

// offer examines a document that polls do not read yet, and offers it if it lists pages of the site.
func (w *step) offer(page politeness.Resource) error {
	d := w.st.Docs[0]
	got, feeds, err := readOffer(d, page)
	if err != nil {
		return err
	}
	w.st.Docs = w.st.Docs[1:]
	o := w.offerOf(d, got)
	answer := words.Count(o.Pages, "page") + " of the site"
	if o.LeftOut > 0 {
		answer += fmt.Sprintf(", and %s left out", words.Count(o.LeftOut, "address"))
	}
	w.st.Now.tried(d.URL, answer)
	if o.Pages > 0 {
		w.st.Now.Offers = append(w.st.Now.Offers, o)
	}
	switch d.Kind {
	case docFirst:
		w.queueFeeds(feeds, page.FinalURL)
	case docUsual: // the other usual addresses are spellings of this one
		w.st.Docs = slices.DeleteFunc(w.st.Docs, func(other doc) bool { return other.Kind == docUsual })
	}
	return nil
}

// readOffer reads a document. Of a page, it also returns the feeds that the page names.
func readOffer(d doc, page politeness.Resource) (got discover.Found, feeds []string, err error) {
	if err := page.Refused(); err != nil {
		return got, nil, err
	}
	if d.Kind != docFirst {
		got, err = discover.Sitemap(page.Body, page.FinalURL, discover.Bounds{Charset: page.Charset()})
		return got, nil, err
	}
	if feeds, err = discover.Feeds(page.Body, page.ContentType, page.FinalURL); err == nil {
		got, err = discover.Listing(page.Body, page.ContentType, page.FinalURL, "", "")
	}
	return got, feeds, err
}

// offerOf counts the pages of the site that a document lists.
func (w *step) offerOf(d doc, got discover.Found) Offer {
	o := Offer{Kind: OfferFeed, URL: d.URL}
	if d.Kind == docFirst {
		o.Kind = OfferListing
	}
	met := map[string]bool{}
	for _, link := range got.Links {
		src, err := w.s.o.Rules.ParseURL(link.URL)
		if err != nil || met[src.Normalized] {
			continue
		}
		met[src.Normalized] = true
		if why := w.site.Judge(src); why != "" {
			o.LeftOut++
			o.Examples.Note(o.Reasons.Add(why, 1), run.Clip(src.Normalized, maxShown))
			continue
		}
		o.Pages++
	}
	return o
}

// queueFeeds queues the feeds that the first page names or, without any, those at the usual addresses.
func (w *step) queueFeeds(named []string, page string) {
	kind := docNamed
	if len(named) == 0 {
		kind, named = docUsual, discover.UsualFeeds(page)
	}
	for _, address := range named {
		if kind == docNamed || w.site.Near(address, w.site.Start[0]) {
			w.st.push(doc{URL: address, Kind: kind})
		}
	}
}

// pass records that a guessed document does not list pages. If it is the first page, that of the site's other name is
// read next.
func (w *step) pass(d doc, why error) {
	w.st.Now.tried(d.URL, why.Error())
	scheme, rest, _ := strings.Cut(d.URL, "://")
	host, path, _ := strings.Cut(rest, "/")
	if other := source.OtherName(host); d.Kind == docFirst && w.site.WWW && other != "" && host == w.site.Domain {
		w.st.push(doc{URL: scheme + "://" + other + "/" + path, Kind: docFirst})
	}
}

// guesses returns the addresses of the robots.txt under the site's name and under its other name, with or without www.
// It returns none for a site whose documents are given, and for one that has no other name.
func (w *step) guesses() []string {
	if w.site.Named() || len(w.site.Sitemaps) > 1 {
		return nil
	}
	var start state
	start.first(w.site, Full)
	first := start.Docs[0].URL
	other := w.site.Robots(first)
	if other == "" {
		return nil
	}
	scheme, _, _ := strings.Cut(first, "://")
	return []string{scheme + "://" + w.site.Domain + "/robots.txt", other}
}

// guess queues the next document that may lead to the site's pages, when no document of the poll lists any: first at
// the site's name, then at its other one, and then its first page. It reports whether there is such a document.
func (w *step) guess() bool {
	if w.st.Listed || w.st.Now.Kind != Full {
		return false
	}
	for _, address := range w.guesses() {
		if w.st.push(doc{URL: address, Kind: docRobots}); len(w.st.Docs) > 0 {
			return true
		}
	}
	return w.examine()
}

// passOver decides about a document of a host whose robots.txt cannot be fetched. If the site may be found at its other
// name, that is asked before the poll waits for the host; and once a document lists pages, the poll does not wait. For
// what is only a guess, it never waits. PassOver reports false if the poll must wait: all documents that are left were
// passed over before.
func (w *step) passOver(why error) bool {
	guesses := w.guesses()
	if len(guesses) == 0 {
		return false
	}
	d, other := w.st.Docs[0], guesses[1]
	if !w.st.Listed {
		w.st.push(doc{URL: other, Kind: docRobots})
	}
	guessed := d.isOffer() || d.URL == other || d.URL == site.SitemapBeside(other)
	isLast := !slices.ContainsFunc(w.st.Docs[1:], func(d doc) bool { return !d.Later })
	switch {
	case guessed || w.st.Listed && isLast:
		w.giveUp(why)
	case !isLast:
		d.Later = true
		w.st.Docs = append(w.st.Docs[1:], d)
	default:
		return false
	}
	return true
}
