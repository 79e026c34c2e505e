package registry

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// hintGrace protects a hint while the due rows for it are still being written: a sweep does not delete a hint
	// that was younger than this when the sweep scanned the due rows.
	hintGrace = time.Minute
	// writeWindow is how long after writing a hint a transaction may be sent. The window and the request timeout of
	// 30 s together are shorter than hintGrace.
	writeWindow = 25 * time.Second
)

// Hint ensures that a sweep scans a partition no later than a minute after the given time. Callers must write the
// hint before the transaction with the due rows. So a crash in between may leave a hint without rows, but never rows
// without a hint.
func (r *rowStore) Hint(ctx context.Context, partition string, at time.Time) error {
	key := hintKey(partition, at)
	now := r.Now()
	// A cached hint is relied on while its minute is far enough away. Then no sweep, whatever its clock, can delete
	// the hint before the rows are written.
	if _, known := r.known.Get(key); known && bucket(at).Sub(now) > 2*hintGrace {
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

// Hinted runs a transaction under a hint: it writes the hint and then sends the operations, before any sweep may
// delete the hint. The given time is when the first of the written rows needs attention. If the rows need attention
// later than before, no hint is needed, and the given time is zero. The sweep that follows the hint writes the next
// one.
func (r *rowStore) Hinted(ctx context.Context, partition string, at time.Time,
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
	ctx, cancel := context.WithTimeout(ctx, RequestTime)
	defer cancel()
	return r.Items.Transact(ctx, ops...)
}

// dueHint is a hint as a sweep reads it.
type dueHint struct {
	Partition string
	Minute    time.Time
	writtenAt time.Time
	entity    storage.Entity
}

// HintsUntil yields the due hints of all shards, oldest minute first. It does not yield one shard after the other,
// because then the last shard would starve when there is more work than time. It holds one page of each shard in
// memory. An error concerns one shard; no further hints of that shard follow.
func (r *rowStore) HintsUntil(ctx context.Context, until time.Time) iter.Seq2[dueHint, error] {
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

// hintShard is a shard's next hint, and the iterator for the following ones.
type hintShard struct {
	head dueHint
	err  error
	next func() (dueHint, error, bool)
}

func (s *hintShard) advance() (ok bool) {
	s.head, s.err, ok = s.next()
	return ok
}

// shardUntil yields the due hints of one shard.
func (r *rowStore) shardUntil(ctx context.Context, shard int, until time.Time) iter.Seq2[dueHint, error] {
	prefix := fmt.Sprintf("%d|", shard)
	q := storage.Query{
		PartitionFrom: prefix,
		// The range ends one minute after the last wanted minute, so that it includes that minute.
		PartitionTo: prefix + until.UTC().Truncate(time.Minute).Add(time.Minute).Format(minuteLayout),
	}
	return r.hintsOf(ctx, q)
}

// AllHints yields every hint.
func (r *rowStore) AllHints(ctx context.Context) iter.Seq2[dueHint, error] {
	return r.hintsOf(ctx, storage.Query{})
}

// hintsOf yields the hints of a query.
func (r *rowStore) hintsOf(ctx context.Context, q storage.Query) iter.Seq2[dueHint, error] {
	return func(yield func(dueHint, error) bool) {
		for e, err := range r.Hints.Query(ctx, q) {
			var h dueHint
			if err == nil {
				h = hintOf(e)
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

func hintOf(e storage.Entity) dueHint {
	_, minute, _ := strings.Cut(e.Partition, "|") // see [hintKey]
	at, err := time.Parse(minuteLayout, minute)
	if err != nil {
		at = time.Time{} // a foreign row: it counts as due at once, so that a sweep deletes it
	}
	written, _ := e.Props["writtenAt"].(string)
	return dueHint{Partition: e.Row, Minute: at, writtenAt: storage.ParseTime(written), entity: e}
}

// DropHint deletes a hint after a scan for due rows that began at the given time. DropHint keeps a hint that was
// young at that time, or that was written again.
func (r *rowStore) DropHint(ctx context.Context, h dueHint, looked time.Time) error {
	if looked.Sub(h.writtenAt) < hintGrace {
		return nil
	}
	_, err := r.Hints.Transact(ctx, storage.DeleteOp(h.entity.Key, h.entity.ETag))
	return ignoreLost(err)
}
