package handlers

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/run/walk"
)

// sites reports the progress of the polls of all sites (E14).
func (h *runHandlers) sites(ctx context.Context, _ api.None) (api.Sites, error) {
	all, err := h.Polls.All(ctx)
	return api.Sites{Sites: wire.Each(all, siteJSON)}, err
}

// addSite adds a site and starts its first poll.
func (h *runHandlers) addSite(ctx context.Context, q api.SiteRequest) (api.Site, error) {
	if q.URL == "" {
		return api.Site{}, fault.Field("url", "url is missing: give a domain, a sitemap, or what the wanted pages begin with")
	}
	if q.GuessScheme && h.Schemes != nil {
		found, errs := h.Schemes.Guess(ctx, []string{q.URL})
		if q.URL = found[0]; errs[0] != nil && !errors.Is(errs[0], fetch.ErrNotSecure) {
			return api.Site{}, errs[0] // else the site may live at its other name, which the poll asks
		}
	}
	add := h.Polls.Add
	if q.DryRun {
		add = h.Polls.Try
	}
	one, err := add(ctx, q.URL, q.SiteSettings)
	if err != nil {
		return api.Site{}, err
	}
	out := siteJSON(one)
	out.Warning = cmp.Or(source.RouteWarning(q.URL), out.Warning)
	return out, nil
}

// getSite reads a site, or a dry run with its result.
func (h *runHandlers) getSite(ctx context.Context, q api.SiteSlug) (api.Site, error) {
	one, err := h.Polls.Get(ctx, q.Slug)
	if err != nil {
		return api.Site{}, err
	}
	out := siteJSON(one)
	if out.DryRun != nil {
		out.DryRun.Would, err = h.Polls.Would(ctx, one)
		out.DryRun.Send = api.SiteRequest{URL: one.Start[0], SiteSettings: one.Set}
	}
	return out, err
}

// patchSite changes what is set of a site that was added.
func (h *runHandlers) patchSite(ctx context.Context, q api.SitePatch) (api.Site, error) {
	one, err := h.Polls.Change(ctx, q.Slug, q.Patch)
	if err != nil {
		return api.Site{}, err
	}
	return siteJSON(one), nil
}

// removeSite removes a site that was added through the API. The site's pages remain registered.
func (h *runHandlers) removeSite(ctx context.Context, q api.SiteSlug) (api.Site, error) {
	one, err := h.Polls.Get(ctx, q.Slug)
	if err != nil {
		return api.Site{}, err
	}
	return siteJSON(one), h.Polls.Forget(ctx, q.Slug)
}

func siteJSON(v sitepoll.Site) api.Site {
	return api.Site{
		Slug: v.Slug, Domain: v.Domain, Added: v.Added, Watched: v.Watched, Warning: v.Site.Warning,
		NextLookAt: v.NextPollAt, NewToday: v.NewToday,
		Look: pollJSON(v.Now), Last: pollJSON(v.Last), LastFeeds: pollJSON(v.LastFeeds),
		LastMod: api.LastModRecord{Right: v.LastMod.Right, Wrong: v.LastMod.Wrong, Unannounced: v.LastMod.Unannounced,
			Truthful: v.LastMod.Truthful()},
		Coverage: v.Coverage.Coverage, Question: questionOf(v),
		Follow: v.Follow, Set: v.Set, Walk: walkJSON(v.Walk, v.Site), DryRun: dryRunJSON(v),
	}
}

func pollJSON(l *sitepoll.Poll) *api.Look {
	if l == nil {
		return nil
	}
	return &l.Look
}

// indexNowOne accepts a submission of one address.
func (h *runHandlers) indexNowOne(ctx context.Context, q api.IndexNowOne) (any, error) {
	u, err := url.Parse(q.URL)
	if err != nil || u.Host == "" {
		return nil, fault.Field("url", "%.200q is no address of a page", q.URL)
	}
	return h.indexNow(ctx, api.IndexNowRequest{Host: u.Host, Key: q.Key, KeyLocation: q.KeyLocation,
		URLList: []string{q.URL}})
}

// indexNow answers a submission with the statuses that the protocol requires. No other route answers with 422.
func (h *runHandlers) indexNow(ctx context.Context, p api.IndexNowRequest) (any, error) {
	got, err := h.Polls.Push(ctx, p)
	if mismatch, ok := errors.AsType[*sitepoll.MismatchError](err); ok {
		return wire.Reply{Status: http.StatusUnprocessableEntity, Body: refusal{mismatch}}, nil
	}
	return got, err
}

// A refusal is a problem with a status that no kind of error has.
type refusal struct{ error }

func (f refusal) WriteAnswer(w http.ResponseWriter, status int) {
	wire.Problem(w, status, f.Error(), api.FieldError{Field: fault.FieldOf(f.error), Message: f.Error()})
}

// sentinelTimer starts the polls that are due.
func (h *runHandlers) sentinelTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	begun, err := h.Polls.Tick(ctx)
	_, failed := h.Lists.RequeueStalled(ctx) // stalled imports are rare, so once an hour is enough
	if err = errors.Join(err, failed); begun == 0 {
		return "", err
	}
	return words.Count(begun, "poll") + " begun", err
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
