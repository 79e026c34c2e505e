package handlers

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/run/walk"
)

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
