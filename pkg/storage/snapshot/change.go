package snapshot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Change is what a capture meant to its item when the item was found to have it: a row beside the edge,
// whose fields are those of spec 000 §4.3 and no others. The capture's row cannot say it, because a page that goes
// back to what it was has the earlier capture again.
type Change struct {
	Kind    change.Kind `col:"kind,always"`
	At      time.Time   `col:"at,always"`
	RawHash string      `col:"rawHash,always"` // of the capture
	Before  string      `col:"before,always"`  // raw hash of the one that the item had before; "" if none
	// Version is that of the rules under which both were read.
	Version string `col:"normalizationVersion,always"`
	// Measured says whether what follows is known: how much of the text is new and gone, and how many words
	// were added and removed.
	Measured bool    `col:"measured"`
	New      float64 `col:"newShare"`
	Gone     float64 `col:"goneShare"`
	Added    int     `col:"wordsAdded"`
	Removed  int     `col:"wordsRemoved"`
}

// Extent is how much has changed.
func (c Change) Extent() change.Extent {
	return change.Extent{Measured: c.Measured, New: c.New, Gone: c.Gone, Added: c.Added, Removed: c.Removed}
}

// ChangeOf describes a change that is to be kept with the capture to which it led.
func ChangeOf(kind change.Kind, e change.Extent) Change {
	return Change{Kind: kind, Measured: e.Measured, New: e.New, Gone: e.Gone, Added: e.Added, Removed: e.Removed}
}

// changeRows begins the rows of changes, changesEnd ends them. No capture's row begins so, as that is in
// hexadecimal.
const (
	changeRows = "kind|"
	changesEnd = "kind}"
)

// changeKey orders the changes of an item newest first, as edges are.
func changeKey(id source.ID, at time.Time, rawHash string) storage.Key {
	return storage.Key{Partition: string(id), Row: newestFirst(changeRows, at, strings.TrimPrefix(rawHash, "sha256:"))}
}

// newestFirst is a row whose order is the reverse of that of its time.
func newestFirst(rows string, at time.Time, digest string) string {
	const end = 9_999_999_999_999 // milliseconds; in the year 2286
	return fmt.Sprintf("%s%013d|%s", rows, end-at.UnixMilli(), digest)
}

var changeRow = row.Of[Change]()

func changeOf(e storage.Entity) Change {
	c, _ := changeRow.Decode(e.Props) // what is damaged is empty
	return c
}

// Changes gives an item's changes, newest first, at most the given number from 1 to 1,000.
func (s *Store) Changes(ctx context.Context, id source.ID, most int) (out []Change, err error) {
	q := storage.Query{Partition: string(id), RowFrom: changeRows, RowTo: changesEnd, PageSize: most}
	for e, err := range s.captures.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		if out = append(out, changeOf(e)); len(out) >= most {
			break
		}
	}
	return out, nil
}

// Last is what an item was last found to have, as its rows tell. It is read before a reading is decided on,
// and given to [Store.Save], which then need not read the same rows. The zero Last knows nothing.
type Last struct {
	rows    []storage.Entity
	read    bool
	version string // of what is looked up by URI
}

// Last reads what an item was last found to have, and, for who reads it under a version, the capture by which its
// canonical URI is found there.
func (s *Store) Last(ctx context.Context, id source.ID, version string) (Last, error) {
	return s.captures.last(ctx, id, version)
}

// last reads two rows by themselves: a query for both would be one request less, but Azurite looks at all rows for it.
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

// Words are those of the text that the rules of a version read in a body, if that is what the item was last
// found to have; nothing is remembered of any other.
func (l Last) Words(rawHash, version string) change.Words {
	for _, e := range l.rows {
		if e.Row != tipRow {
			continue
		}
		t, _ := tips.Decode(e.Props)
		if "sha256:"+t.Capture == rawHash && t.Version == version {
			return change.ParseWords(t.Words)
		}
	}
	return change.Words{}
}

// recorded is the change by which the item came to have the capture that it has, written by an earlier try.
func (r *recording) recorded(ctx context.Context) (Change, error) {
	if r.given.Change.Kind == change.None {
		return Change{}, nil
	}
	e, err := r.captures.Get(ctx, changeKey(r.c.ItemID, r.tip.At, r.c.RawHash))
	if fault.Is(err, fault.NotFound) {
		return r.given.Change, nil
	}
	return changeOf(e), err
}

// changeOps keep what the capture means to its item.
func (r *recording) changeOps() []storage.Op {
	c := r.given.Change
	if c.Kind == change.None {
		return nil
	}
	c.At, c.RawHash, c.Before, c.Version = r.now, r.c.RawHash, r.before.RawHash, r.c.NormalizationVersion
	key := changeKey(r.c.ItemID, r.now, r.c.RawHash)
	return []storage.Op{{Kind: storage.Upsert, Entity: storage.Entity{Key: key, Props: changeRow.Encode(&c)}}}
}
