package changes

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// add registers addresses; the form has one on each line.
func (a area) add(r *http.Request) (frame.Page, error) {
	var sources []string
	for line := range strings.Lines(r.PostForm.Get("urls")) {
		if line = strings.TrimSpace(line); line != "" {
			sources = append(sources, line)
		}
	}
	force := r.PostForm.Get("force") != ""
	if len(sources) == 1 {
		it, err := api.AddURL.Call(r.Context(), a.client, api.AddURLRequest{URL: sources[0], Force: force})
		if r.PostForm.Get("first") != "" {
			return frame.GoTo("/?done=added"), err
		}
		return frame.GoTo("/items/" + url.PathEscape(it.ID) + "?done=added"), err
	}
	batch, err := a.client.AddURLs(r.Context(), sources, api.AddOptions{Force: force})
	return frame.Page{Name: "added", Title: "Added", Data: batch}, err
}

// addSite adds a site, and shows the pages that are found there.
func (a area) addSite(r *http.Request) (frame.Page, error) {
	s, err := api.AddSite.Call(r.Context(), a.client, api.SiteRequest{URL: r.PostForm.Get("url")})
	if err != nil {
		return frame.Page{}, err
	}
	if r.PostForm.Get("first") != "" {
		return frame.GoTo("/?done=site-added"), nil
	}
	return frame.GoTo("/hosts/" + url.PathEscape(s.Domain) + "?done=site-added"), nil
}
