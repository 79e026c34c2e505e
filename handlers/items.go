package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// item shows one item with its past.
func item(r *http.Request, v *call) (int, any, error) {
	q, err := wire.Decode[api.ItemID](r, api.GetItem.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	past, err := v.history().Find(r.Context(), source.ID(q.ID))
	if err != nil {
		return 0, nil, wire.Blame("id", err)
	}
	it := &past.Item
	if string(it.ID) != q.ID {
		return itemMoved(r, it)
	}
	latest, err := past.Latest(r.Context(), api.MaxPast)
	if err != nil {
		return 0, nil, err
	}
	d := detailJSON(it, latest)
	for _, id := range past.IDs[1:min(len(past.IDs), 1+api.MaxFormers)] {
		d.FormerIDs = append(d.FormerIDs, string(id))
	}
	d.Effective, err = effective(r.Context(), v, it)
	return http.StatusOK, d, err
}

// remove has one item purged: the worker takes it out of the index first, then out of the registry.
func remove(ctx context.Context, v *call, q api.ItemID) (api.Item, error) {
	it, err := v.Registry.Items.Remove(ctx, source.ID(q.ID))
	return itemJSON(&it), wire.Blame("id", err)
}

func detailJSON(it *registry.Item, past history.Latest) api.ItemDetail {
	d := api.ItemDetail{Item: itemJSON(it)}
	for _, h := range it.History {
		d.History = append(d.History, api.Decision(h))
	}
	for _, c := range past.Captures {
		d.Captures = append(d.Captures, captureJSON(it, c))
	}
	for _, e := range past.Edges {
		d.Lineage = append(d.Lineage, edgeJSON(e))
	}
	for _, c := range past.Changes {
		d.Changes = append(d.Changes, changeJSON(c))
	}
	return d
}

func itemJSON(it *registry.Item) api.Item {
	out := api.Item{
		ID: string(it.ID), Type: string(it.Type), Status: api.Status(it.Status),
		NormalizedSource: it.NormalizedSource, DisplaySource: it.DisplaySource, SourceHost: it.SourceHost,
		Thin: it.Thin != "", Collapsed: it.Collapse.Waits(), WatchBroken: it.Watched.Broken != "", Why: it.Thin,
		ParentPageID: it.ParentPageID, ContentGroupID: it.ContentGroupID, AliasOf: string(it.AliasOf),
		DiscoveryMethod: it.DiscoveryMethod, DiscoveryRunID: it.DiscoveryRun, JobID: it.DiscoveryJob,
		ReindexRequested: it.ReindexRequested, ReindexGeneration: it.ReindexGeneration,
		HTTPETag: it.HTTPEtag, HTTPStatusCode: it.HTTPStatusCode, HTTPRedirectChain: it.HTTPRedirectChain,
		HTTPCanonicalURL: it.HTTPCanonicalURL,
		FileETag:         it.FileEtag, FileContentType: it.FileContentType,
		ContentHash: it.ContentHash, TextHash: it.TextHash, Language: it.Language, MimeType: it.MimeType,
		PublishedAt: it.PublishedAt, ModifiedAt: it.ModifiedAt, Author: it.Author, SiteName: it.SiteName,
		LastIndexedDocID: it.LastIndexedDocID, ImageCount: it.ImageCount,
		FirstSeen: it.FirstSeen, LastChecked: it.LastChecked, LastChanged: it.LastChanged, LastIndexed: it.LastIndexed,
		NextCrawlAt: it.NextCrawlAt, CrawlIntervalSeconds: it.CrawlIntervalSeconds,
		CrawlAttempts: it.CrawlAttempts, ErrorMessage: it.ErrorMessage,
		RemoveRequested: it.RemoveRequested, GuardedSince: it.GuardedSince, GoneSince: it.GoneSince,
	}
	if it.IndexPending {
		out.NextCrawlAt = it.ResumeAt // before that, nobody asks the site
	}
	if it.Paused && !out.NextCrawlAt.Before(registry.Never) {
		out.NextCrawlAt = time.Time{}
	}
	showOptions(&out, it)
	switch {
	case out.WatchBroken:
		out.Why = it.Watched.Broken + ", since " + it.Watched.Since.Format(time.RFC3339)
	case out.Collapsed:
		out.Why = it.Collapse.Why()
	}
	if t, err := http.ParseTime(it.HTTPLastModified); err == nil {
		out.HTTPLastModified = t.UTC()
	}
	if it.FileEtag != "" || it.FileLastModified != "" {
		out.FileLength = &it.FileLength
		if t, err := time.Parse(time.RFC3339Nano, it.FileLastModified); err == nil {
			out.FileLastModified = t.UTC()
		}
	}
	if it.HTTPStatusCode != 0 {
		out.HTTPContentLength = &it.HTTPContentLength
	}
	if !it.LastChecked.IsZero() {
		out.HTTPRobotsAllowed = &it.HTTPRobotsAllowed
	}
	return out
}
