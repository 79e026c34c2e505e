package history

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Captures lists captures of a past, up to the given number, beginning at a cursor. The first call passes "" as
// cursor, and each later call the cursor that the previous call returned. The captures of each id are in the order of
// their digests.
func (p Past) Captures(ctx context.Context, after string, top int) ([]snapshot.Capture, string, error) {
	return page(p.IDs, after, top, func(id source.ID, after string, top int) ([]snapshot.Capture, string, error) {
		return p.h.kept.Page(ctx, id, after, top)
	})
}

// Edges lists edges of a past, up to the given number, beginning at a cursor. The first call passes "" as cursor, and
// each later call the cursor that the previous call returned. The edges of each id are listed newest first.
func (p Past) Edges(ctx context.Context, after string, top int) ([]lineage.Edge, string, error) {
	return page(p.IDs, after, top, func(id source.ID, after string, top int) ([]lineage.Edge, string, error) {
		return p.h.kept.EdgesAfter(ctx, id, after, top)
	})
}

// page returns rows that are stored under some ids, one id after the other, up to the given number. A cursor for the
// rows of the first id is a cursor of the given function. For any other id, the cursor begins with that id and a dot.
func page[T any](ids []source.ID, after string, top int, list func(id source.ID, after string, top int) (page []T,
	next string, err error)) (out []T, next string, err error) {
	at := 0
	if id, rest, elsewhere := strings.Cut(after, "."); elsewhere {
		if at = slices.Index(ids, source.ID(id)); at < 0 {
			return nil, "", fault.Field("continuation", "continuation is none of this listing")
		}
		after = rest
	}
	for ; at < len(ids); at++ {
		if len(out) == top {
			return out, string(ids[at]) + ".", nil
		}
		some, next, err := list(ids[at], after, top-len(out))
		if out = append(out, some...); err != nil || next != "" {
			if next != "" && at > 0 {
				next = string(ids[at]) + "." + next
			}
			return out, next, err
		}
		after = ""
	}
	return out, "", nil
}

// Latest is the newest part of a past. Each list begins with the newest element.
type Latest struct {
	Captures []snapshot.Capture // of several captures of the same body, the one that was read last is first
	Edges    []lineage.Edge
	Changes  []snapshot.Change
}

// Latest reads the newest part of a past. The length of each list is limited to the given number.
func (p Past) Latest(ctx context.Context, most int) (l Latest, err error) {
	for _, id := range p.IDs {
		captures, err := p.h.kept.List(ctx, id)
		if err != nil {
			return l, err
		}
		edges, err := p.h.kept.Edges(ctx, id, most)
		if err != nil {
			return l, err
		}
		changes, err := p.h.kept.Changes(ctx, id, captures, most)
		if err != nil {
			return l, err
		}
		l.Captures, l.Edges, l.Changes = append(l.Captures, captures...), append(l.Edges, edges...),
			append(l.Changes, changes...)
	}
	slices.SortFunc(l.Captures, func(a, b snapshot.Capture) int {
		return cmp.Or(b.CapturedAt.Compare(a.CapturedAt), b.ReprocessedAt.Compare(a.ReprocessedAt))
	})
	slices.SortStableFunc(l.Edges, func(a, b lineage.Edge) int { return b.At.Compare(a.At) })
	slices.SortStableFunc(l.Changes, func(a, b snapshot.Change) int { return b.At.Compare(a.At) })
	l.Captures = l.Captures[:min(len(l.Captures), most)]
	l.Edges = l.Edges[:min(len(l.Edges), most)]
	l.Changes = l.Changes[:min(len(l.Changes), most)]
	return l, nil
}
