package snapshot

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/storage"
)

// tipRow names the capture that an item was last found to have.
const tipRow = "tip"

// Saved tells what [Store.Save] did.
type Saved struct {
	Added bool // there is one capture more
	// Since is when the capture was made: earlier than now if the item had it before.
	Since time.Time
	// Replaced is when the capture was made from which this one takes over; zero if from none.
	Replaced time.Time
}

// recording is one call of Save.
type recording struct {
	*Store
	given        Capture // by the caller; its CapturedAt is now
	c            Capture // given, or the one that stands: it never changes
	stands       bool
	tip          storage.Entity // no revision: none
	uri          storage.Entity // the look-up row by URI, where it shares the partition; likewise
	content, far lookup         // far is the look-up row by URI that does not
}

// read learns what the item's partition says beside its captures.
func (r *recording) read(ctx context.Context) error {
	r.tip, r.uri = storage.Entity{}, storage.Entity{}
	uri := uriKey(r.c)
	q := storage.Query{Partition: string(r.c.ItemID), RowFrom: tipRow, RowTo: "uri}", PageSize: 10}
	for e, err := range r.captures.Query(ctx, q) {
		if err != nil {
			return err
		}
		switch {
		case e.Row == tipRow:
			r.tip = e
		case e.Key == uri:
			r.uri = e
		}
	}
	return nil
}

// current reports whether the item was last found to have this capture: nothing is to be recorded
// then but that it still does.
func (r *recording) current() bool {
	return r.tip.ETag != "" && text(r.tip, "capture") == captureKey(r.c.ItemID, r.c.RawHash).Row
}

// isOwn reports whether the capture's canonical URI is its item's own.
func (r *recording) isOwn() bool { return uriKey(r.c).Partition == string(r.c.ItemID) }

// me is the capture as it takes over now, or did.
func (r *recording) me() lineage.Capture {
	me := r.c.lineage()
	me.At = r.given.CapturedAt
	if r.current() {
		me.At = moment(r.tip, "at")
	}
	return me
}

// run records the capture, or that it is still the one that the item has.
func (r *recording) run(ctx context.Context) (Saved, error) {
	for range races {
		if err := r.lookUp(ctx); err != nil {
			return Saved{}, err
		}
		if r.current() {
			return Saved{Since: moment(r.tip, "capturedAt")}, errors.Join(r.settle(ctx), r.Verify(ctx, r.c.ItemID, r.c.RawHash, r.given.CapturedAt))
		}
		saved, err := r.write(ctx)
		if err == nil {
			return saved, r.settle(ctx)
		}
		if !lost(err) {
			return Saved{}, err
		}
		if err := r.again(ctx); err != nil {
			return Saved{}, err
		}
	}
	return Saved{}, fault.New(fault.Unavailable, "too many capture it at once")
}

// again learns what stands after a race was lost, or the capture turned out to exist.
func (r *recording) again(ctx context.Context) error {
	e, err := r.captures.Get(ctx, captureKey(r.given.ItemID, r.given.RawHash))
	r.c, r.stands = r.given, err == nil
	if r.stands {
		r.c = captureOf(e)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return r.read(ctx)
}

// settle has the look-up rows elsewhere follow. It comes last: what it writes is no truth.
func (r *recording) settle(ctx context.Context) error {
	me := r.me()
	if err := r.repoint(ctx, r.content, me); err != nil {
		return err
	}
	return r.repoint(ctx, r.far, me)
}

// lookUp finds what else has the content and the canonical URI.
func (r *recording) lookUp(ctx context.Context) (err error) {
	me := r.me()
	find := r.claim
	if r.current() { // its row was written with it
		find = r.look
	}
	if r.content, err = find(ctx, contentKey(r.c), me); err != nil || r.isOwn() {
		return err
	}
	r.far, err = r.look(ctx, uriKey(r.c), me)
	return err
}

// candidates are the captures that this one may take over from.
func (r *recording) candidates(ctx context.Context, me lineage.Capture) ([]lineage.Capture, error) {
	byURI := r.far.capture
	if r.isOwn() && r.uri.ETag != "" {
		byURI = pointed(r.uri)
		if item, _ := byURI.ID.Split(); item != string(r.c.ItemID) { // our own we know to be there
			var err error
			if byURI, err = r.named(ctx, byURI, me); err != nil {
				return nil, err
			}
		}
	}
	return []lineage.Capture{byURI, r.content.capture}, nil
}

// write records, in one transaction, the capture and that it took over.
func (r *recording) write(ctx context.Context) (Saved, error) {
	me := r.me()
	candidates, err := r.candidates(ctx, me)
	if err != nil {
		return Saved{}, err
	}
	ops := []storage.Op{r.captureOp(), r.tipOp()}
	if r.isOwn() {
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: pointer(uriKey(r.c), me)})
	}
	if edge, found := lineage.Supersede(me, candidates); found {
		ops = append(ops, storage.Op{Kind: storage.Insert, Entity: edgeEntity(edge)})
	}
	_, err = r.captures.Transact(ctx, ops...)
	return Saved{Added: !r.stands, Since: r.c.CapturedAt, Replaced: moment(r.tip, "capturedAt")}, err
}

func (r *recording) captureOp() storage.Op {
	key := captureKey(r.c.ItemID, r.c.RawHash)
	if r.stands {
		return storage.Op{Kind: storage.Merge, Entity: storage.Entity{
			Key: key, ETag: storage.AnyETag, Props: storage.Properties{"lastVerifiedAt": storage.FormatTime(r.given.CapturedAt)},
		}}
	}
	return storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: key, Props: properties(r.c)}}
}

func (r *recording) tipOp() storage.Op {
	key := captureKey(r.c.ItemID, r.c.RawHash)
	op := storage.Op{Kind: storage.Replace, Entity: storage.Entity{
		Key: storage.Key{Partition: key.Partition, Row: tipRow}, ETag: r.tip.ETag,
		Props: storage.Properties{
			"capture": key.Row, "at": storage.FormatTime(r.given.CapturedAt), "capturedAt": storage.FormatTime(r.c.CapturedAt),
		},
	}}
	if r.tip.ETag == "" {
		op.Kind = storage.Insert
	}
	return op
}
