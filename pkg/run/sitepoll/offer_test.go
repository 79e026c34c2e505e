package sitepoll_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

const (
	bareHome = "http://bare.example/"
	bareFeed = "http://bare.example/news.atom"
)

// atom returns a feed of addresses.
func atom(urls ...string) string {
	text := `<feed xmlns="http://www.w3.org/2005/Atom">`
	for _, url := range urls {
		text += `<entry><link href="` + url + `"/></entry>`
	}
	return text + "</feed>"
}

// offersOf adds a site without sitemaps, and returns what its first poll offers.
func (r *rig) offersOf(address string) (sitepoll.Site, []sitepoll.Offer) {
	r.Helper()
	added, err := r.Add(r.Context(), address, api.SiteSettings{})
	r.Must(err)
	r.settle()
	one := r.site(added.Slug)
	if !one.Last.Asks || one.Last.Errors != 0 || one.Coverage.Found != 0 {
		r.Errorf("the poll: %+v", one.Last)
	}
	return one, one.Last.Offers
}

// TestU6SiteWithoutSitemap checks that the first poll of an added site without a sitemap registers nothing, offers the
// feeds that the first page names and the links of that page, with counts and reasons, and reads what is chosen, then
// and each day (U6).
func TestU6SiteWithoutSitemap(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.web.Pages[bareHome] = `<link rel="alternate" type="application/atom+xml" href="/news.atom"><a href="/a">A</a>` +
			`<a href="/b#part">B</a><a href="/b">B</a><a href="/">Home</a><a href="https://else.example/">E</a>`
		r.web.Pages[bareFeed] = atom(runtest.Pages("http://bare.example/news/", 3)...)
		one, offers := r.offersOf("http://bare.example")
		const other = "other host: else.example"
		same(t, []sitepoll.Offer{
			{Kind: "listing", URL: bareHome, Pages: 3, LeftOut: 1, Reasons: run.Reasons{other: 1},
				Examples: run.Examples{other: "https://else.example/"}},
			{Kind: "feed", URL: bareFeed, Pages: 3},
		}, offers)
		same(t, api.SiteTry{URL: "http://bare.example/sitemap.xml", Answer: "HTTP 404"}, one.Last.Tried[0])
		if n := len(r.items()); n != 0 {
			t.Errorf("%d pages were registered before anybody chose", n)
		}

		_, err := r.Add(t.Context(), bareHome, api.SiteSettings{Feeds: []string{bareFeed}, Listings: []string{bareHome}})
		r.Must(err)
		r.settle()
		if poll := r.site(one.Slug).Last; poll.New != 6 || poll.Asks || poll.Excluded != 1 || poll.Errors != 0 {
			t.Errorf("what was chosen: %+v", poll)
		}
		for _, address := range r.web.Requests() {
			if strings.Contains(address, "https://bare.example/") {
				t.Errorf("%s was asked for, and the site has no https", address)
			}
		}
		r.web.Pages[bareHome] = `<a href="/a">A</a><a href="/c">C</a>`
		r.web.Requests()
		if poll := r.day(one.Slug); poll.New != 1 || poll.Errors != 0 {
			t.Errorf("the next day: %+v", poll)
		}
		r.whole()
	})
}

// TestU6NothingFound checks that a poll tries the usual addresses of feeds once each, and asks without an offer where
// there is nothing; and that it goes on without asking when the site has a sitemap later (U6).
func TestU6NothingFound(t *testing.T) {
	r := inMemory(t)
	r.web.Pages["https://new.example/"] = `<p>Nothing here, and <a href="https://else.example/">elsewhere</a>`
	one, offers := r.offersOf("new.example")
	if len(offers) != 0 || len(r.web.Requests()) != 10 {
		t.Errorf("%+v of %v", offers, one.Last.Tried)
	}
	r.web.Pages["https://new.example/sitemap.xml"] = runtest.URLSet("https://new.example/1")
	if poll := r.day(one.Slug); poll.New != 1 || poll.Asks || len(poll.Offers) > 0 {
		t.Errorf("with a sitemap: %+v", poll)
	}
}

// TestU6UsualFeed checks that a feed at a usual address is offered once (U6).
func TestU6UsualFeed(t *testing.T) {
	r := inMemory(t)
	r.web.Pages["https://new.example/"] = `<p>Without links`
	feed := atom("https://new.example/1")
	r.web.Pages["https://new.example/rss.xml"], r.web.Pages["https://new.example/atom.xml"] = feed, feed
	_, offers := r.offersOf("new.example")
	same(t, []sitepoll.Offer{{Kind: "feed", URL: "https://new.example/rss.xml", Pages: 1}}, offers)
}

// TestU6ListingGoesOn checks that the pages that follow a chosen listing are read while they list new pages (U6).
func TestU6ListingGoesOn(t *testing.T) {
	r := inMemory(t)
	r.web.Pages["https://new.example/news"] = `<a href="/1">1</a><a rel="next" href="/news?page=2">more</a>`
	r.web.Pages["https://new.example/news?page=2"] = `<a href="/2">2</a><a rel="next" href="/news?page=3">more</a>`
	r.web.Pages["https://new.example/news?page=3"] = `<a href="/2">2</a><a rel="next" href="/news?page=4">more</a>`
	added, err := r.Add(t.Context(), "new.example", api.SiteSettings{Listings: []string{"https://new.example/news"}})
	r.Must(err)
	r.settle()
	if poll := r.site(added.Slug).Last; poll.Documents < 3 || poll.Errors != 0 {
		t.Errorf("%+v", poll)
	}
	if _, there := r.items()["https://new.example/2"]; !there {
		t.Error("the second page of the list was not read")
	}
	for _, asked := range r.web.Requests() {
		if asked == "GET https://new.example/news?page=4" {
			t.Error("it goes on behind a page without new pages")
		}
	}
}
