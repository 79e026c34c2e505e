package handlers

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// diff says what differs between two captures of an item.
func diff(ctx context.Context, v *call, q api.DiffQuery) (out api.Diff, err error) {
	it, ids, err := findPast(ctx, v, q.ID)
	if err != nil {
		return out, err
	}
	if q.From == api.SinceRead {
		if q, err = sinceRead(ctx, v, &it, ids, q); err != nil {
			return out, err
		}
	}
	if q.From == "" || q.To == "" {
		if q.From, q.To, err = lastTwo(ctx, v, ids, q); err != nil {
			return out, err
		}
	}
	if !slices.Contains([]string{"", "page", "watched"}, q.Part) {
		return out, fault.Field("part", "part must be page or watched, not %.40q", q.Part)
	}
	set, err := v.Registry.Tags.Effective(ctx, &it)
	if err != nil {
		return out, err
	}
	w, err := newWatcher(v, ids, set.Watch)
	if err != nil {
		return out, err
	}
	texts, parts := make([]string, 2), make([]*part.Part, 2)
	for i, side := range []struct {
		field, digest string
		capture       *api.Capture
	}{{"from", q.From, &out.From}, {"to", q.To, &out.To}} {
		if !isDigest(side.digest) {
			return out, fault.Field(side.field, "%s is not 64 hexadecimal digits", side.field)
		}
		c, text, p, err := w.read(ctx, side.digest)
		if err != nil {
			return out, err
		}
		if parts[i] = p; p != nil && q.Part == "watched" {
			text = strings.ToValidUTF8(p.Doc.Text, "�")
		}
		*side.capture, texts[i] = captureJSON(&it, c), words.Clip(text, textdiff.MaxText)
		out.Cut = out.Cut || len(text) > textdiff.MaxText
	}
	hunks, long := textdiff.Compare(texts[0], texts[1])
	out.Cut, out.Hunks = out.Cut || long, []api.DiffHunk{}
	for _, h := range hunks {
		out.Hunks = append(out.Hunks, hunkJSON(h, parts))
	}
	return out, nil
}

// lastTwo are the captures of the last change of the text, or those around the one that was asked for.
func lastTwo(ctx context.Context, v *call, ids []source.ID, q api.DiffQuery) (from, to string, err error) {
	for _, id := range ids {
		past, err := v.Snapshots.Changes(ctx, id, api.MaxPast)
		if err != nil {
			return "", "", err
		}
		for _, c := range past {
			before, now := feed.Digest(c.Before), feed.Digest(c.RawHash)
			if before != "" && (q.From == "" || q.From == before) && (q.To == "" || q.To == now) {
				return before, now, nil
			}
		}
	}
	return "", "", fault.New(fault.NotFound, "the item has not changed yet, so there are no two captures to compare")
}

// hunkJSON lists the lines of a hunk: those that went before those that came in their place.
// Lines that do not count have the rule that says so.
func hunkJSON(rows []textdiff.Row, parts []*part.Part) (h api.DiffHunk) {
	rule := func(side int, pieces []textdiff.Piece) string {
		line, differs := textdiff.Line(pieces)
		if parts[side] == nil || !differs {
			return ""
		}
		return parts[side].Rule(line)
	}
	var gone, come []api.DiffLine
	flush := func() {
		h.Lines = append(append(h.Lines, gone...), come...)
		gone, come = nil, nil
	}
	for _, r := range rows {
		if r.OldN > 0 && r.NewN > 0 && !differs(r) {
			flush()
			h.Lines = append(h.Lines, api.DiffLine{Op: "same", Old: r.OldN, New: r.NewN, Text: pieces(r.Old)})
			continue
		}
		if r.OldN > 0 {
			gone = append(gone, api.DiffLine{Op: "removed", Old: r.OldN, Text: pieces(r.Old), Ignored: rule(0, r.Old)})
		}
		if r.NewN > 0 {
			come = append(come, api.DiffLine{Op: "added", New: r.NewN, Text: pieces(r.New), Ignored: rule(1, r.New)})
		}
	}
	flush()
	return h
}

func differs(r textdiff.Row) bool {
	for _, p := range append(r.Old[:len(r.Old):len(r.Old)], r.New...) {
		if p.Hit && p.Text != "" {
			return true
		}
	}
	return false
}

func pieces(all []textdiff.Piece) []api.DiffPiece {
	out := []api.DiffPiece{}
	for _, p := range all {
		if p.Text != "" {
			out = append(out, api.DiffPiece{Text: p.Text, Changed: p.Hit})
		}
	}
	return out
}
