package handlers

import (
	"cmp"
	"context"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// fieldsJSON returns what is known of the fields of an item; nil if nothing is.
func fieldsJSON(known field.Known) map[string]api.ItemField {
	if len(known.All) == 0 {
		return nil
	}
	out := map[string]api.ItemField{}
	for _, k := range known.All {
		v, seen := k.Last.Value, k.Seen()
		f := api.ItemField{
			Value: v.JSON(), Currency: v.Currency, Text: v.Words(), Type: string(v.Type), State: string(k.State),
			Why: cmp.Or(k.Why, k.Evidence.Reason), Asked: k.Key != "", At: k.At, First: pointJSON(seen.First),
			Lowest: pointJSON(seen.Lowest), Highest: pointJSON(seen.Highest), Entries: k.Entries,
			Evidence: api.FieldEvidence{From: string(k.Evidence.Source), Path: k.Evidence.At, Text: k.Evidence.Excerpt,
				Capture: history.Digest(k.Capture)},
		}
		if k.State == field.Disappeared {
			f.Last = seen.Previous.Words()
		}
		out[k.Name] = f
	}
	return out
}

// unreadDataJSON returns what was not read of the data that a page declares; nil if all was read.
// Of what is no web page it says something only if fields of it are known or asked for.
func unreadDataJSON(it *registry.Item) *api.UnreadData {
	known := it.Fields
	switch {
	case known.Unread != "" && (len(known.All) > 0 || web.IsHTML(it.MimeType)):
		return &api.UnreadData{Why: known.Unread}
	case known.UnreadData.Blocks > 0:
		return &api.UnreadData{Blocks: known.UnreadData.Blocks, Why: known.UnreadData.Why, Text: known.UnreadData.Excerpt}
	}
	return nil
}

// pointJSON returns a value with its time; nil for none.
func pointJSON(p field.Point) *api.FieldPoint {
	if p.Value.None() {
		return nil
	}
	return &api.FieldPoint{Value: p.Value.JSON(), Currency: p.Value.Currency, Text: p.Value.Words(), At: p.At}
}

// field returns the history of a field.
func (h *itemHandlers) field(ctx context.Context, q api.FieldQuery) (any, error) {
	past, err := h.History.Find(ctx, source.ID(q.ID))
	if err != nil {
		return nil, wire.Field("id", err)
	}
	if q.Format != "" && q.Format != "json" && q.Format != "csv" {
		return nil, fault.Field("format", "format must be json or csv, not %.40q", q.Format)
	}
	known, ok := past.Item.Fields.Field(q.Name)
	if !ok {
		return nil, noField(past.Item.Fields, q.Name)
	}
	kept, err := h.Fields.List(ctx, past.IDs, known)
	if err != nil {
		return nil, err
	}
	out := api.FieldHistory{Name: q.Name, Entries: []api.FieldEntry{}, NotKept: kept.Older}
	for _, e := range kept.Entries {
		out.Entries = append(out.Entries, api.FieldEntry{
			FieldPoint: api.FieldPoint{Value: e.Value.JSON(), Currency: e.Value.Currency, Text: e.Value.Words(), At: e.At},
			Capture:    history.Digest(e.Capture), Why: e.Evidence.Reason})
	}
	if q.Format == "csv" {
		return newExport(h.Log, "field", "csv", fieldColumns, func(string) ([]api.FieldEntry, string, error) {
			return out.Entries, "", nil
		})
	}
	out.Older = max(0, len(out.Entries)-q.Top)
	out.Entries = out.Entries[out.Older:]
	return out, nil
}

// noField says that nothing is known of a field, and of which ones something is.
func noField(known field.Known, name string) error {
	var names []string
	for _, k := range known.All {
		names = append(names, k.Name)
	}
	if len(names) == 0 {
		return fault.New(fault.NotFound, "no field of this page has been read; watch.fields asks for fields, and the next "+
			"check reads them")
	}
	return fault.New(fault.NotFound, "no field %.60q of this page has been read; there are %s", name,
		strings.Join(names, ", "))
}

var fieldColumns = []exportColumn[api.FieldEntry]{
	{Name: "at", Text: func(e *api.FieldEntry) string { return timeCell(e.At) }},
	{Name: "value", Text: func(e *api.FieldEntry) string { return valueCell(e.Value) }},
	{Name: "currency", Text: func(e *api.FieldEntry) string { return e.Currency }},
	{Name: "text", Text: func(e *api.FieldEntry) string { return e.Text }},
	{Name: "capture", Text: func(e *api.FieldEntry) string { return e.Capture }},
}
