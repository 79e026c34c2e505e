package snapshot

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// uriRows begins the rows that find a capture by its canonical URI; the version follows.
const uriRows = "uri|"

// contentKey is where the newest capture of a content is found; zero for a capture without one.
func contentKey(c Capture) storage.Key {
	if c.ContentHash == "" || c.NormalizationVersion == "" {
		return storage.Key{}
	}
	return storage.Key{Partition: c.ContentHash, Row: c.NormalizationVersion}
}

// uriKey is where the newest capture of a canonical URI is found: in the partition of the item that
// the URI is, or would be. For a page that is its own canonical that is the capture's own partition.
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

// lineage is what comparing c takes, when its item is found to have it at its CapturedAt.
func (c Capture) lineage() lineage.Capture {
	return lineage.Capture{
		ID: lineage.NewCaptureID(string(c.ItemID), c.RawHash), Version: lineage.Version(c.NormalizationVersion),
		CanonicalURI: c.CanonicalURI, ContentHash: c.ContentHash, At: c.CapturedAt,
	}
}

var pointerRow = row.Of[lineage.Capture]()

// pointer is a look-up row that names a capture.
func pointer(key storage.Key, c lineage.Capture) storage.Entity {
	return storage.Entity{Key: key, Props: pointerRow.Encode(&c)}
}

func pointed(e storage.Entity) lineage.Capture {
	c, _ := pointerRow.Decode(e.Props) // what is damaged is empty
	return c
}

// lookup is what a look-up row says.
type lookup struct {
	key     storage.Key
	own     bool            // it names the capture that is looked up for
	row     lineage.Capture // as the row has it; zero when there is none
	capture lineage.Capture // as its capture has it; zero when that is not kept any more
}

// insertLookup writes a look-up row, and reads it instead if it exists. Most contents are seen once, so most rows do
// not.
func (t captures) insertLookup(ctx context.Context, key storage.Key, me lineage.Capture) (lookup, error) {
	if key == (storage.Key{}) {
		return lookup{}, nil
	}
	_, err := t.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: pointer(key, me)})
	if fault.Is(err, fault.Conflict) {
		return t.readLookup(ctx, key, me)
	}
	return lookup{key: key, own: true}, err
}

// readLookup reads a look-up row and the capture that it names. The row alone proves nothing: its capture
// may be gone, or never have been kept.
func (t captures) readLookup(ctx context.Context, key storage.Key, me lineage.Capture) (l lookup, err error) {
	if l.key = key; key == (storage.Key{}) {
		return l, nil
	}
	e, err := t.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	l.row = pointed(e)
	l.own = l.row.ID == me.ID
	l.capture, err = t.named(ctx, l.row, me)
	return l, err
}

// named is a capture that a look-up row names, if it is still kept and is not the one that it is
// looked up for.
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

// repoint has a look-up row name the newest capture. It is written blindly: of two that are as good
// as equally new either may stand, and what a look-up row says is checked by who reads it.
func (t captures) repoint(ctx context.Context, l lookup, me lineage.Capture) error {
	if l.key == (storage.Key{}) || l.own || l.row.ID != "" && !lineage.Newer(me, l.row) {
		return nil
	}
	_, err := t.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: pointer(l.key, me)})
	return err
}

// unpoint removes a look-up row that names a capture.
func (t captures) unpoint(ctx context.Context, key storage.Key, id lineage.CaptureID) error {
	if key == (storage.Key{}) {
		return nil
	}
	e, err := t.Get(ctx, key)
	if err == nil && pointed(e).ID == id {
		_, err = t.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: key, ETag: e.ETag}})
	}
	if fault.Lost(err) {
		return nil // nobody, or somebody else by now
	}
	return err
}
