package handlers

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fault"
)

// defaultEntries is how many entries are listed when nothing else is asked for.
const defaultEntries = 50

// entries lists those of the present schema, a page at a time, without their texts.
func (s *server) entries(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "policy", "top", "continuation")
	policy, top, after := q.text("policy"), q.number("top", defaultEntries, 1, entries.MaxList-1), q.text("continuation")
	if q.err != nil {
		return 0, nil, q.err
	}
	session, err := v.Entries.Active(r.Context())
	if err != nil {
		return 0, nil, err
	}
	found, err := session.List(r.Context(), policy, top+1, after) // one more than is shown tells whether there is another page
	if err != nil {
		return 0, nil, err
	}
	page := map[string]any{}
	if len(found) > top {
		found = found[:top]
		page["continuation"] = found[top-1].Text("id")
	}
	rows := make([]entryRow, len(found))
	for i, f := range found {
		rows[i] = rowOf(f)
	}
	page["entries"] = rows
	return http.StatusOK, page, nil
}

// entry shows one of the present schema, and the page that it is about if it is a link.
func (s *server) entry(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	session, err := v.Entries.Active(r.Context())
	if err != nil {
		return 0, nil, err
	}
	f, err := session.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	row := rowOf(f)
	if link := entries.LinkOf(f); link != "" {
		page, err := linkedPage(r.Context(), v, link)
		if err != nil {
			return 0, nil, err
		}
		if page != nil {
			row["page"] = page
		}
	}
	return http.StatusOK, row, nil
}

// linkedPage is what is known of the page at an address; nil when that is nothing. Of a duplicate it is the page
// that is searched.
func linkedPage(ctx context.Context, v *Services, address string) (*api.LinkedPage, error) {
	src, err := v.Rules.ParseURL(address)
	if err != nil {
		return nil, nil // no page was registered for it either
	}
	it, err := v.Registry.Find(ctx, src.ID())
	if err == nil && it.AliasOf != "" {
		it, err = v.Registry.Find(ctx, it.AliasOf)
	}
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &api.LinkedPage{ID: string(it.ID), URL: it.DisplaySource, Title: it.Title, Status: api.Status(it.Status)}, nil
}
