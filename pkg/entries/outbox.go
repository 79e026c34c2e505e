package entries

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// outboxPrefix is the prefix of the row keys of outbox entries.
	outboxPrefix = "x|"
	// outboxEnd comes after the row keys of all outbox entries.
	outboxEnd = "x}"
	// claimTime is how long a claim of an outbox entry lasts. It is longer than a function may run.
	claimTime = 6 * time.Minute
	// claimMargin is how long a claim must still last when the index is called, because the call must end before the
	// claim does.
	claimMargin = time.Minute
	// flushBatch is the number of entries that are put into the index in one call. It is also the number of
	// operations in a transaction.
	flushBatch = 100
)

// outboxEntry is a row which records that the index may lack the current state of an entry. Until the claim on it
// expires, only the process with the claim may write the entry to the index, so that no older text arrives there
// after a newer one. When others change the entry, they touch the row. The process with the claim notices this when
// it removes the row. The zero value is an outbox entry that the caller has not claimed.
type outboxEntry struct {
	key   storage.Key
	etag  storage.ETag
	until time.Time // when the claim expires
}

// outboxKey returns the key of the outbox row of an entry.
func outboxKey(entry storage.Key) storage.Key {
	return storage.Key{Partition: entry.Partition, Row: outboxPrefix + strings.TrimPrefix(entry.Row, rowText)}
}

// entry returns the key of the row of the entry itself.
func (e outboxEntry) entry() storage.Key {
	return storage.Key{Partition: e.key.Partition, Row: rowText + strings.TrimPrefix(e.key.Row, outboxPrefix)}
}

// idAt returns the id of the entry whose row has the given key.
func idAt(entry storage.Key) string {
	policy := entry.Partition
	if policy == nowhere {
		policy = ""
	}
	return makeID(policy, strings.TrimPrefix(entry.Row, rowText))
}

func outboxEntryOf(e storage.Entity) outboxEntry {
	until, _ := e.Props["until"].(string)
	return outboxEntry{key: e.Key, etag: e.ETag, until: storage.ParseTime(until)}
}

func (e outboxEntry) op(kind storage.OpKind) storage.Op {
	op := storage.Op{Kind: kind, Entity: storage.Entity{Key: e.key, ETag: e.etag}}
	if kind != storage.Delete {
		op.Entity.Props = storage.Properties{"until": storage.FormatTime(e.until)}
	}
	return op
}

// outbox writes entries together with their outbox rows. Entries for tests are not searched and have no outbox rows.
type outbox struct {
	rows     storage.Table
	searched bool
	feed     *feed.Feed // if nil, changes are not published
	now      func() time.Time
}

// claimUntil returns the time at which a claim that is made now expires, with the precision of times in rows.
func (o outbox) claimUntil(d time.Duration) time.Time {
	return storage.ParseTime(storage.FormatTime(o.now().Add(d)))
}

// commit changes an entry, adds the entry to the outbox and writes its news. The caller then has the claim on the
// outbox entry for the given duration. If the entry is in the outbox already, another process may have claimed it,
// and commit returns the zero value. Errors: those of the writes; errRaced if the outbox row was removed
// concurrently.
func (o outbox) commit(
	ctx context.Context, entry storage.Key, lease time.Duration, n news, ops ...storage.Op,
) (outboxEntry, error) {
	if n.group.ID != "" {
		ops = append(ops, n.insert())
	}
	if !o.searched {
		_, err := o.rows.Transact(ctx, ops...)
		return outboxEntry{}, err
	}
	e := outboxEntry{key: outboxKey(entry), until: o.claimUntil(lease)}
	ops = append(ops, e.op(storage.Insert))
	tags, err := o.rows.Transact(ctx, ops...)
	if err == nil {
		e.etag = tags[len(ops)-1]
		return e, nil
	}
	if !refuses(err, len(ops)-1) {
		return outboxEntry{}, err
	}
	ops[len(ops)-1] = storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: e.key, ETag: storage.AnyETag, Props: storage.Properties{"touched": storage.FormatTime(o.now())},
	}}
	if _, err = o.rows.Transact(ctx, ops...); refuses(err, len(ops)-1) {
		err = errRaced
	}
	return outboxEntry{}, err
}

// refuses reports whether a transaction failed because of a concurrent write to the row of the operation with this
// index.
func refuses(err error, index int) bool {
	blamed, ok := errors.AsType[*storage.OpError](err)
	return ok && blamed.Index == index && fault.Lost(err)
}

// transactMost performs those operations of one partition that concurrent writes have not made impossible. It returns
// the ETags. For the refused operations it returns the errors, by index.
func (o outbox) transactMost(
	ctx context.Context, ops []storage.Op,
) (tags []storage.ETag, refused map[int]error, err error) {
	places := make([]int, len(ops))
	for i := range places {
		places[i] = i
	}
	tags, refused = make([]storage.ETag, len(ops)), map[int]error{}
	for len(places) > 0 {
		some := make([]storage.Op, len(places))
		for i, place := range places {
			some[i] = ops[place]
		}
		got, err := o.rows.Transact(ctx, some...)
		if blamed, ok := errors.AsType[*storage.OpError](err); ok && fault.Lost(err) {
			refused[places[blamed.Index]] = err
			places = slices.Delete(places, blamed.Index, blamed.Index+1)
			continue
		}
		for i, tag := range got {
			tags[places[i]] = tag
		}
		return tags, refused, err
	}
	return tags, refused, nil
}

// claim claims outbox entries of one partition. With Insert it claims those that do not exist yet. With Merge it
// claims those that have not changed since they were read. It returns the entries that it has claimed.
func (o outbox) claim(
	ctx context.Context, kind storage.OpKind, entries []outboxEntry,
) (claimed []outboxEntry, err error) {
	until := o.claimUntil(claimTime)
	ops := make([]storage.Op, len(entries))
	for i := range entries {
		entries[i].until = until
		ops[i] = entries[i].op(kind)
	}
	tags, refused, err := o.transactMost(ctx, ops)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if refused[i] == nil {
			e.etag = tags[i]
			claimed = append(claimed, e)
		}
	}
	return claimed, nil
}

// unclaimed returns at most a batch of a partition's unclaimed outbox entries, and at most a batch of the news that
// their writers should have published by now. Without an index it returns only the news.
func (f *flusher) unclaimed(ctx context.Context, partition string) (found []outboxEntry, said []news, err error) {
	now, q := f.now(), storage.Query{Partition: partition, RowFrom: newsPrefix, RowTo: outboxEnd}
	if f.index == nil {
		q.RowTo = outboxPrefix
	}
	for e, err := range f.rows.Query(ctx, q) {
		if err != nil {
			return nil, nil, err
		}
		if !strings.HasPrefix(e.Row, newsPrefix) {
			if entry := outboxEntryOf(e); !entry.until.After(now) {
				found = append(found, entry)
			}
		} else if n, err := newsOf(e); err != nil {
			f.logRefused(ctx, e.Key, err)
			f.published[partition] = append(f.published[partition], n.remove())
		} else if f.feed != nil && !n.until.After(now) {
			said = append(said, n)
		}
		if len(found) == flushBatch || len(said) == flushBatch {
			break
		}
	}
	return found, said, nil
}

// missing finds those entries of one partition that have no outbox entry. For each of them it returns an outbox entry
// that is not written yet.
func (o outbox) missing(ctx context.Context, entries []storage.Entity) (out []outboxEntry, err error) {
	exists := map[storage.Key]bool{}
	first, last := outboxKey(entries[0].Key), outboxKey(entries[len(entries)-1].Key)
	q := storage.Query{
		Partition: first.Partition, RowFrom: first.Row, RowTo: last.Row + afterKey, Select: []string{"until"},
	}
	for e, err := range o.rows.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		exists[e.Key] = true
	}
	for _, e := range entries {
		if key := outboxKey(e.Key); !exists[key] {
			out = append(out, outboxEntry{key: key})
		}
	}
	return out, nil
}

// Free ends the claims of all outbox entries and news. Callers must know that no other process works on the store. A
// claim that changes meanwhile is kept. Free creates tables that are missing.
func Free(ctx context.Context, store storage.Store) error {
	for _, name := range Tables() {
		if err := store.Table(name).Create(ctx); err != nil {
			return err
		}
	}
	s := New(store, Options{}).In(Production)
	partitions, err := s.policies.partitions(ctx)
	if err != nil {
		return err
	}
	for _, partition := range partitions {
		if err := s.outbox.free(ctx, partition); err != nil {
			return err
		}
	}
	return nil
}

// free ends the claims in a partition.
func (o outbox) free(ctx context.Context, partition string) error {
	q := storage.Query{Partition: partition, RowFrom: newsPrefix, RowTo: outboxEnd, Select: []string{"until"}}
	for e, err := range o.rows.Query(ctx, q) {
		if err != nil {
			return err
		}
		c := outboxEntryOf(e)
		if c.until.IsZero() {
			continue
		}
		c.until = time.Time{}
		if _, err := o.rows.Transact(ctx, c.op(storage.Merge)); err != nil && !fault.Lost(err) {
			return err
		}
	}
	return nil
}
