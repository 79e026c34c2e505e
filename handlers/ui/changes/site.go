package changes

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// siteOf reads the request for a site from the form. It checks only that numeric fields have numbers; the API checks
// the rest.
func siteOf(form url.Values) (api.SiteRequest, error) {
	req := api.SiteRequest{URL: strings.TrimSpace(form.Get("url")), GuessScheme: true,
		Sitemaps: form["sitemaps"], Feeds: form["feeds"], Listings: form["listings"],
		Include: strings.Fields(form.Get("include")), Exclude: strings.Fields(form.Get("exclude")),
		DryRun: form.Get("dryRun") != ""}
	if form.Get("follows") == "" && !req.DryRun {
		if form.Get("asked") != "" && len(req.Sitemaps)+len(req.Feeds)+len(req.Listings) == 0 {
			return req, frame.BadRequest("nothing is chosen: go back, and choose at least one source")
		}
		return req, nil
	}
	req.Follow = &api.SiteFollow{Hosts: strings.Fields(form.Get("hosts"))}
	for name, to := range map[string]*int{"depth": &req.Follow.Depth, "pages": &req.Follow.Pages,
		"addresses": &req.Follow.Addresses} {
		text := strings.TrimSpace(form.Get(name))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return req, frame.BadRequest(name + " is no number: " + strconv.Quote(text))
		}
		*to = n
	}
	return req, nil
}
