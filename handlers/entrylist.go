package handlers

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries/entry"
)

// listEntries lists those of the present schema, a page at a time, without their texts.
func listEntries(ctx context.Context, v *call, q api.EntryQuery) (any, error) {
	session, err := v.Entries.Active(ctx)
	if err != nil {
		return nil, err
	}
	// one more than is shown tells whether there is another page
	found, err := session.List(ctx, q.Policy, q.Top+1, q.Continuation)
	if err != nil {
		return nil, err
	}
	page := map[string]any{}
	if len(found) > q.Top {
		found = found[:q.Top]
		page["continuation"] = found[q.Top-1].Text("id")
	}
	rows := make([]entryRow, len(found))
	for i, f := range found {
		rows[i] = rowOf(f)
	}
	page["entries"] = rows
	return page, nil
}

// showEntry shows one of the present schema, and the page that it is about if it is a link.
func showEntry(ctx context.Context, v *call, q api.EntryID) (any, error) {
	session, err := v.Entries.Active(ctx)
	if err != nil {
		return nil, err
	}
	f, err := session.Get(ctx, q.ID)
	if err != nil {
		return nil, err
	}
	row := rowOf(f)
	if link := entry.LinkOf(f); link != "" {
		page, err := linkedPage(ctx, v, link)
		if err != nil {
			return nil, err
		}
		if page != nil {
			row["page"] = page
		}
	}
	return row, nil
}

// linkedPage is what is known of the page at an address; nil when that is nothing. Of a duplicate it is the page
// that is searched.
func linkedPage(ctx context.Context, v *call, address string) (*api.LinkedPage, error) {
	it, found, err := v.lookup().Searched(ctx, address)
	if !found {
		return nil, err
	}
	return &api.LinkedPage{ID: string(it.ID), URL: it.DisplaySource, Title: it.Title, Status: api.Status(it.Status)}, nil
}
