package ui

import (
	"context"
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/pkg/api"
)

// guided is how many items somebody who is still beginning has at most.
const guided = 1000

// guide is what is left to do in the first minutes: it ends with the first rule.
type guide struct {
	Sites   []api.Site // that were added or are being read
	Total   int
	Waiting int // for their first check
	Indexed int
	Failed  int
}

// guideOf is nil for those who need none: they have a rule, or much to watch.
func guideOf(o Options, ctx context.Context, st counts) (*guide, error) {
	g := &guide{Total: st.Total(), Indexed: st.Items[api.StatusIndexed], Failed: st.Items[api.StatusError],
		Waiting: st.Items[api.StatusPending] + st.Items[api.StatusCrawled]}
	if g.Total > guided {
		return nil, nil
	}
	rules, err := api.ListRules.Call(ctx, o.Client, api.None{})
	if err != nil || len(rules.Rules) > 0 {
		return nil, err
	}
	sites, err := api.ListSites.Call(ctx, o.Client, api.None{})
	for _, s := range sites.Sites {
		if s.Look != nil || s.Added {
			g.Sites = append(g.Sites, s)
		}
	}
	if err != nil || g.Total == 0 && len(g.Sites) == 0 {
		return nil, err
	}
	return g, nil
}

// addSite adds a site, and shows what is found of it.
func addSite(o Options, r *http.Request) (page, error) {
	s, err := api.AddSite.Call(r.Context(), o.Client, api.SiteRequest{URL: r.PostForm.Get("url")})
	if err != nil {
		return page{}, err
	}
	if r.PostForm.Get("first") != "" {
		return page{to: "/?done=site-added"}, nil
	}
	return page{to: hostPath(s.Domain) + "?done=site-added"}, nil
}

// actSite polls a site now, or removes it.
func actSite(o Options, r *http.Request) (page, error) {
	q := api.SiteSlug{Slug: r.PathValue("slug")}
	var s api.Site
	var err error
	done := map[string]string{"look": "site-looked", "remove": "site-removed"}[r.PostForm.Get("do")]
	switch r.PostForm.Get("do") {
	case "look":
		s, err = api.PollSite.Call(r.Context(), o.Client, q)
	case "remove":
		s, err = api.RemoveSite.Call(r.Context(), o.Client, q)
	default:
		err = badRequest("a site can be polled or removed")
	}
	return page{to: hostPath(s.Domain) + "?done=" + done}, err
}

// hostPath is the page of a host, below [Root].
func hostPath(host string) string { return "/hosts/" + url.PathEscape(host) }
