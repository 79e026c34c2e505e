package ui

import (
	"net/url"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// siteOf reads the request for a site from the form. The API checks it. A dry run follows links.
func siteOf(form url.Values) (api.SiteRequest, error) {
	req := api.SiteRequest{GuessScheme: true}
	if err := frame.Read(form, &req); err != nil {
		return req, err
	}
	if req.DryRun && req.Follow == nil {
		req.Follow = &api.SiteFollow{}
	}
	if form.Get("asked") != "" && !req.Named() {
		return req, frame.BadRequest("nothing is chosen: go back, and choose at least one source")
	}
	return req, nil
}
