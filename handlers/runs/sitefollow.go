package runs

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/run/walk"
)

// sourcesOf returns what a request names.
func sourcesOf(q api.SiteRequest) site.Sources {
	out := site.Sources{Sitemaps: q.Sitemaps, Feeds: q.Feeds, Listings: q.Listings, Include: q.Include,
		Exclude: q.Exclude}
	if f := q.Follow; f != nil {
		out.Follow = &site.Follow{Depth: f.Depth, Pages: f.Pages, Addresses: f.Addresses, Hosts: f.Hosts}
	}
	return out
}

// requestOf returns the request that adds the site of a dry run.
func requestOf(v sitepoll.Site, named site.Sources) api.SiteRequest {
	out := api.SiteRequest{URL: v.Start[0], Include: named.Include, Exclude: named.Exclude}
	if named.Follow != nil {
		f := api.SiteFollow(*named.Follow)
		out.Follow = &f
	}
	return out
}

func followJSON(v *site.Site) *api.SiteFollow {
	if v.Follow == nil {
		return nil
	}
	f := api.SiteFollow(*v.Follow)
	return &f
}

func walkJSON(v *walk.Walk, of *site.Site) *api.SiteWalk {
	if v == nil || of.Follow == nil {
		return nil
	}
	return &api.SiteWalk{Pages: v.Pages, Read: v.Read, Open: v.Open, Waiting: v.Waiting, Unread: v.Unread, Seen: v.Seen,
		Deepest: v.Deepest, Full: v.Reached(of.Follow), UnreadExample: v.UnreadAt, UnreadWhy: v.UnreadWhy}
}

func dryRunJSON(v sitepoll.Site) *api.SiteDryRun {
	if v.TrialUntil.IsZero() {
		return nil
	}
	out := &api.SiteDryRun{Until: v.TrialUntil}
	if v.Walk != nil && v.Walk.Thin > 0 {
		out.Thin, out.ThinExample = v.Walk.Thin, verdict.PublicURL(v.Walk.ThinAt)
	}
	return out
}
