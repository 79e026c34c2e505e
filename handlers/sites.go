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
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
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
	return words.Count(begun, "poll") + " begun", errors.Join(err, failed)
}
