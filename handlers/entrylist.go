package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries/entry"
)

// listEntries lists the entries of the present schema, a page at a time, without their texts.
func (h *entryHandlers) listEntries(ctx context.Context, q api.EntryQuery) (any, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return nil, err
	}
	// One entry more than the page shows is read, to find out whether there is another page.
	found, err := session.List(ctx, q.Policy, q.Top+1, q.Continuation)
	if err != nil {
		return nil, err
	}
	page := map[string]any{}
	if len(found) > q.Top {
		found = found[:q.Top]
		page["continuation"] = found[q.Top-1].Text("id")
	}
	page["entries"] = wire.Each(found, rowOf)
	return page, nil
}

// showEntry shows an entry of the present schema. For a link, it also shows the page that the link leads to.
func (h *entryHandlers) showEntry(ctx context.Context, q api.EntryID) (any, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return nil, err
	}
	f, err := session.Get(ctx, q.ID)
	if err != nil {
		return nil, err
	}
	row := rowOf(f)
	if link := entry.LinkOf(f); link != "" {
		page, found, err := h.Lookup.Searched(ctx, link)
		if err != nil {
			return nil, err
		}
		if found {
			row["page"] = linkedPageJSON(page)
		}
	}
	return row, nil
}
