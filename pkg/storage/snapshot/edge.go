package snapshot

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// edgeRows is the prefix of the rows of edges, and edgesEnd is the bound after them.
const (
	edgeRows = "supersedes|"
	edgesEnd = "supersedes}"
)

// edgeKey returns the key of an edge. The keys sort the edges of an item newest first. The key contains the time, so
// a return to earlier content has an edge of its own.
func edgeKey(e lineage.Edge) storage.Key {
	item, digest := e.Newer.Split()
	return storage.Key{Partition: item, Row: newestFirst(edgeRows, e.At, digest)}
}

var edgeRow = row.Of[lineage.Edge]()

func edgeEntity(e lineage.Edge) storage.Entity {
	return storage.Entity{Key: edgeKey(e), Props: edgeRow.Encode(&e)}
}

func edgeOf(e storage.Entity) lineage.Edge {
	edge, _ := edgeRow.Decode(e.Props) // a damaged column becomes empty
	return edge
}

// Edges returns an item's edges, newest first, up to the given number, which is from 1 to 1,000.
func (s *Store) Edges(ctx context.Context, id source.ID, most int) ([]lineage.Edge, error) {
	out, _, err := s.EdgesAfter(ctx, id, "", most)
	return out, err
}

// cursor is the form of an edge's position in the list of an item's edges.
var cursor = regexp.MustCompile(`^[0-9]{13}-[0-9a-f]{64}$`)

// EdgesAfter returns edges as [Store.Edges] does. It starts after the position that an earlier call returned as next,
// or at the newest edge if the position is empty. After the last page, next is empty. Errors: Invalid for a malformed
// position.
func (s *Store) EdgesAfter(
	ctx context.Context, id source.ID, after string, most int,
) (out []lineage.Edge, next string, err error) {
	from := edgeRows
	if after != "" {
		if !cursor.MatchString(after) {
			return nil, "", fault.New(fault.Invalid, "it is no place in a listing of edges")
		}
		from = edgeRows + strings.Replace(after, "-", "|", 1) + "0"
	}
	q := storage.Query{Partition: string(id), RowFrom: from, RowTo: edgesEnd, PageSize: min(most+1, storage.MaxPage)}
	for e, err := range s.captures.Query(ctx, q) {
		if err != nil {
			return nil, "", err
		}
		if len(out) == most {
			_, row, _ := strings.Cut(edgeKey(out[most-1]).Row, "|")
			return out, strings.Replace(row, "|", "-", 1), nil
		}
		out = append(out, edgeOf(e))
	}
	return out, "", nil
}

// dropEdges removes the edges of an item that refer to captures no longer kept, or that are from before a time. It
// also removes the changes beside those edges.
func (s *Store) dropEdges(
	ctx context.Context, id source.ID, before time.Time, dropped func(lineage.CaptureID) bool,
) error {
	var ops []storage.Op
	q := storage.Query{Partition: string(id), RowFrom: changeRows, RowTo: edgesEnd}
	for e, err := range s.captures.Query(ctx, q) {
		if err != nil {
			return err
		}
		edge := edgeOf(e)
		if strings.HasPrefix(e.Row, changeRows) {
			c := changeOf(e)
			edge.Newer, edge.At = lineage.NewCaptureID(string(id), c.RawHash), c.At
		}
		if dropped(edge.Newer) || edge.At.Before(before) {
			ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
		}
	}
	return storage.TransactAll(ctx, s.captures, ops)
}
