package store

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
	HintGrace = time.Minute
	// writeWindow is how long after its hint a transaction may still be sent. Together with the
	// 30 s after which a request is given up it stays within hintGrace.
	writeWindow = 25 * time.Second
)

// Hint makes sure that a sweep looks at a partition no later than a minute after at. It comes
// before the transaction whose due rows it announces: a crash between the two leaves a spare
// hint, never rows without one.
func (r *Store) Hint(ctx context.Context, partition string, at time.Time) error {
	key := HintKey(partition, at)
	now := r.Now()
	// A cached hint is trusted while its minute is far enough away that no sweep, whatever its
	// clock, has deleted it by the time our rows stand.
	if _, known := r.known.Get(key); known && bucket(at).Sub(now) > 2*HintGrace {
		return nil
	}
	_, err := r.Hints.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: key, Props: storage.Properties{"writtenAt": storage.FormatTime(now)},
	}})
	if err == nil {
		r.known.Put(key, struct{}{})
	}
	return err
}

// Hinted runs a transaction under a hint: it writes that and then, quickly enough for a sweep's
// grace, the operations. The hint is for the first of the rows that need attention; the sweep that follows it
// leaves one for the next. What needs attention later than before needs none: at is zero.
func (r *Store) Hinted(ctx context.Context, partition string, at time.Time,
	ops []storage.Op) ([]storage.ETag, error) {
	if at.IsZero() {
		return r.Items.Transact(ctx, ops...)
	}
	for {
		began := r.Now()
		if err := r.Hint(ctx, partition, at); err != nil {
			return nil, fmt.Errorf("hint: %w", err)
		}
		if r.Now().Sub(began) <= writeWindow {
			break
		}
	}
	ctx, cancel := context.WithTimeout(ctx, item.RequestTime)
	defer cancel()
	return r.Items.Transact(ctx, ops...)
}

// DueHint is a hint as a sweep reads it.
type DueHint struct {
	Partition string
	Minute    time.Time
	writtenAt time.Time
	entity    storage.Entity
}

// HintsUntil yields the hints whose minute has come, of all shards, oldest minute first: were one
// shard swept after the other, the last would starve when there is more to do than time. Of each
// shard one page is held. An error is of one shard, of which nothing follows.
func (r *Store) HintsUntil(ctx context.Context, until time.Time) iter.Seq2[DueHint, error] {
	return func(yield func(DueHint, error) bool) {
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
			first := slices.MinFunc(shards, func(a, b *hintShard) int { return a.head.Minute.Compare(b.head.Minute) })
			if !yield(first.head, first.err) {
				return
			}
			if !first.advance() {
				shards = slices.DeleteFunc(shards, func(s *hintShard) bool { return s == first })
			}
		}
	}
}

// hintShard is a shard's next hint, and how to come to the one after.
type hintShard struct {
	head DueHint
	err  error
	next func() (DueHint, error, bool)
}

func (s *hintShard) advance() (ok bool) {
	s.head, s.err, ok = s.next()
	return ok
}

// shardUntil yields the hints of one shard whose minute has come.
func (r *Store) shardUntil(ctx context.Context, shard int, until time.Time) iter.Seq2[DueHint, error] {
	prefix := fmt.Sprintf("%d|", shard)
	q := storage.Query{
		PartitionFrom: prefix,
		// The minute after the last one wanted, so that it is included.
		PartitionTo: prefix + until.UTC().Truncate(time.Minute).Add(time.Minute).Format(minuteLayout),
	}
	return func(yield func(DueHint, error) bool) {
		for e, err := range r.Hints.Query(ctx, q) {
			var h DueHint
			if err == nil {
				h = hintOf(e, prefix)
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

// AllHints yields every hint there is.
func (r *Store) AllHints(ctx context.Context) iter.Seq2[DueHint, error] {
	return func(yield func(DueHint, error) bool) {
		for e, err := range r.Hints.Query(ctx, storage.Query{}) {
			var h DueHint
			if err == nil {
				h = hintOf(e, fmt.Sprintf("%d|", shardOf(e.Row)))
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

func hintOf(e storage.Entity, prefix string) DueHint {
	at, err := time.Parse(minuteLayout, e.Partition[len(prefix):])
	if err != nil {
		at = time.Time{} // a foreign row: due at once, and deleted after a look
	}
	written, _ := e.Props["writtenAt"].(string)
	return DueHint{Partition: e.Row, Minute: at, writtenAt: storage.ParseTime(written), entity: e}
}

// DropHint deletes a hint for which somebody looked for due rows at a time, unless it was young then
// or was written again.
func (r *Store) DropHint(ctx context.Context, h DueHint, looked time.Time) error {
	if looked.Sub(h.writtenAt) < HintGrace {
		return nil
	}
	_, err := r.Hints.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{
		Key: h.entity.Key, ETag: h.entity.ETag,
	}})
	return IgnoreLost(err)
}
