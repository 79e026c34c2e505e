package handlers

import (
	"context"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// exportItems answers with the items that pass a filter.
func (h *itemHandlers) exportItems(ctx context.Context, q api.ItemExport) (any, error) {
	return wire.NewExport(h.Log, "items", q.Format, itemColumns, func(after string) ([]api.Item, string, error) {
		page, err := h.items(ctx, api.ItemQuery{Host: q.Host, Status: q.Status, Tag: q.Tag, Paused: q.Paused,
			Top: wire.ExportPage, Continuation: after})
		return page.Items, page.Continuation, err
	})
}

var itemColumns = []wire.ExportColumn[api.Item]{
	{Name: "url", Text: func(it *api.Item) string { return it.NormalizedSource }},
	{Name: "id", Text: func(it *api.Item) string { return it.ID }},
	{Name: "type", Text: func(it *api.Item) string { return it.Type }},
	{Name: "host", Text: func(it *api.Item) string { return it.SourceHost }},
	{Name: "status", Text: func(it *api.Item) string { return string(it.Status) }},
	{Name: "tags", Text: func(it *api.Item) string { return strings.Join(it.Tags, ", ") }},
	{Name: "paused", Text: func(it *api.Item) string { return wire.YesCell(it.Paused) }},
	{Name: "firstSeen", Text: func(it *api.Item) string { return wire.TimeCell(it.FirstSeen) }},
	{Name: "lastChecked", Text: func(it *api.Item) string { return wire.TimeCell(it.LastChecked) }},
	{Name: "lastChanged", Text: func(it *api.Item) string { return wire.TimeCell(it.LastChanged) }},
	{Name: "nextCrawlAt", Text: func(it *api.Item) string { return wire.TimeCell(it.NextCrawlAt) }},
	{Name: "httpStatusCode", Text: func(it *api.Item) string { return wire.NumberCell(it.HTTPStatusCode) }},
	{Name: "crawlAttempts", Text: func(it *api.Item) string { return wire.NumberCell(it.CrawlAttempts) }},
	{Name: "errorMessage", Text: func(it *api.Item) string { return it.ErrorMessage }},
	{Name: "mimeType", Text: func(it *api.Item) string { return it.MimeType }},
	{Name: "language", Text: func(it *api.Item) string { return it.Language }},
	{Name: "publishedAt", Text: func(it *api.Item) string { return wire.TimeCell(it.PublishedAt) }},
	{Name: "author", Text: func(it *api.Item) string { return it.Author }},
	{Name: "siteName", Text: func(it *api.Item) string { return it.SiteName }},
	{Name: "contentHash", Text: func(it *api.Item) string { return it.ContentHash }},
}
