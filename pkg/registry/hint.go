package registry

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// hintGrace protects a hint whose due rows are still being written: a sweep deletes no hint that
	// was younger than this when it looked for due rows.
	hintGrace = time.Minute
	// writeWindow is how long after its hint a transaction may still be sent. Together with the
	// 30 s after which a request is given up it stays within hintGrace.
	writeWindow = 25 * time.Second
)

// hint makes sure that a sweep looks at a partition no later than a minute after at. It comes
// before the transaction whose due rows it announces: a crash between the two leaves a spare
// hint, never rows without one.
func (r *store) hint(ctx context.Context, partition string, at time.Time) error {
	key := hintKey(partition, at)
	now := r.now()
	// A cached hint is trusted while its minute is far enough away that no sweep, whatever its
	// clock, has deleted it by the time our rows stand.
	if _, known := r.known.Get(key); known && bucket(at).Sub(now) > 2*hintGrace {
		return nil
	}
	_, err := r.hints.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: key, Props: storage.Properties{"writtenAt": storage.FormatTime(now)},
	}})
	if err == nil {
		r.known.Put(key, struct{}{})
	}
	return err
}

// hinted runs a transaction under a hint: it writes that and then, quickly enough for a sweep's
// grace, the operations. The hint is for the first of the rows that need attention; the sweep that follows it
// leaves one for the next. What needs attention later than before needs none: at is zero.
func (r *store) hinted(ctx context.Context, partition string, at time.Time,
	ops []storage.Op) ([]storage.ETag, error) {
	if at.IsZero() {
		return r.items.Transact(ctx, ops...)
	}
	for {
		began := r.now()
		if err := r.hint(ctx, partition, at); err != nil {
			return nil, fmt.Errorf("hint: %w", err)
		}
		if r.now().Sub(began) <= writeWindow {
			break
		}
	}
	ctx, cancel := context.WithTimeout(ctx, item.RequestTime)
	defer cancel()
	return r.items.Transact(ctx, ops...)
}

// dueHint is a hint as a sweep reads it.
type dueHint struct {
	partition string
	bucket    time.Time
	writtenAt time.Time
	entity    storage.Entity
}

// hintsUntil yields the hints whose minute has come, of all shards, oldest minute first: were one
// shard swept after the other, the last would starve when there is more to do than time. Of each
// shard one page is held. An error is of one shard, of which nothing follows.
func (r *Jobs) hintsUntil(ctx context.Context, until time.Time) iter.Seq2[dueHint, error] {
	return func(yield func(dueHint, error) bool) {
		var shards []*hintShard
		for i := range hintShards {
			s := &hintShard{}
			var stop func()
			s.next, stop = iter.Pull2(r.shardUntil(ctx, i, until))
			defer stop()
			if s.advance() {
				shards = append(shards, s)
			}
		}
		for len(shards) > 0 {
			first := slices.MinFunc(shards, func(a, b *hintShard) int { return a.head.bucket.Compare(b.head.bucket) })
			if !yield(first.head, first.err) {
				return
			}
			if !first.advance() {
				shards = without(shards, first)
			}
		}
	}
}

// hintShard is a shard's next hint, and how to come to the one after.
type hintShard struct {
	head dueHint
	err  error
	next func() (dueHint, error, bool)
}

func (s *hintShard) advance() (ok bool) {
	s.head, s.err, ok = s.next()
	return ok
}

// shardUntil yields the hints of one shard whose minute has come.
func (r *Jobs) shardUntil(ctx context.Context, shard int, until time.Time) iter.Seq2[dueHint, error] {
	prefix := fmt.Sprintf("%d|", shard)
	q := storage.Query{
		PartitionFrom: prefix,
		// The minute after the last one wanted, so that it is included.
		PartitionTo: prefix + until.UTC().Truncate(time.Minute).Add(time.Minute).Format(minuteLayout),
	}
	return func(yield func(dueHint, error) bool) {
		for e, err := range r.s.hints.Query(ctx, q) {
			var h dueHint
			if err == nil {
				h = hintOf(e, prefix)
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

func hintOf(e storage.Entity, prefix string) dueHint {
	at, err := time.Parse(minuteLayout, e.Partition[len(prefix):])
	if err != nil {
		at = time.Time{} // a foreign row: due at once, and deleted after a look
	}
	written, _ := e.Props["writtenAt"].(string)
	return dueHint{partition: e.Row, bucket: at, writtenAt: storage.ParseTime(written), entity: e}
}

// dropHint deletes a hint for which somebody looked for due rows at a time, unless it was young then
// or was written again.
func (r *Jobs) dropHint(ctx context.Context, h dueHint, looked time.Time) error {
	if looked.Sub(h.writtenAt) < hintGrace {
		return nil
	}
	_, err := r.s.hints.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{
		Key: h.entity.Key, ETag: h.entity.ETag,
	}})
	return ignoreLost(err)
}
