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
	// outboxPrefix begins the row keys of outbox entries.
	outboxPrefix = "x|"
	// claimTime is how long an outbox entry belongs to its claimant: longer than a function may run.
	claimTime = 6 * time.Minute
	// claimMargin is what must be left of a claim before the index is called: the call must end within the claim.
	claimMargin = time.Minute
	// flushBatch is how many entries are put into the index at once: as many as a transaction has operations.
	flushBatch = 100
)

// outboxEntry is a row which says that the index may lack the present state of an entry. Until its claim
// expires only its claimant may write the entry to the index, so that no older text arrives there after a
// newer one. Whoever changes the entry meanwhile touches the row, and the claimant notices when it removes it.
// The zero value is none that the caller has claimed.
type outboxEntry struct {
	key   storage.Key
	etag  storage.ETag
	until time.Time // when the claim expires
}

// outboxKey is the outbox row of an entry.
func outboxKey(entry storage.Key) storage.Key {
	return storage.Key{Partition: entry.Partition, Row: outboxPrefix + strings.TrimPrefix(entry.Row, rowText)}
}

// entry is the row of the entry itself.
func (e outboxEntry) entry() storage.Key {
	return storage.Key{Partition: e.key.Partition, Row: rowText + strings.TrimPrefix(e.key.Row, outboxPrefix)}
}

// idAt is the id of the entry at a key.
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

// outbox writes entries together with their outbox rows. Entries for tests are not searched and have none.
type outbox struct {
	rows     storage.Table
	searched bool
	feed     *feed.Feed // nil: nobody is told of changes
	now      func() time.Time
}

// claimUntil is when a claim made now expires, as precise as it is stored.
func (o outbox) claimUntil(d time.Duration) time.Time {
	return storage.ParseTime(storage.FormatTime(o.now().Add(d)))
}

// commit changes an entry, adds it to the outbox, claimed by the caller for so long, and writes what the feed is to
// have of it. If it is in the outbox already, somebody else may have claimed it, and the zero value is returned. The
// error is that of the writes; errRaced when the outbox row was removed at this moment.
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

// refuses reports whether an operation of a transaction failed because of what others wrote.
func refuses(err error, index int) bool {
	blamed, ok := errors.AsType[*storage.OpError](err)
	return ok && blamed.Index == index && fault.Lost(err)
}

// transactMost does those operations of one partition that others have not made impossible. It returns their
// ETags and, by place, why the others were refused.
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

// claim claims outbox entries of one partition: with Insert those that do not exist yet, with Merge those that
// nobody has changed since they were read. It returns those that it got.
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

// unclaimed are at most a batch of the outbox entries of a partition that nobody has claimed, and of the news that
// those who wrote them should have published by now. Without an index only the news are wanted.
func (f *flusher) unclaimed(ctx context.Context, partition string) (found []outboxEntry, said []news, err error) {
	now, q := f.now(), storage.Query{Partition: partition, RowFrom: newsPrefix, RowTo: "x}"}
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
			f.told[partition] = append(f.told[partition], n.remove())
		} else if f.feed != nil && !n.until.After(now) {
			said = append(said, n)
		}
		if len(found) == flushBatch || len(said) == flushBatch {
			break
		}
	}
	return found, said, nil
}

// missing are outbox entries, not written yet, for those of some entries of one partition that have none.
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
