package handlers

import (
	"context"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// exportChanges answers with the changes that pass a filter.
func (h *changeHandlers) exportChanges(ctx context.Context, q api.ChangeExport) (any, error) {
	return wire.NewExport(h.Log, "changes", q.Format, changeColumns, func(after string) ([]api.FeedChange, string, error) {
		page, err := h.changes(ctx, api.ChangeQuery{Since: q.Since, Until: q.Until, Order: q.Order, Host: q.Host,
			Tag: q.Tag, Type: q.Type, Kind: q.Kind, MinShare: q.MinShare, Q: q.Q, Unread: q.Unread, Silenced: q.Silenced,
			Top: wire.ExportPage, Continuation: after})
		return page.Changes, page.Continuation, err
	})
}

var changeColumns = []wire.ExportColumn[api.FeedChange]{
	{Name: "at", Text: func(c *api.FeedChange) string { return wire.TimeCell(c.At) }},
	{Name: "kind", Text: func(c *api.FeedChange) string { return string(c.Kind) }},
	{Name: "type", Text: func(c *api.FeedChange) string { return c.Type }},
	{Name: "title", Text: func(c *api.FeedChange) string { return c.Title }},
	{Name: "url", Text: func(c *api.FeedChange) string { return c.URL }},
	{Name: "host", Text: func(c *api.FeedChange) string { return c.Host }},
	{Name: "tags", Text: func(c *api.FeedChange) string { return strings.Join(c.Tags, ", ") }},
	{Name: "share", Text: func(c *api.FeedChange) string { return wire.FractionCell(c.Share) }},
	{Name: "wordsAdded", Text: func(c *api.FeedChange) string { return wire.NumberCell(c.WordsAdded) }},
	{Name: "wordsRemoved", Text: func(c *api.FeedChange) string { return wire.NumberCell(c.WordsRemoved) }},
	{Name: "added", Text: func(c *api.FeedChange) string { return passages(c, "added") }},
	{Name: "removed", Text: func(c *api.FeedChange) string { return passages(c, "removed") }},
	{Name: "why", Text: func(c *api.FeedChange) string { return c.Why }},
	{Name: "silenced", Text: func(c *api.FeedChange) string { return wire.YesCell(c.Silenced) }},
	{Name: "id", Text: func(c *api.FeedChange) string { return c.ID }},
	{Name: "itemId", Text: func(c *api.FeedChange) string { return c.ItemID }},
	{Name: "entryId", Text: func(c *api.FeedChange) string { return c.EntryID }},
	{Name: "from", Text: func(c *api.FeedChange) string { return c.From }},
	{Name: "to", Text: func(c *api.FeedChange) string { return c.To }},
}

// passages returns the passages with the given operation, "added" or "removed", one on each line.
func passages(c *api.FeedChange, op string) string {
	var lines []string
	for _, p := range c.Passages {
		if p.Op == op {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}
