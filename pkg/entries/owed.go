package entries

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// owedText begins the keys of rows that say that the index may not have an entry as it stands.
	owedText = "x|"
	// owedTime is how long a debt is left to whoever made or took it: longer than a function may run.
	owedTime = 6 * time.Minute
	// owedRest is what must be left of it for what the index is told to be told in time.
	owedRest = time.Minute
	// portion is how many entries are put into the index at once: as many as a transaction has operations.
	portion = 100
)

// debt is a row that says that the index is owed an entry, at a revision. Until its time is over only its
// holder may write the entry to the index, so that no older text arrives there after a newer one. Who
// changes the entry meanwhile moves the revision, and the holder sees it when the debt is to be removed.
// The zero debt is none that the caller holds.
type debt struct {
	key   storage.Key
	etag  storage.ETag
	until time.Time
}

// owedKey is where the debt of an entry is.
func owedKey(entry storage.Key) storage.Key {
	return storage.Key{Partition: entry.Partition, Row: owedText + strings.TrimPrefix(entry.Row, rowText)}
}

// entry is where the entry of a debt is.
func (d debt) entry() storage.Key {
	return storage.Key{Partition: d.key.Partition, Row: rowText + strings.TrimPrefix(d.key.Row, owedText)}
}

// idAt is the id of the entry at a key.
func idAt(entry storage.Key) string {
	policy := entry.Partition
	if policy == nowhere {
		policy = ""
	}
	return makeID(policy, strings.TrimPrefix(entry.Row, rowText))
}

// later is a time from now, as precise as it is stored.
func (s *Store) later(d time.Duration) time.Time {
	return storage.ParseTime(storage.FormatTime(s.o.Clock().Add(d)))
}

func debtOf(e storage.Entity) debt {
	until, _ := e.Props["until"].(string)
	return debt{key: e.Key, etag: e.ETag, until: storage.ParseTime(until)}
}

func (d debt) op(kind storage.OpKind) storage.Op {
	op := storage.Op{Kind: kind, Entity: storage.Entity{Key: d.key, ETag: d.etag}}
	if kind != storage.Delete {
		op.Entity.Props = storage.Properties{"until": storage.FormatTime(d.until)}
	}
	return op
}

// commit writes what changes an entry, and that the index is owed it, for so long to the caller alone. Where
// the index is owed the entry already, the debt is somebody else's and none is returned. Entries for tests
// are not searched. The error is that of the writes; errRaced when the debt was paid in this moment.
func (s *Session) commit(ctx context.Context, entry storage.Key, lease time.Duration, ops ...storage.Op) (debt, error) {
	if s.Schema != Production {
		_, err := s.entries.Transact(ctx, ops...)
		return debt{}, err
	}
	d := debt{key: owedKey(entry), until: s.s.later(lease)}
	ops = append(ops, d.op(storage.Insert))
	tags, err := s.entries.Transact(ctx, ops...)
	if err == nil {
		d.etag = tags[len(ops)-1]
		return d, nil
	}
	if !refuses(err, len(ops)-1) {
		return debt{}, err
	}
	ops[len(ops)-1] = storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: d.key, ETag: storage.AnyETag, Props: storage.Properties{"touched": storage.FormatTime(s.s.o.Clock())},
	}}
	if _, err = s.entries.Transact(ctx, ops...); refuses(err, len(ops)-1) {
		err = errRaced
	}
	return debt{}, err
}

// refuses reports whether an operation of a transaction is to blame, because of what others wrote.
func refuses(err error, index int) bool {
	blamed, ok := errors.AsType[*storage.OpError](err)
	return ok && blamed.Index == index && raced(err)
}

func raced(err error) bool { return fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) }

// most does those operations of a transaction that are not refused because of what others wrote, and returns
// their revisions and, by their place, why others were refused.
func (s *Session) most(ctx context.Context, ops []storage.Op) (tags []storage.ETag, refused map[int]error, err error) {
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
		got, err := s.entries.Transact(ctx, some...)
		if blamed, ok := errors.AsType[*storage.OpError](err); ok && raced(err) {
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

// hold makes or takes debts of one partition for the caller: with Insert those that there are not, with Merge
// those that are as they were read. It returns those that it got.
func (s *Session) hold(ctx context.Context, kind storage.OpKind, debts []debt) (held []debt, err error) {
	until := s.s.later(owedTime)
	ops := make([]storage.Op, len(debts))
	for i := range debts {
		debts[i].until = until
		ops[i] = debts[i].op(kind)
	}
	tags, refused, err := s.most(ctx, ops)
	if err != nil {
		return nil, err
	}
	for i, d := range debts {
		if refused[i] == nil {
			d.etag = tags[i]
			held = append(held, d)
		}
	}
	return held, nil
}

// release removes debts of one partition that are paid, and returns those that have grown meanwhile.
func (s *Session) release(ctx context.Context, debts []debt) (grown []debt, err error) {
	ops := make([]storage.Op, len(debts))
	for i, d := range debts {
		ops[i] = d.op(storage.Delete)
	}
	_, refused, err := s.most(ctx, ops)
	for i, d := range debts {
		if fault.Is(refused[i], fault.Conflict) {
			grown = append(grown, d)
		}
	}
	return grown, err
}

// partitions lists the partitions that may have entries, in order: one for each policy, and that of entries
// without.
func (s *Session) partitions(ctx context.Context) ([]string, error) {
	out := []string{nowhere}
	for e, err := range s.policyTable.Query(ctx, storage.Query{Partition: policyRows, Select: []string{"policy_key"}}) {
		if err != nil {
			return nil, err
		}
		out = append(out, e.Row)
	}
	slices.Sort(out)
	return out, nil
}
