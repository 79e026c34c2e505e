package handlers

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// questionOf returns what has to be asked about a site of which no document lists pages; nil if nothing has.
func questionOf(v sitepoll.Site) *api.SiteQuestion {
	if v.Last == nil || !v.Last.Asks || v.Now != nil || len(v.Start) == 0 {
		return nil
	}
	first := v.Start[0]
	q := &api.SiteQuestion{
		Text:  "No sitemap or feed lists the pages of this site. Which of these shall be read?",
		URL:   first,
		Tried: append([]api.SiteTry{}, v.Last.Tried...),
		Advice: []string{"Name another sitemap, feed or page that lists pages.",
			"Add the pages themselves, each by its address or as a list."},
	}
	if !v.Added {
		q.Advice[0] = "The site is in the site file: write what is to be read there, as sitemaps, feeds, listings or follow."
	}
	for _, o := range v.Last.Offers {
		c := api.SiteChoice{Kind: o.Kind, URL: o.URL, Pages: o.Pages, LeftOut: o.LeftOut, Reasons: o.Reasons,
			Examples: o.Examples, Send: api.SiteRequest{URL: first}}
		if o.Kind == sitepoll.OfferFeed {
			c.Send.Feeds = []string{o.URL}
		} else {
			c.Send.Listings = []string{o.URL}
		}
		q.Choices = append(q.Choices, c)
		if o.Kind == sitepoll.OfferListing { // its pages are where following the links of all pages begins
			c.Kind, c.Send.SiteSettings = "follow", api.SiteSettings{Follow: &api.SiteFollow{}}
			q.Choices = append(q.Choices, c)
		}
	}
	if len(q.Choices) == 0 {
		q.Text = "Nothing was found that lists the pages of this site, so none is watched."
	}
	return q
}
