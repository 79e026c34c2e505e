package handlers

import (
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
)

const (
	defaultListed = 100
	maxListed     = 1000
)

// items lists the registry, a page at a time.
func (s *server) items(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "host", "status", "top", "continuation")
	list := registry.ListQuery{
		Host: q.text("host"), Status: registry.Status(q.text("status")),
		Top: q.number("top", defaultListed, 1, maxListed), After: q.text("continuation"),
	}
	if q.err != nil {
		return 0, nil, q.err
	}
	if list.Status != "" && !slices.Contains(registry.Statuses, list.Status) {
		return 0, nil, fault.Field("status", "status must be one of %v, not %q", registry.Statuses, list.Status)
	}
	top := list.Top
	list.Top++ // one more than is shown tells whether there is another page
	found, err := v.Registry.List(r.Context(), list)
	if err != nil {
		return 0, nil, err
	}
	page := api.ItemPage{}
	if len(found) > top {
		found = found[:top]
		page.Continuation = string(found[top-1].ID)
	}
	page.Items = make([]api.Item, len(found))
	for i := range found {
		page.Items[i] = itemJSON(&found[i])
	}
	return http.StatusOK, page, nil
}

// item shows one item with its past.
func (s *server) item(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	it, err := v.Registry.Find(r.Context(), source.ID(r.PathValue("id")))
	if err != nil {
		return 0, nil, blame("id", err)
	}
	captures, err := v.Snapshots.List(r.Context(), it.ID)
	if err != nil {
		return 0, nil, err
	}
	edges, err := v.Snapshots.Edges(r.Context(), it.ID, maxEdges)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, detailJSON(&it, captures, edges), nil
}

// remove has one item purged: the worker takes it out of the index first, then out of the registry.
func (s *server) remove(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	it, err := v.Registry.Remove(r.Context(), source.ID(r.PathValue("id")))
	if err != nil {
		return 0, nil, blame("id", err)
	}
	return http.StatusAccepted, itemJSON(&it), nil
}

func detailJSON(it *registry.Item, captures []snapshot.Capture, edges []lineage.Edge) api.ItemDetail {
	d := api.ItemDetail{Item: itemJSON(it)}
	for _, h := range it.History {
		d.History = append(d.History, api.Decision(h))
	}
	d.Captures, d.Lineage = pastJSON(captures, edges)
	return d
}

func itemJSON(it *registry.Item) api.Item {
	out := api.Item{
		ID: string(it.ID), Type: string(it.Type), Status: api.Status(it.Status),
		NormalizedSource: it.NormalizedSource, DisplaySource: it.DisplaySource, SourceHost: it.SourceHost,
		ParentPageID: it.ParentPageID, ContentGroupID: it.ContentGroupID, AliasOf: string(it.AliasOf),
		ReindexRequested: it.ReindexRequested, ReindexGeneration: it.ReindexGeneration,
		HTTPETag: it.HTTPEtag, HTTPStatusCode: it.HTTPStatusCode, HTTPRedirectChain: it.HTTPRedirectChain,
		HTTPCanonicalURL: it.HTTPCanonicalURL,
		FileETag:         it.FileEtag, FileContentType: it.FileContentType,
		ContentHash: it.ContentHash, TextHash: it.TextHash, Language: it.Language, MimeType: it.MimeType,
		LastIndexedDocID: it.LastIndexedDocID, ImageCount: it.ImageCount,
		FirstSeen: it.FirstSeen, LastChecked: it.LastChecked, LastChanged: it.LastChanged, LastIndexed: it.LastIndexed,
		NextCrawlAt: it.NextCrawlAt, CrawlIntervalSeconds: it.CrawlIntervalSeconds,
		CrawlAttempts: it.CrawlAttempts, ErrorMessage: it.ErrorMessage,
		RemoveRequested: it.RemoveRequested, HeldSince: it.HeldSince, GoneSince: it.GoneSince,
	}
	if t, err := http.ParseTime(it.HTTPLastModified); err == nil {
		out.HTTPLastModified = t.UTC()
	}
	if it.HTTPStatusCode != 0 {
		out.HTTPContentLength = &it.HTTPContentLength
	}
	if !it.LastChecked.IsZero() {
		out.HTTPRobotsAllowed = &it.HTTPRobotsAllowed
	}
	return out
}
