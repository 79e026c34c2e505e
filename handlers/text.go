package handlers

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// text answers with the text of a page, at present or at a given time.
func (h *captureHandlers) text(ctx context.Context, q api.TextQuery) (any, error) {
	if !slices.Contains([]string{"", "markdown", "text", "json"}, q.Format) {
		return nil, fault.Field("format", "format must be markdown, text or json, not %.40q", q.Format)
	}
	if q.Zone != "" && q.Zone != api.ZoneMain {
		return nil, fault.Field("zone", "zone must be main, not %.40q", q.Zone)
	}
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return nil, err
	}
	digest, err := captureAsOf(ctx, past, q.AsOf)
	if err != nil {
		return nil, err
	}
	c, body, err := past.Load(ctx, digest)
	if err != nil {
		return nil, err
	}
	doc, err := h.History.Read(ctx, c, body)
	if err != nil {
		return nil, err
	}
	if doc.Unsupported {
		return nil, fault.New(fault.NotFound,
			"text cannot be extracted from %s; items/%s/captures/%s?raw=true gives the bytes", doc.MimeType, q.ID, digest)
	}
	if q.Zone == api.ZoneMain {
		doc.Text, doc.Blocks = doc.MainText(), extract.MainBlocks(doc.Blocks)
	}
	switch q.Format {
	case "text":
		return wire.Content{Body: []byte(withCut(doc.Text, doc)), MediaType: "text/plain; charset=utf-8"}, nil
	case "json":
		it := &past.Item
		return api.PageText{
			ItemID: string(it.ID), URL: it.DisplaySource, Title: doc.Title, Capture: digest, At: c.CapturedAt,
			CheckedAt: checkedAt(it, c), Current: c.RawHash == it.RawHash,
			Text: extract.Markdown(doc.Blocks), Cut: doc.CutWhy(),
		}, nil
	}
	return wire.Content{Body: []byte(withCut(extract.Markdown(doc.Blocks), doc)),
		MediaType: "text/markdown; charset=utf-8"}, nil
}

// withCut appends to a text a line about the parts of the document that are not read.
func withCut(text string, doc extract.Document) string {
	if why := doc.CutWhy(); why != "" {
		return text + extract.Separator + "[Cut: " + why + ".]"
	}
	return text
}

// captureAsOf returns the digest of the capture that asOf selects: a digest selects itself, a time selects the
// capture of that time, and "" selects the present capture.
func captureAsOf(ctx context.Context, past history.Past, asOf string) (string, error) {
	switch {
	case history.IsDigest(asOf):
		return asOf, nil
	case asOf == "":
		return past.Current()
	}
	at, err := wire.Since("asOf", asOf, time.Now())
	if err != nil {
		return "", err
	}
	if _, err := time.Parse(time.DateOnly, asOf); err == nil {
		at = at.Add(24*time.Hour - 1) // the end of the day
	}
	return past.At(ctx, at)
}
