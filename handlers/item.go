package handlers

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// item shows one item with its past.
func (h *itemHandlers) item(r *http.Request) (int, any, error) {
	q, err := wire.Decode[api.ItemID](r, api.GetItem.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	past, err := h.History.Find(r.Context(), source.ID(q.ID))
	if err != nil {
		return 0, nil, wire.Field("id", err)
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
	for i, decision := range it.History {
		d.History[i].Undo = h.Undo.Ref(decision.Undo)
	}
	for _, id := range past.IDs[1:min(len(past.IDs), 1+api.MaxFormers)] {
		d.FormerIDs = append(d.FormerIDs, string(id))
	}
	return http.StatusOK, d, h.detail(r.Context(), &d, it)
}

// changeItem returns a handler that changes an item, and answers with the item.
func changeItem(do func(context.Context, source.ID) (registry.Item, error),
) func(context.Context, string) (api.Item, error) {
	return func(ctx context.Context, id string) (api.Item, error) {
		it, err := do(ctx, source.ID(id))
		out := itemJSON(&it)
		out.Undo = it.Undo
		return out, wire.Field("id", err)
	}
}

func detailJSON(it *registry.Item, past history.Latest) api.ItemDetail {
	d := api.ItemDetail{Item: itemJSON(it)}
	for _, h := range it.History {
		d.History = append(d.History, api.Decision{At: h.At, What: h.What, Why: h.Why, Since: h.Since, Times: h.Times})
	}
	d.Captures = wire.Each(past.Captures, func(c snapshot.Capture) api.Capture { return captureJSON(it, c) })
	d.Lineage, d.Changes = wire.Each(past.Edges, edgeJSON), wire.Each(past.Changes, changeJSON)
	d.List, d.Folder = listJSON(it.Listed), folderJSON(it)
	return d
}

// folderJSON returns what was found in a folder; nil for another item, and for a folder that was not listed yet.
func folderJSON(it *registry.Item) *api.FolderState {
	if it.Exclusion != verdict.ExclusionFolder {
		return nil
	}
	out := &api.FolderState{Files: it.Listing.Files}
	for _, p := range it.Listing.Passed {
		out.PassedOver = append(out.PassedOver, api.PassedOver{Why: p.Why, Number: p.Number, Example: p.First})
	}
	return out
}

// listJSON returns what was read of a list; nil for an item that is not watched as one.
func listJSON(l registry.Listed) *api.ListState {
	if l.Key == "" {
		return nil
	}
	out := &api.ListState{Entries: l.Now, More: l.More, RefusedMore: l.RefusedMore}
	for _, r := range l.Refused {
		out.Refused = append(out.Refused, api.RefusedEntry(r))
	}
	return out
}

func itemJSON(it *registry.Item) api.Item {
	out := api.Item{
		ID: string(it.ID), Type: string(it.Type), Status: api.Status(it.Status),
		NormalizedSource: it.NormalizedSource, DisplaySource: it.DisplaySource, Title: it.Title,
		SourceHost: it.SourceHost,
		Thin:       it.Thin != "", Collapsed: it.Collapse.Waits(), WatchBroken: registry.BrokenWatch(it) != "", Why: it.Thin,
		NotIndexed:   it.Exclusion,
		ParentPageID: it.ParentPageID, ContentGroupID: it.ContentGroupID, AliasOf: string(it.AliasOf),
		DiscoveryMethod: it.DiscoveryMethod, DiscoveryRunID: it.DiscoveryRun, JobID: it.DiscoveryJob,
		ReindexRequested: it.ReindexRequested, ReindexGeneration: it.ReindexGeneration,
		HTTPETag: it.HTTPEtag, HTTPStatusCode: it.HTTPStatusCode, HTTPRedirectChain: it.HTTPRedirectChain,
		HTTPCanonicalURL: it.HTTPCanonicalURL,
		FileETag:         it.FileEtag, FileContentType: it.FileContentType,
		Cut:         it.Cut,
		ContentHash: it.ContentHash, TextHash: it.TextHash, Language: it.Language, MimeType: it.MimeType,
		PublishedAt: it.PublishedAt, ModifiedAt: it.ModifiedAt, Author: it.Author, SiteName: it.SiteName,
		LastIndexedDocID: it.LastIndexedDocID, ImageCount: it.ImageCount,
		FirstSeen: it.FirstSeen, LastChecked: it.LastChecked, LastChanged: it.LastChanged, LastIndexed: it.LastIndexed,
		NextCrawlAt: it.NextCrawlAt, CrawlIntervalSeconds: it.CrawlIntervalSeconds,
		CrawlAttempts: it.CrawlAttempts, ErrorMessage: it.ErrorMessage,
		RemoveRequested: it.RemoveRequested, DraftUntil: it.DraftUntil,
		CaptureCount: it.CaptureCount, GuardedSince: it.GuardedSince,
		GoneSince: it.GoneSince,
	}
	if it.IndexPending {
		out.NextCrawlAt = it.ResumeAt // the item's host is paused until then
	}
	if it.Paused && !out.NextCrawlAt.Before(registry.Never) {
		out.NextCrawlAt = time.Time{}
	}
	out.Tags, out.Settings, out.Paused = it.Tags, it.Options, it.Paused
	out.Checks = checksJSON(it, time.Now())
	showUncompared(&out, it)
	showRendered(&out, it.Rendering)
	out.Fields, out.UnreadData = fieldsJSON(it.Fields), unreadDataJSON(it)
	switch {
	case out.WatchBroken:
		if out.Why = registry.BrokenWatch(it); it.Watched.Broken != "" {
			out.Why += ", since " + it.Watched.Since.UTC().Format("2 January 2006, 15:04 MST")
		}
	case out.Collapsed:
		out.Why = it.Collapse.Why()
	}
	if it.Watched.Empty && !it.Watched.Since.IsZero() { // what was accepted has no time
		out.WatchEmpty = &api.WatchEmpty{Since: it.Watched.Since}
	}
	if it.Type == source.URL {
		out.UnlinkedSince = it.UnlistedSince
	}
	modified := it.LastModified()
	if t, err := http.ParseTime(modified); err == nil {
		out.HTTPLastModified = t.UTC()
	}
	if it.FileEtag != "" || it.FileLastModified != "" {
		out.FileLength = &it.FileLength
		if t, err := time.Parse(time.RFC3339Nano, it.FileLastModified); err == nil {
			out.FileLastModified = t.UTC()
		}
	}
	if it.HTTPEtag != "" || modified != "" {
		out.Validators = it.Validators.Why()
	}
	if it.HTTPStatusCode != 0 {
		out.HTTPContentLength = &it.HTTPContentLength
	}
	if !it.LastChecked.IsZero() {
		out.HTTPRobotsAllowed = &it.HTTPRobotsAllowed
	}
	return out
}

func changeJSON(c snapshot.Change) api.Change {
	out := api.Change{
		At: c.At, Kind: api.ChangeKind(c.Kind), SHA256: history.Digest(c.RawHash), Before: history.Digest(c.Before),
		NormalizationVersion: c.Version, Fields: c.Fields,
	}
	if c.Measured {
		out.NewShare, out.GoneShare, out.WordsAdded, out.WordsRemoved = &c.New, &c.Gone, &c.Added, &c.Removed
	}
	return out
}

// movedTo is an answer that redirects from a former id of an item to its present id.
type movedTo struct{ location string }

func (m movedTo) WriteAnswer(w http.ResponseWriter, status int) {
	w.Header().Set("Location", m.location)
	w.WriteHeader(status)
}

// itemMoved answers a request that has a former id of an item.
func itemMoved(r *http.Request, it *registry.Item) (int, any, error) {
	to := url.URL{Path: "/api/items/" + string(it.ID), RawQuery: r.URL.RawQuery}
	return http.StatusMovedPermanently, movedTo{to.String()}, nil
}

// ignores reports whether a watch ignores a line already.
func ignores(w *api.Watch, line string) bool {
	if w == nil {
		return false
	}
	rules, err := watch.Compile(watch.Spec{Ignore: w.Ignore})
	return err == nil && rules.Ignored(line) != ""
}

// showUncompared adds what is not compared of the page or not told, and the offer of a rule for a part that moves
// often. The offer is not shown if the line is ignored already.
func showUncompared(out *api.Item, it *registry.Item) {
	u := it.Uncompared
	if u.Moved > 0 || len(u.Folded) > 0 || u.Unread != "" {
		out.Uncompared = &api.Uncompared{Moved: u.Moved, Last: u.Last, Unread: u.Unread}
		for _, f := range u.Folded {
			out.Uncompared.Folded = append(out.Uncompared.Folded, api.Folded{Line: f.Line, Rule: f.Rule})
		}
	}
	out.Silent = it.Moving.Silent
	if rule := it.Moving.Offer(it.Language); rule != "" && !ignores(out.Watch, it.Moving.Line) {
		out.Offer = &api.IgnoreOffer{Line: it.Moving.Line, Times: it.Moving.Times, Of: it.Moving.Of,
			Ignore: rule}
	}
}
