package handlers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// pageText answers a page as it was read, now or at a time.
func pageText(ctx context.Context, v *call, q api.TextQuery) (any, error) {
	if !slices.Contains([]string{"", "markdown", "text", "json"}, q.Format) {
		return nil, fault.Field("format", "format must be markdown, text or json, not %.40q", q.Format)
	}
	it, ids, err := findPast(ctx, v, q.ID)
	if err != nil {
		return nil, err
	}
	digest, err := captureAsOf(ctx, v, &it, ids, q.AsOf)
	if err != nil {
		return nil, err
	}
	c, body, err := v.Snapshots.LoadOf(ctx, ids, "sha256:"+digest)
	if err != nil {
		return nil, noCapture(err, digest)
	}
	doc, err := readCapture(ctx, v, c, body)
	if err != nil {
		return nil, err
	}
	if doc.Unsupported {
		return nil, fault.New(fault.NotFound,
			"text cannot be extracted from %s; items/%s/captures/%s?raw=true gives the bytes", doc.MimeType, q.ID, digest)
	}
	switch q.Format {
	case "text":
		return wire.Content{Body: []byte(doc.Text), MediaType: "text/plain; charset=utf-8"}, nil
	case "json":
		shown := captureJSON(&it, c)
		return api.PageText{
			ItemID: string(it.ID), URL: it.DisplaySource, Title: doc.Title, Capture: digest, At: c.CapturedAt,
			CheckedAt: shown.LastVerifiedAt, Current: c.RawHash == it.RawHash, Text: extract.Markdown(doc.Blocks),
		}, nil
	}
	return wire.Content{Body: []byte(extract.Markdown(doc.Blocks)), MediaType: "text/markdown; charset=utf-8"}, nil
}

// captureAsOf is the digest of the capture that an item had at a time, or that is named.
func captureAsOf(ctx context.Context, v *call, it *registry.Item, ids []source.ID, asOf string) (string, error) {
	if isDigest(asOf) {
		return asOf, nil
	}
	if asOf == "" {
		if it.RawHash == "" {
			return "", fault.New(fault.NotFound, "the page was not read yet, or is gone: its status is %s", it.Status)
		}
		return strings.TrimPrefix(it.RawHash, "sha256:"), nil
	}
	at, err := wire.Since("asOf", asOf, time.Now())
	if err != nil {
		return "", err
	}
	if len(asOf) == len(time.DateOnly) {
		at = at.Add(24*time.Hour - 1) // the end of the day
	}
	held, err := heldOver(ctx, v, ids)
	if err != nil {
		return "", err
	}
	last := ""
	for _, h := range held {
		if !h.since.After(at) {
			last = h.digest
		}
	}
	if last == "" && len(held) > 0 {
		return "", fault.New(fault.NotFound, "nothing of the page is kept from then: its first capture is of %s",
			held[0].since.Format(time.RFC3339))
	}
	if last == "" {
		return "", fault.New(fault.NotFound, "nothing of the page is kept")
	}
	return last, nil
}

// held is a capture that an item had since a time.
type held struct {
	since  time.Time
	digest string
}

// heldOver are the captures that an item had, the first one first. One that it went back to, which is no new capture,
// is known by the change.
func heldOver(ctx context.Context, v *call, ids []source.ID) (all []held, err error) {
	for _, id := range ids {
		captures, err := v.Snapshots.List(ctx, id)
		if err != nil {
			return nil, err
		}
		kept := map[string]bool{}
		for _, c := range captures {
			kept[c.RawHash] = true
			all = append(all, held{c.CapturedAt, strings.TrimPrefix(c.RawHash, "sha256:")})
		}
		changes, err := v.Snapshots.Changes(ctx, id, api.MaxPast)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if raw := "sha256:" + strings.TrimPrefix(c.RawHash, "sha256:"); kept[raw] {
				all = append(all, held{c.At, strings.TrimPrefix(raw, "sha256:")})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b held) int { return cmp.Compare(a.since.UnixNano(), b.since.UnixNano()) })
	return all, nil
}
