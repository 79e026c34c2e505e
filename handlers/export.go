package handlers

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// exportPage is how many rows are read at once.
const exportPage = 500

// exportItems answers with the items of a filter.
func exportItems(ctx context.Context, v *call, q api.ItemExport) (any, error) {
	return newExport(v, "items", q.Format, itemColumns, func(after string) ([]api.Item, string, error) {
		page, err := items(ctx, v, api.ItemQuery{Host: q.Host, Status: q.Status, Tag: q.Tag, Paused: q.Paused,
			Top: exportPage, Continuation: after})
		return page.Items, page.Continuation, err
	})
}

// exportChanges answers with the changes of a filter.
func exportChanges(ctx context.Context, v *call, q api.ChangeExport) (any, error) {
	return newExport(v, "changes", q.Format, changeColumns, func(after string) ([]api.FeedChange, string, error) {
		page, err := changes(ctx, v, api.ChangeQuery{Since: q.Since, Until: q.Until, Order: q.Order, Host: q.Host,
			Tag: q.Tag, Type: q.Type, Kind: q.Kind, MinShare: q.MinShare, Q: q.Q, Unread: q.Unread, Silenced: q.Silenced,
			Top: exportPage, Continuation: after})
		return page.Changes, page.Continuation, err
	})
}

// export is an answer of any length, which goes out as it is read.
type export[T any] struct {
	name, format string
	columns      []column[T]
	first        []T
	after        string // where the next page begins; empty when there is none
	next         func(after string) ([]T, string, error)
	log          *slog.Logger
}

// column is one of a CSV file.
type column[T any] struct {
	name string
	text func(row *T) string
}

// newExport reads the first page, so that what is wrong with the request can still be said.
func newExport[T any](v *call, name, format string, columns []column[T],
	next func(after string) ([]T, string, error)) (e export[T], err error) {
	if format == "" {
		format = "csv"
	}
	if format != "csv" && format != "jsonl" {
		return e, fault.Field("format", "format must be csv or jsonl, not %.40q", format)
	}
	e = export[T]{name: name, format: format, columns: columns, next: next, log: v.log}
	e.first, e.after, err = next("")
	return e, err
}

// write breaks the connection off if it fails, because the status says already that all is well.
func (e export[T]) WriteAnswer(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}[e.format])
	h.Set("Content-Disposition", `attachment; filename="tidemark-`+e.name+"."+e.format+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if err := e.rows(w); err != nil {
		e.log.Error("export broken off", "export", e.name, "err", err)
		panic(http.ErrAbortHandler)
	}
}

func (e export[T]) rows(w io.Writer) error {
	put := e.encoder(w)
	for rows, after := e.first, e.after; ; {
		if err := put(rows); err != nil || after == "" {
			return err
		}
		var err error
		if rows, after, err = e.next(after); err != nil {
			return err
		}
	}
}

// encoder writes rows in the format of the export.
func (e export[T]) encoder(w io.Writer) func(rows []T) error {
	if e.format == "jsonl" {
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false)
		return func(rows []T) error {
			for i := range rows {
				if err := out.Encode(&rows[i]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	out, line := csv.NewWriter(w), make([]string, len(e.columns))
	out.UseCRLF = true // RFC 4180 section 2
	for i, c := range e.columns {
		line[i] = c.name
	}
	_ = out.Write(line) // the error is that of the flush
	return func(rows []T) error {
		for i := range rows {
			for j, c := range e.columns {
				line[j] = cell(c.text(&rows[i]))
			}
			_ = out.Write(line)
		}
		out.Flush()
		return out.Error()
	}
}

// cell is a text that spreadsheets show and do not calculate: strangers write titles and passages (OWASP, CSV
// injection).
func cell(text string) string {
	if r := []rune(text[:min(len(text), 4)]); len(r) > 0 && strings.ContainsRune("=+-@\t\r\n＝＋－＠", r[0]) {
		return "'" + text
	}
	return text
}

var itemColumns = []column[api.Item]{
	{"url", func(it *api.Item) string { return it.NormalizedSource }},
	{"id", func(it *api.Item) string { return it.ID }},
	{"type", func(it *api.Item) string { return it.Type }},
	{"host", func(it *api.Item) string { return it.SourceHost }},
	{"status", func(it *api.Item) string { return string(it.Status) }},
	{"tags", func(it *api.Item) string { return strings.Join(it.Tags, ", ") }},
	{"paused", func(it *api.Item) string { return yes(it.Paused) }},
	{"firstSeen", func(it *api.Item) string { return isoTime(it.FirstSeen) }},
	{"lastChecked", func(it *api.Item) string { return isoTime(it.LastChecked) }},
	{"lastChanged", func(it *api.Item) string { return isoTime(it.LastChanged) }},
	{"nextCrawlAt", func(it *api.Item) string { return isoTime(it.NextCrawlAt) }},
	{"httpStatusCode", func(it *api.Item) string { return number(it.HTTPStatusCode) }},
	{"crawlAttempts", func(it *api.Item) string { return number(it.CrawlAttempts) }},
	{"errorMessage", func(it *api.Item) string { return it.ErrorMessage }},
	{"mimeType", func(it *api.Item) string { return it.MimeType }},
	{"language", func(it *api.Item) string { return it.Language }},
	{"publishedAt", func(it *api.Item) string { return isoTime(it.PublishedAt) }},
	{"author", func(it *api.Item) string { return it.Author }},
	{"siteName", func(it *api.Item) string { return it.SiteName }},
	{"contentHash", func(it *api.Item) string { return it.ContentHash }},
}

var changeColumns = []column[api.FeedChange]{
	{"at", func(c *api.FeedChange) string { return isoTime(c.At) }},
	{"kind", func(c *api.FeedChange) string { return string(c.Kind) }},
	{"type", func(c *api.FeedChange) string { return c.Type }},
	{"title", func(c *api.FeedChange) string { return c.Title }},
	{"url", func(c *api.FeedChange) string { return c.URL }},
	{"host", func(c *api.FeedChange) string { return c.Host }},
	{"tags", func(c *api.FeedChange) string { return strings.Join(c.Tags, ", ") }},
	{"share", func(c *api.FeedChange) string { return fraction(c.Share) }},
	{"wordsAdded", func(c *api.FeedChange) string { return number(c.WordsAdded) }},
	{"wordsRemoved", func(c *api.FeedChange) string { return number(c.WordsRemoved) }},
	{"added", func(c *api.FeedChange) string { return passages(c, "added") }},
	{"removed", func(c *api.FeedChange) string { return passages(c, "removed") }},
	{"why", func(c *api.FeedChange) string { return c.Why }},
	{"silenced", func(c *api.FeedChange) string { return yes(c.Silenced) }},
	{"id", func(c *api.FeedChange) string { return c.ID }},
	{"itemId", func(c *api.FeedChange) string { return c.ItemID }},
	{"entryId", func(c *api.FeedChange) string { return c.EntryID }},
	{"from", func(c *api.FeedChange) string { return c.From }},
	{"to", func(c *api.FeedChange) string { return c.To }},
}

// passages are those that came, or those that went, a line each.
func passages(c *api.FeedChange, op string) string {
	var lines []string
	for _, p := range c.Passages {
		if p.Op == op {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}

func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func fraction(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}
