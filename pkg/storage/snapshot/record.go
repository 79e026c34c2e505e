package snapshot

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// tipRow is the row that identifies the capture with which an item was last found.
const tipRow = "tip"

// Saved is the result of [Store.Save].
type Saved struct {
	Added bool // the item had no capture of the body before this call
	// Since is the time when the capture was made. It is earlier than now if the item already had the capture.
	Since time.Time
	// Replaced is the time when the superseded capture was made. It is zero if no capture was superseded.
	Replaced time.Time
	// Change describes how the item changed with the capture, as it was first recorded.
	Change Change
}

// recording is the state of one call of Save or Reprocess.
type recording struct {
	captures captures
	given    Capture // the capture that the caller passed
	now      time.Time
	before   Had
	reread   bool    // the body was read from the store, without a request to the source
	c        Capture // the given capture, or the existing one, which never changes
	captured bool    // the item has a capture of the body, under any version
	same     bool    // that capture was one of a known text with other bytes
	exists   bool    // the item has this same capture

	tip        tip
	tipVersion string // version of the tip's capture; empty if the tip has another body

	row          lineage.Capture // the capture in the look-up row of the item's own URI; zero if there is no row
	uri          lineage.Capture // the newest capture of the item's own URI
	content, far lookup          // far is that for the look-up row by URI in another partition
}

// tip records the capture with which the item was last found. If its etag is empty, the row does not exist.
type tip struct {
	Capture    string    `col:"capture,always"` // the row of the body's first capture
	At         time.Time `col:"at,always"`
	CapturedAt time.Time `col:"capturedAt,always"`
	Version    string    `col:"normalizationVersion,always"`
	Words      []byte    `col:"words,parts"` // words of the text ([change.Words]), for the comparison with later texts
	// Type is the Content-Type of the body, so that the body can be read without its capture's row.
	Type string `col:"contentType"`
	// URI is the canonical URI of the capture, and Content its content hash, if the URI is the item's own. Then no
	// look-up row is needed to find the capture by its URI (see [tip.pointer]).
	URI     string `col:"canonicalUri"`
	Content string `col:"contentSha256"`

	etag storage.ETag
}

var tips = row.Of[tip]()

// pointer returns the capture that an item's tip makes known for the item's own URI, under a version. It returns zero
// if the tip has another version or another URI.
func (t tip) pointer(item, version string) lineage.Capture {
	if t.URI == "" || t.Version != version {
		return lineage.Capture{}
	}
	return lineage.Capture{ID: lineage.NewCaptureID(item, t.Capture), Version: lineage.Version(version),
		CanonicalURI: t.URI, ContentHash: t.Content, At: t.At}
}

// read reads the tip and the look-up row of the item's own URI.
func (r *recording) read(ctx context.Context) error {
	r.tip, r.row = tip{}, lineage.Capture{}
	last := r.before.Last
	r.before.Last = Last{} // after a lost race, the rows must be read again
	if version := r.c.NormalizationVersion; !last.read || last.version != version {
		var err error
		if last, err = r.captures.last(ctx, r.c.ItemID, version); err != nil {
			return err
		}
	}
	for _, e := range last.rows {
		switch {
		case e.Row == tipRow:
			r.tip, _ = tips.Decode(e.Props) // a damaged column becomes empty
			r.tip.etag = e.ETag
		case e.Row == r.ownURI().Row:
			r.row = pointed(e)
		}
	}
	r.uri = newerOf(r.row, r.tip.pointer(string(r.c.ItemID), r.c.NormalizationVersion))
	if r.tipVersion = ""; r.tip.Capture == captureKey(r.c.ItemID, r.c.RawHash).Row {
		r.tipVersion = r.tip.Version
	}
	return nil
}

// current reports whether the item was last found with this capture. If it was, there is nothing new to record.
func (r *recording) current() bool {
	return r.tipVersion != "" && r.tipVersion == r.given.NormalizationVersion
}

// ownURI returns the key of the look-up row of the item's own URI.
func (r *recording) ownURI() storage.Key {
	return storage.Key{Partition: string(r.c.ItemID), Row: uriRows + r.c.NormalizationVersion}
}

// isOwn reports whether the capture's canonical URI is the URI of its own item.
func (r *recording) isOwn() bool { return uriKey(r.c).Partition == string(r.c.ItemID) }

// me returns the capture for comparisons, with the time at which it supersedes another capture or was superseded.
func (r *recording) me() lineage.Capture {
	me := r.c.lineage()
	me.At = r.now
	if r.current() {
		me.At = r.tip.At
	}
	return me
}

// run records the capture, unless the item already has it.
func (r *recording) run(ctx context.Context) (Saved, error) {
	for range races {
		if err := r.findLookups(ctx); err != nil {
			return Saved{}, err
		}
		if r.current() {
			was, err := r.recorded(ctx)
			if err != nil {
				return Saved{}, err
			}
			return Saved{Since: r.tip.CapturedAt, Change: was}, r.updateLookups(ctx)
		}
		saved, err := r.write(ctx)
		if err == nil {
			return saved, r.updateLookups(ctx)
		}
		if !fault.Lost(err) {
			return Saved{}, err
		}
		if err := r.again(ctx); err != nil {
			return Saved{}, err
		}
	}
	return Saved{}, fault.New(fault.Unavailable, "too many capture it at once")
}

// again reads the existing rows again, after a lost race or after it turns out that the capture exists.
func (r *recording) again(ctx context.Context) error {
	first, c, err := r.captures.find(ctx, r.given.ItemID, r.given.RawHash, r.given.NormalizationVersion)
	if err != nil {
		return err
	}
	r.c, r.captured, r.exists = r.given, first.ItemID != "", c.ItemID != ""
	if r.exists {
		r.c = c
	}
	r.same, r.c.SameTextAs = first.SameTextAs != "", ""
	return r.read(ctx)
}

// updateLookups makes the look-up rows in other partitions refer to the capture. It must run last, because those rows
// are only hints.
func (r *recording) updateLookups(ctx context.Context) error {
	me := r.me()
	if err := r.captures.repoint(ctx, r.content, me); err != nil {
		return err
	}
	return r.captures.repoint(ctx, r.far, me)
}

// findLookups finds other captures with the same content or canonical URI.
func (r *recording) findLookups(ctx context.Context) (err error) {
	me := r.me()
	find := r.captures.insertLookup
	if r.current() { // the look-up row of the capture was written together with the tip
		find = r.captures.readLookup
	}
	if r.content, err = find(ctx, contentKey(r.c), me); err != nil || r.isOwn() {
		return err
	}
	r.far, err = r.captures.readLookup(ctx, uriKey(r.c), me)
	return err
}

// candidates returns the captures that the recorded capture may supersede.
func (r *recording) candidates(ctx context.Context, me lineage.Capture) ([]lineage.Capture, error) {
	byURI := r.far.capture
	if r.isOwn() && r.uri.ID != "" {
		byURI = r.uri
		if item, _ := byURI.ID.Split(); item != string(r.c.ItemID) { // the item's own capture is known to exist
			var err error
			if byURI, err = r.captures.named(ctx, byURI, me); err != nil {
				return nil, err
			}
		}
	}
	return []lineage.Capture{byURI, r.content.capture}, nil
}

// write records, in one transaction, the capture and the edge to the capture that it supersedes.
func (r *recording) write(ctx context.Context) (Saved, error) {
	me := r.me()
	candidates, err := r.candidates(ctx, me)
	if err != nil {
		return Saved{}, err
	}
	ops := append(r.captureOps(), r.tipOp())
	ops = append(ops, r.changeOps()...)
	ops = append(ops, r.ownURIOps(me)...)
	if edge, found := lineage.Supersede(me, candidates); found {
		ops = append(ops, storage.Op{Kind: storage.Insert, Entity: edgeEntity(edge)})
	}
	if r.outdates() {
		ops = append(ops, verified(captureKey(r.c.ItemID, r.before.RawHash), r.before.Verified))
	}
	_, err = r.captures.Transact(storage.Deferred(ctx), ops...)
	if r.outdates() && isOfOp(err, len(ops)-1) {
		r.before = Had{} // the earlier capture was purged or was never made
	}
	added := !r.captured || r.same
	return Saved{Added: added, Since: r.c.CapturedAt, Replaced: r.tip.CapturedAt, Change: r.given.Change}, err
}

// ownURIOps returns the operation on the look-up row of the item's own URI. If the row exists, it is made to refer to
// a capture that has this URI. If it does not exist, the tip replaces it, until the item is found with a capture that
// has another URI.
func (r *recording) ownURIOps(me lineage.Capture) []storage.Op {
	newest := me
	switch {
	case r.isOwn() && r.row.ID == "":
		return nil
	case !r.isOwn():
		if newest = r.uri; newest.ID == r.row.ID && newest.At.Equal(r.row.At) {
			return nil
		}
	}
	kind := storage.Upsert
	if r.row.ID == "" {
		kind = storage.Insert // meanwhile, another item may have written the row
	}
	return []storage.Op{{Kind: kind, Entity: pointer(r.ownURI(), newest)}}
}

// outdates reports whether another capture stops being current and the time of its last verification is known.
func (r *recording) outdates() bool {
	return r.before.RawHash != "" && r.before.RawHash != r.c.RawHash && !r.before.Verified.IsZero()
}

// verified returns the operation that records the time when a source last answered with a capture.
func verified(key storage.Key, at time.Time) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: storage.AnyETag, Props: storage.Properties{"lastVerifiedAt": storage.FormatTime(at)},
	}}
}

// captureOps returns the operations that add the capture if it is missing, and that record the source's answer in the
// row of the body's first capture.
func (r *recording) captureOps() (ops []storage.Op) {
	key := captureKey(r.c.ItemID, r.c.RawHash)
	if r.captured && !r.reread {
		seen := verified(key, r.now)
		if r.same {
			seen.Entity.Props["sameTextAs"] = ""
		}
		ops = append(ops, seen)
	}
	if r.captured {
		key = readingKey(r.c.ItemID, r.c.RawHash, r.c.NormalizationVersion)
	}
	if !r.exists {
		c := r.c
		c.LastVerifiedAt, c.First = c.CapturedAt, r.firstChange()
		ops = append(ops, captureRow.Put(key, "", &c))
	}
	return ops
}

func (r *recording) tipOp() storage.Op {
	key := captureKey(r.c.ItemID, r.c.RawHash)
	now := tip{Capture: key.Row, At: r.now, CapturedAt: r.c.CapturedAt, Version: r.c.NormalizationVersion,
		Words: r.given.Words, Type: r.c.ContentType()}
	if r.isOwn() {
		now.URI, now.Content = r.c.CanonicalURI, r.c.ContentHash
	}
	return tips.Put(storage.Key{Partition: key.Partition, Row: tipRow}, r.tip.etag, &now)
}
