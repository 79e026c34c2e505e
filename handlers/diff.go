package handlers

import (
	"cmp"
	"context"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/compare"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// diff returns the differences between two captures of an item.
func (h *captureHandlers) diff(ctx context.Context, q api.DiffQuery) (out api.Diff, err error) {
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return out, err
	}
	if q.From == api.SinceRead {
		if q, err = h.sinceRead(ctx, past, q); err != nil {
			return out, err
		}
	}
	d, err := h.Compare.Diff(ctx, past, compare.Query{From: q.From, To: q.To, Part: q.Part})
	if err != nil {
		return out, err
	}
	out = api.Diff{From: captureJSON(&past.Item, d.From), To: captureJSON(&past.Item, d.To), Cut: d.Cut,
		Hunks: make([]api.DiffHunk, len(d.Hunks))}
	for i, hunk := range d.Hunks {
		out.Hunks[i].Table = tableJSON(hunk.Table)
		for _, l := range hunk.Lines {
			out.Hunks[i].Lines = append(out.Hunks[i].Lines, lineJSON(l))
		}
	}
	return out, nil
}

func lineJSON(l compare.Line) api.DiffLine {
	op := "same"
	switch {
	case l.New == 0:
		op = "removed"
	case l.Old == 0:
		op = "added"
	}
	return api.DiffLine{Op: op, Old: l.Old, New: l.New, Text: piecesJSON(l.Pieces), Ignored: l.Ignored,
		PartlyIgnored: l.Partly}
}

func piecesJSON(all []textdiff.Piece) []api.DiffPiece {
	out := []api.DiffPiece{}
	for _, p := range all {
		if p.Text != "" {
			out = append(out, api.DiffPiece{Text: p.Text, Changed: p.Hit, Ignored: p.Ignored})
		}
	}
	return out
}

func tableJSON(t *compare.Table) *api.DiffTable {
	if t == nil {
		return nil
	}
	out := &api.DiffTable{Columns: []api.DiffCell{}, Rows: []api.DiffRow{}, Same: t.Same, Moved: t.Moved,
		MoreRows: t.MoreRows, MoreColumns: t.MoreColumns}
	for _, c := range t.Columns {
		was, is := c.Words()
		out.Columns = append(out.Columns, api.CellOf(piecesJSON(was), piecesJSON(is)))
	}
	for _, r := range t.Rows {
		row := api.DiffRow{Op: r.Op, Cells: make([]api.DiffCell, len(r.Cells)), Ignored: r.Ignored,
			PartlyIgnored: r.Partly}
		for i, c := range r.Cells {
			switch r.Op {
			case "changed":
				row.Cells[i] = api.CellOf(piecesJSON(c.Old), piecesJSON(c.New))
			case "removed":
				row.Cells[i].Text = piecesJSON(c.Old)
			case "moved":
				text, _ := textdiff.Line(c.New)
				row.Cells[i].Text = piecesJSON([]textdiff.Piece{{Text: text}})
			default:
				row.Cells[i].Text = piecesJSON(c.New)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// maxScanned limits the number of changes that are read to find the version of an item that the caller read last.
const maxScanned = 5000

// sinceRead completes a query so that it compares from the version of the item that the caller read last.
func (h *captureHandlers) sinceRead(ctx context.Context, past history.Past, q api.DiffQuery) (api.DiffQuery, error) {
	r, err := feed.ReadersOf(h.Feed).Load(ctx, wire.CallerOf(ctx).Reader())
	if err != nil {
		return q, err
	}
	names := wire.Each(past.IDs, func(id source.ID) string { return string(id) })
	last, err := feed.ReadersOf(h.Feed).LastRead(ctx, r, names, past.Item.RawHash, maxScanned)
	if fault.Is(err, fault.TooLarge) {
		return q, fault.Field("from", "from: %w", err)
	}
	if q.From = feed.Digest(last); err == nil && q.From == "" {
		err = fault.New(fault.NotFound, "no version of the item was read yet: leave from out for its last change")
	}
	q.To = cmp.Or(q.To, feed.Digest(past.Item.RawHash))
	return q, err
}

// captureJSON returns a capture of an item as a type of the API. A check that finds the content
// unchanged records its time only in the item's row. For the present capture, it therefore uses the
// later of the two recorded times.
func captureJSON(it *registry.Item, c snapshot.Capture) api.Capture {
	if c.RawHash == it.Validators.Served(it.RawHash) {
		c.LastVerifiedAt = policy.Later(c.LastVerifiedAt, it.LastVerified)
	}
	return api.Capture{
		SHA256: history.Digest(c.RawHash), ContentHash: c.ContentHash, CanonicalURI: c.CanonicalURI,
		FetchURL: c.FetchURL, Header: c.Header,
		CapturedAt: c.CapturedAt, LastVerifiedAt: c.LastVerifiedAt, ReprocessedAt: c.ReprocessedAt, Bytes: c.Bytes,
		MimeType: c.MimeType, SameTextAs: history.Digest(c.SameTextAs), PlainSHA256: history.Digest(c.PlainHash),
		StatusCode: c.StatusCode, RunID: c.RunID, NormalizationVersion: c.NormalizationVersion,
		PublishedAt: c.PublishedAt, ModifiedAt: c.ModifiedAt, Author: c.Author, SiteName: c.SiteName,
	}
}

// checkedAt returns when the source last showed the text of a capture. The source may have shown it with other bytes.
func checkedAt(it *registry.Item, c snapshot.Capture) time.Time {
	at := captureJSON(it, c).LastVerifiedAt
	if c.RawHash == it.RawHash {
		return policy.Later(at, it.LastVerified)
	}
	return at
}

// edgeJSON converts an edge to a type of the API: which capture replaced which other capture, and why.
func edgeJSON(e lineage.Edge) api.Edge {
	return api.Edge{Newer: string(e.Newer), Older: string(e.Older), At: e.At, Meta: api.EdgeMetadata{
		Reason: e.Reason, ConflictResolved: e.ConflictResolved, Selected: e.Selected,
		CanonicalURIMatch: orNull(e.CanonicalURIMatch), ContentSHA256Match: orNull(e.ContentSHA256Match),
	}}
}

func orNull(id lineage.CaptureID) *string {
	if id == "" {
		return nil
	}
	text := string(id)
	return &text
}
