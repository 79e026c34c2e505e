package snapshot

import (
	"context"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// uriRows is the prefix of the rows that find a capture by its canonical URI. The version comes after the prefix.
const uriRows = "uri|"

// contentKey returns the key of the look-up row by content. For a capture without a content hash, the key is zero.
func contentKey(c Capture) storage.Key {
	if c.ContentHash == "" || c.NormalizationVersion == "" {
		return storage.Key{}
	}
	return storage.Key{Partition: c.ContentHash, Row: c.NormalizationVersion}
}

// uriKey returns the key of the look-up row by canonical URI. The row is in the partition of the item with that URI,
// whether or not the item exists. If the canonical URI is the page's own address, the capture is in the same
// partition.
func uriKey(c Capture) storage.Key {
	if c.CanonicalURI == "" || c.NormalizationVersion == "" {
		return storage.Key{}
	}
	of := source.Source{Type: source.URL, Normalized: c.CanonicalURI}
	if t, _, err := source.ParseID(string(c.ItemID)); err == nil && t == source.File {
		if file := (source.Source{Type: t, Normalized: c.CanonicalURI}); file.ID() == c.ItemID {
			of = file
		}
	}
	return storage.Key{Partition: string(of.ID()), Row: uriRows + c.NormalizationVersion}
}

// lineage returns the values of a capture that are compared, for an item that was found with the capture at
// CapturedAt.
func (c Capture) lineage() lineage.Capture {
	return lineage.Capture{
		ID: lineage.NewCaptureID(string(c.ItemID), c.RawHash), Version: lineage.Version(c.NormalizationVersion),
		CanonicalURI: c.CanonicalURI, ContentHash: c.ContentHash, At: c.CapturedAt,
	}
}

var pointerRow = row.Of[lineage.Capture]()

// pointer returns a look-up row that refers to a capture.
func pointer(key storage.Key, c lineage.Capture) storage.Entity {
	return storage.Entity{Key: key, Props: pointerRow.Encode(&c)}
}

func pointed(e storage.Entity) lineage.Capture {
	c, _ := pointerRow.Decode(e.Props) // a damaged column becomes empty
	return c
}

// lookup holds the result of reading a look-up row.
type lookup struct {
	key     storage.Key
	own     bool            // the row refers to the capture for which it is read
	row     lineage.Capture // the capture according to the look-up row; zero if there is no such row
	capture lineage.Capture // the capture according to its own row; zero if the capture is no longer kept
}

// insertLookup writes a look-up row without reading it first, because most contents are seen only once. If the row
// exists, insertLookup reads the row and leaves it unchanged.
func (t captures) insertLookup(ctx context.Context, key storage.Key, me lineage.Capture) (lookup, error) {
	if key == (storage.Key{}) {
		return lookup{}, nil
	}
	_, err := t.Transact(storage.Deferred(ctx), storage.Op{Kind: storage.Insert, Entity: pointer(key, me)})
	if fault.Is(err, fault.Conflict) {
		return t.readLookup(ctx, key, me)
	}
	return lookup{key: key, own: true}, err
}

// newest returns the newest capture of a content or a canonical URI that is known; zero if there is none.
func (t captures) newest(ctx context.Context, key storage.Key) (lineage.Capture, error) {
	row, _, err := pointerRow.Load(ctx, t, key)
	if err != nil || !strings.HasPrefix(key.Row, uriRows) {
		return row, err
	}
	return t.newestByURI(ctx, key, row)
}

// newestByURI adds to the result of reading the look-up row of a URI what the tip of the URI's own item says. Only
// that item writes a row that refers to its own capture, and it writes the row with the tip.
func (t captures) newestByURI(ctx context.Context, key storage.Key, row lineage.Capture) (lineage.Capture, error) {
	if item, _ := row.ID.Split(); item == key.Partition {
		return row, nil
	}
	now, _, err := tips.Load(ctx, t, storage.Key{Partition: key.Partition, Row: tipRow})
	return newerOf(row, now.pointer(key.Partition, strings.TrimPrefix(key.Row, uriRows))), err
}

// newerOf returns the newer of two captures, either of which may be zero.
func newerOf(a, b lineage.Capture) lineage.Capture {
	if a.ID == "" || b.ID != "" && lineage.Newer(b, a) {
		return b
	}
	return a
}

// readLookup reads a look-up row and the capture to which the row refers. The row alone proves nothing: its capture
// may have been removed, or was never kept. Without a row, the tip of the item with the URI may refer to a capture.
func (t captures) readLookup(ctx context.Context, key storage.Key, me lineage.Capture) (l lookup, err error) {
	if l.key = key; key == (storage.Key{}) {
		return l, nil
	}
	if l.row, err = t.newest(ctx, key); err != nil || l.row.ID == "" {
		return l, err
	}
	l.own = l.row.ID == me.ID
	l.capture, err = t.named(ctx, l.row, me)
	return l, err
}

// named returns the capture to which a look-up row refers. It returns zero if the capture is no longer kept, or if it
// is the capture that the caller compares with others.
func (t captures) named(ctx context.Context, row, me lineage.Capture) (lineage.Capture, error) {
	if row.ID == "" || row.ID == me.ID {
		return lineage.Capture{}, nil
	}
	item, digest := row.ID.Split()
	_, c, err := t.find(ctx, source.ID(item), digest, row.Version.String())
	if err != nil || c.ItemID == "" {
		return lineage.Capture{}, err
	}
	found := c.lineage()
	found.At = row.At
	return found, nil
}

// repoint makes a look-up row refer to the newest capture. It does not check the revision of the row. Of two captures
// with nearly the same age, either may win, because readers check what a look-up row says.
func (t captures) repoint(ctx context.Context, l lookup, me lineage.Capture) error {
	if l.key == (storage.Key{}) || l.own || l.row.ID != "" && !lineage.Newer(me, l.row) {
		return nil
	}
	_, err := t.Transact(storage.Deferred(ctx), storage.Op{Kind: storage.Upsert, Entity: pointer(l.key, me)})
	return err
}

// unpoint removes a look-up row if it refers to the given capture.
func (t captures) unpoint(ctx context.Context, key storage.Key, id lineage.CaptureID) error {
	if key == (storage.Key{}) {
		return nil
	}
	e, err := t.Get(ctx, key)
	if err == nil && pointed(e).ID == id {
		_, err = t.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: key, ETag: e.ETag}})
	}
	return fault.Except(err, fault.Conflict, fault.NotFound) // it is gone, or of another capture
}
