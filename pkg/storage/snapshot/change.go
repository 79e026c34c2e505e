package snapshot

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Change describes how an item changed when it was found with a capture: the kind of the change, and how much of the
// text changed. A Change has its own row beside the edge, because an edge has only the fields of spec 000 §4.3. It is
// not part of the capture's row, because a page that returns to earlier content has the earlier capture again. Only an
// item's first content, which supersedes nothing, has its change in the capture's row ([FirstChange]).
type Change struct {
	Kind    change.Kind `col:"kind,always"`
	At      time.Time   `col:"at,always"`
	RawHash string      `col:"rawHash,always"` // raw hash of the capture
	Before  string      `col:"before,always"`  // raw hash of the item's previous capture; "" if there was none
	// Version is the version of the rules by which both bodies were read.
	Version string `col:"normalizationVersion,always"`
	// Measured reports whether the following fields are known: the shares of the text that are new and gone, and the
	// numbers of words that were added and removed.
	Measured bool    `col:"measured"`
	New      float64 `col:"newShare"`
	Gone     float64 `col:"goneShare"`
	Added    int     `col:"wordsAdded"`
	Removed  int     `col:"wordsRemoved"`
	// Fields says what has become of the page's fields of which readers are told, as in "price: 79 → 84 EUR".
	Fields string `col:"fields"`
}

// Extent returns how much of the text has changed.
func (c Change) Extent() change.Extent {
	return change.Extent{Measured: c.Measured, New: c.New, Gone: c.Gone, Added: c.Added, Removed: c.Removed}
}

// ChangeOf returns a change to be stored with the new capture.
func ChangeOf(kind change.Kind, e change.Extent) Change {
	return Change{Kind: kind, Measured: e.Measured, New: e.New, Gone: e.Gone, Added: e.Added, Removed: e.Removed}
}

// FirstChange is the part of an item's first change that is not in the other columns of its capture.
type FirstChange struct {
	Kind   change.Kind   `json:"kind"`
	Extent change.Extent `json:"extent"`
}

// first reports whether the recorded capture is the item's first content.
func (r *recording) first() bool {
	return r.given.Change.Kind == change.New && !r.captured && r.before.RawHash == ""
}

// firstChange returns the change that is stored in the capture's row; zero if the change has a row of its own.
func (r *recording) firstChange() FirstChange {
	if !r.first() {
		return FirstChange{}
	}
	return FirstChange{r.given.Change.Kind, r.given.Change.Extent()}
}

// firstChangeOf returns the change that a capture's row holds.
func firstChangeOf(c Capture) Change {
	out := ChangeOf(c.First.Kind, c.First.Extent)
	out.At, out.RawHash, out.Version = c.CapturedAt, c.RawHash, c.NormalizationVersion
	return out
}

// changeRows is the prefix of the rows of changes, and changesEnd is the bound after them. No capture has this
// prefix, because the rows of captures are hexadecimal.
const (
	changeRows = "kind|"
	changesEnd = "kind}"
)

// changeKey returns the key of a change. The keys sort the changes of an item newest first, like edges.
func changeKey(id source.ID, at time.Time, rawHash string) storage.Key {
	return storage.Key{Partition: string(id), Row: newestFirst(changeRows, at, strings.TrimPrefix(rawHash, "sha256:"))}
}

// newestFirst returns a row key that sorts later times before earlier ones.
func newestFirst(rows string, at time.Time, digest string) string {
	const end = 9_999_999_999_999 // a time in the year 2286, in milliseconds
	return fmt.Sprintf("%s%013d|%s", rows, end-at.UnixMilli(), digest)
}

var changeRow = row.Of[Change]()

func changeOf(e storage.Entity) Change {
	c, _ := changeRow.Decode(e.Props) // a damaged column becomes empty
	return c
}

// Changes returns an item's changes, newest first, up to the given number, which is from 1 to 1,000. It gets the item's
// captures as [Store.List] returns them. Without these, it leaves out the first content, which superseded nothing.
func (s *Store) Changes(ctx context.Context, id source.ID, captures []Capture, most int) (out []Change, err error) {
	q := storage.Query{Partition: string(id), RowFrom: changeRows, RowTo: changesEnd, PageSize: most}
	for e, err := range s.captures.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		if out = append(out, changeOf(e)); len(out) >= most {
			break
		}
	}
	for _, c := range captures {
		if c.First.Kind != change.None {
			out = append(out, firstChangeOf(c))
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return b.At.Compare(a.At) })
	return out[:min(len(out), most)], nil
}

// Last holds the rows that identify the capture with which an item was last found. Callers read Last before they
// compare new content with the last content, and pass Last to [Store.Save], which then need not read the same rows.
// The zero Last holds nothing.
type Last struct {
	rows    []storage.Entity
	read    bool
	version string // the version whose look-up row by URI was read
}

// Last reads the rows that identify the capture with which an item was last found. It also reads the look-up row by
// canonical URI for a version, if this row is in the item's partition.
func (s *Store) Last(ctx context.Context, id source.ID, version string) (Last, error) {
	return s.captures.last(ctx, id, version)
}

// last reads two rows by key. A single query for both would save a request, but Azurite would scan all rows for it.
func (t captures) last(ctx context.Context, id source.ID, version string) (Last, error) {
	l := Last{read: true, version: version}
	for _, row := range []string{tipRow, uriRows + version} {
		e, err := t.Get(ctx, storage.Key{Partition: string(id), Row: row})
		switch {
		case err == nil:
			l.rows = append(l.rows, e)
		case !fault.Is(err, fault.NotFound):
			return Last{}, err
		}
	}
	return l, nil
}

// Words returns the words that the rules of a version found in a body, if the item was last found with that body and
// version. The words of other bodies are not kept.
func (l Last) Words(rawHash, version string) change.Words {
	if t := l.tip(rawHash); t.Version == version {
		return change.ParseWords(t.Words)
	}
	return change.Words{}
}

// tip returns the tip, if the item was last found with a body; otherwise it returns zero.
func (l Last) tip(rawHash string) tip {
	for _, e := range l.rows {
		if e.Row == tipRow {
			if t, _ := tips.Decode(e.Props); "sha256:"+t.Capture == rawHash {
				return t
			}
		}
	}
	return tip{}
}

// ContentType returns the Content-Type of a body, if the item was last found with that body. It is empty if that is
// not so, or not known.
func (l Last) ContentType(rawHash string) string { return l.tip(rawHash).Type }

// Words returns the words that the rules of a version found in the body with which an item was last found; the zero
// Words if they are not kept. It reads one row.
func (s *Store) Words(ctx context.Context, id source.ID, rawHash, version string) (change.Words, error) {
	e, err := s.captures.Get(ctx, storage.Key{Partition: string(id), Row: tipRow})
	if fault.Is(err, fault.NotFound) {
		return change.Words{}, nil
	}
	return Last{rows: []storage.Entity{e}}.Words(rawHash, version), err
}

// recorded returns the change that an earlier try of the same save recorded, for the item's current capture.
func (r *recording) recorded(ctx context.Context) (Change, error) {
	switch r.given.Change.Kind {
	case change.None:
		return Change{}, nil
	case change.New: // nothing was there before, so this try measures the same
		return r.given.Change, nil
	}
	e, err := r.captures.Get(ctx, changeKey(r.c.ItemID, r.tip.At, r.c.RawHash))
	if fault.Is(err, fault.NotFound) {
		return r.given.Change, nil
	}
	return changeOf(e), err
}

// changeOps returns the operations that store how the item changed with the capture.
func (r *recording) changeOps() []storage.Op {
	c := r.given.Change
	if c.Kind == change.None || r.first() {
		return nil
	}
	c.At, c.RawHash, c.Before, c.Version = r.now, r.c.RawHash, r.before.RawHash, r.c.NormalizationVersion
	key := changeKey(r.c.ItemID, r.now, r.c.RawHash)
	return []storage.Op{{Kind: storage.Upsert, Entity: storage.Entity{Key: key, Props: changeRow.Encode(&c)}}}
}

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
