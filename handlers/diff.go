package handlers

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/registry/compare"
)

// diff says what differs between two captures of an item.
func diff(ctx context.Context, v *call, q api.DiffQuery) (out api.Diff, err error) {
	past, err := findPast(ctx, v, q.ID)
	if err != nil {
		return out, err
	}
	if q.From == api.SinceRead {
		if q, err = sinceRead(ctx, v, past, q); err != nil {
			return out, err
		}
	}
	d, err := v.compare().Diff(ctx, past, compare.Query{From: q.From, To: q.To, Part: q.Part})
	if err != nil {
		return out, err
	}
	out = api.Diff{From: captureJSON(&past.Item, d.From), To: captureJSON(&past.Item, d.To), Cut: d.Cut,
		Hunks: make([]api.DiffHunk, len(d.Hunks))}
	for i, h := range d.Hunks {
		for _, l := range h {
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
	return api.DiffLine{Op: op, Old: l.Old, New: l.New, Text: piecesJSON(l.Pieces), Ignored: l.Ignored}
}

func piecesJSON(all []textdiff.Piece) []api.DiffPiece {
	out := []api.DiffPiece{}
	for _, p := range all {
		if p.Text != "" {
			out = append(out, api.DiffPiece{Text: p.Text, Changed: p.Hit})
		}
	}
	return out
}
