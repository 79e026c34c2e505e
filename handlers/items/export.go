package items

import (
	"context"
	"strings"

	"github.com/tidemark/tidemark/handlers/export"
	"github.com/tidemark/tidemark/pkg/api"
)

// exportItems answers with the items that pass a filter.
func (h *Handlers) exportItems(ctx context.Context, q api.ItemExport) (any, error) {
	return export.New(h.Log, "items", q.Format, itemColumns, func(after string) ([]api.Item, string, error) {
		page, err := h.items(ctx, api.ItemQuery{Host: q.Host, Status: q.Status, Tag: q.Tag, Paused: q.Paused,
			Top: export.PageSize, Continuation: after})
		return page.Items, page.Continuation, err
	})
}

var itemColumns = []export.Column[api.Item]{
	{Name: "url", Text: func(it *api.Item) string { return it.NormalizedSource }},
	{Name: "id", Text: func(it *api.Item) string { return it.ID }},
	{Name: "type", Text: func(it *api.Item) string { return it.Type }},
	{Name: "host", Text: func(it *api.Item) string { return it.SourceHost }},
	{Name: "status", Text: func(it *api.Item) string { return string(it.Status) }},
	{Name: "tags", Text: func(it *api.Item) string { return strings.Join(it.Tags, ", ") }},
	{Name: "paused", Text: func(it *api.Item) string { return export.Yes(it.Paused) }},
	{Name: "firstSeen", Text: func(it *api.Item) string { return export.Time(it.FirstSeen) }},
	{Name: "lastChecked", Text: func(it *api.Item) string { return export.Time(it.LastChecked) }},
	{Name: "lastChanged", Text: func(it *api.Item) string { return export.Time(it.LastChanged) }},
	{Name: "nextCrawlAt", Text: func(it *api.Item) string { return export.Time(it.NextCrawlAt) }},
	{Name: "httpStatusCode", Text: func(it *api.Item) string { return export.Number(it.HTTPStatusCode) }},
	{Name: "crawlAttempts", Text: func(it *api.Item) string { return export.Number(it.CrawlAttempts) }},
	{Name: "errorMessage", Text: func(it *api.Item) string { return it.ErrorMessage }},
	{Name: "mimeType", Text: func(it *api.Item) string { return it.MimeType }},
	{Name: "language", Text: func(it *api.Item) string { return it.Language }},
	{Name: "publishedAt", Text: func(it *api.Item) string { return export.Time(it.PublishedAt) }},
	{Name: "author", Text: func(it *api.Item) string { return it.Author }},
	{Name: "siteName", Text: func(it *api.Item) string { return it.SiteName }},
	{Name: "contentHash", Text: func(it *api.Item) string { return it.ContentHash }},
}
