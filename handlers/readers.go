package handlers

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

// reader returns how far the caller has read the changes.
func (h *changeHandlers) reader(ctx context.Context, _ api.None) (out api.Reader, err error) {
	r, err := feed.ReadersOf(h.Feed).Load(ctx, wire.CallerOf(ctx).Reader())
	if err != nil {
		return out, err
	}
	return h.readerJSON(ctx, r)
}

func (h *changeHandlers) readerJSON(ctx context.Context, r feed.Reader) (out api.Reader, err error) {
	out.Name, out.Undo = wire.CallerOf(ctx).Name, r.Undo
	if out.Beyond = len(r.Beyond); r.UpTo != (feed.Position{}) {
		out.UpTo = r.UpTo.String()
	}
	out.Filters = wire.Each(r.Filters, func(f feed.SavedFilter) api.SavedFilter { return api.SavedFilter(f) })
	out.Unread = min(len(r.Again), api.MaxUnread)
	for c, err := range feed.ReadersOf(h.Feed).Since(ctx, feed.Reader{UpTo: r.UpTo}, feed.Position{}) {
		if err != nil || out.Unread == api.MaxUnread {
			return out, err
		}
		if !r.Has(c.Position) && c.Small == nil && !c.Silenced { // what the list shows without a filter
			out.Unread++
		}
	}
	return out, nil
}

// saveReader stores the caller's filters.
func (h *changeHandlers) saveReader(ctx context.Context, q api.ReaderRequest) (out api.Reader, err error) {
	if len(q.Filters) > api.MaxFilters {
		return out, fault.Field("filters", "filters: keep at most %d, not %d", api.MaxFilters, len(q.Filters))
	}
	kept := make([]feed.SavedFilter, len(q.Filters))
	for i, f := range q.Filters {
		f.Name = strings.TrimSpace(f.Name)
		if n := utf8.RuneCountInString(f.Name); n == 0 || n > api.MaxFilterName {
			return out, fault.Field("name", "name: give the filter a name of 1 to %d characters", api.MaxFilterName)
		}
		if f.List != "changes" && f.List != "items" {
			return out, fault.Field("list", "list must be changes or items, not %.40q", f.List)
		}
		if _, err := url.ParseQuery(f.Query); err != nil || len(f.Query) > api.MaxFilterQuery {
			return out, fault.Field("query", "query must be the parameters of a list, as in an address: at most %d characters",
				api.MaxFilterQuery)
		}
		if slices.ContainsFunc(kept[:i], func(k feed.SavedFilter) bool { return k.Name == f.Name && k.List == f.List }) {
			return out, fault.Field("name", "name: there are two filters %q", f.Name)
		}
		kept[i] = feed.SavedFilter(f)
	}
	r, err := feed.ReadersOf(h.Feed).Keep(ctx, wire.CallerOf(ctx).Reader(), kept)
	if err != nil {
		return out, err
	}
	return h.readerJSON(ctx, r)
}

// markRead marks changes as read by the caller, or as unread.
func (h *changeHandlers) markRead(ctx context.Context, q api.ReadRequest) (out api.Reader, err error) {
	if (q.UpTo == "") == (len(q.IDs) == 0) {
		return out, fault.Field("upTo", "give either upTo, the cursor of a list of changes, or ids, those of changes")
	}
	if q.Unread && q.UpTo != "" {
		return out, fault.Field("unread", "changes become unread by their ids, not up to a cursor")
	}
	if len(q.IDs) > api.MaxReadIDs {
		return out, fault.Field("ids", "give at most %d ids, not %d", api.MaxReadIDs, len(q.IDs))
	}
	var upTo feed.Position
	if q.UpTo != "" {
		if upTo, err = feed.ParsePosition(q.UpTo); err != nil {
			return out, fault.Field("upTo", "upTo: %w", err)
		}
	}
	ids := make([]feed.Position, len(q.IDs))
	for i, id := range q.IDs {
		if ids[i], err = feed.ParsePosition(id); err != nil {
			return out, fault.Field("ids", "ids: %w", err)
		}
	}
	readers, name := feed.ReadersOf(h.Feed).Recorded(h.Undo), wire.CallerOf(ctx).Reader()
	var r feed.Reader
	if q.Unread {
		r, err = readers.MakeUnread(ctx, name, ids...)
	} else {
		r, err = readers.MarkRead(ctx, name, upTo, ids...)
	}
	if err != nil {
		return out, err
	}
	return h.readerJSON(ctx, r)
}
