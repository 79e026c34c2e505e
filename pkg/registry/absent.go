package registry

import (
	"context"
	"maps"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Absent is what an origin answers for pages that do not exist. Its row stands beside that of
// robots.txt.
type Absent struct {
	AskedAt time.Time `col:"askedAt"` // when somebody last went to ask; zero: never
	Page    string    `col:"page"`    // the page it shows instead of 404, described by who asked; empty: none
	Known   bool      `col:"known"`   // whether Page is an answer, or nobody has had one yet
	// Mark names the answer for those who compare with it: as long as it stays, what was judged by an
	// earlier Page need not be judged again. Empty for an origin that answers 404.
	Mark string `col:"mark"`

	scheme, host string
	markBefore   string // as read
	key          storage.Key
	etag         storage.ETag
}

var absentColumns = columnsOf(Absent{})

// Absent reads what is known of an origin.
func (r *Registry) Absent(ctx context.Context, partition, scheme, host string) (Absent, error) {
	a := Absent{key: storage.Key{Partition: partition, Row: robotsRow(scheme, host) + "|absent"}, scheme: scheme, host: host}
	e, err := r.items.Get(ctx, a.key)
	if fault.Is(err, fault.NotFound) {
		return a, nil
	}
	decode(absentColumns, e.Props, &a)
	a.markBefore, a.etag = a.Mark, e.ETag
	return a, err
}

// ClaimAbsent has the caller ask the origin: of several that have read the same, one is told to,
// also when it dies before it knows the answer.
func (r *Registry) ClaimAbsent(ctx context.Context, a Absent, now time.Time) (Absent, bool, error) {
	a.AskedAt = stamp(now)
	err := r.putAbsent(ctx, &a)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return a, false, nil
	}
	return a, err == nil, err
}

// PutAbsent keeps the answer for who claimed to ask for it, unless somebody has asked since. A mark
// that is another stands in the host's row from the same transaction on, so every later [Batch]
// knows of it.
func (r *Registry) PutAbsent(ctx context.Context, a Absent) error {
	if a.Mark == a.markBefore {
		return ignoreLost(r.putAbsent(ctx, &a))
	}
	return r.onHost(ctx, a.key.Partition, a.host, func(ctx context.Context) error {
		h, err := r.loadHost(ctx, a.key.Partition, a.host)
		if err != nil {
			return err
		}
		if err := r.pointPartition(ctx, h); err != nil {
			return err
		}
		h.markAbsent(a.scheme, a.Mark)
		err = r.putAbsent(ctx, &a, h.op())
		if i, lost := loser(err); lost && i == 0 {
			return nil
		}
		return err
	})
}

// putAbsent writes the row first, and whatever goes with it.
func (r *Registry) putAbsent(ctx context.Context, a *Absent, with ...storage.Op) error {
	kind := storage.Replace
	if a.etag == "" {
		kind = storage.Insert
	}
	row := storage.Op{Kind: kind, Entity: storage.Entity{Key: a.key, ETag: a.etag, Props: encode(absentColumns, *a)}}
	tags, err := r.items.Transact(ctx, append([]storage.Op{row}, with...)...)
	if err == nil {
		a.etag = tags[0]
	}
	return err
}

// markAbsent takes note of the mark of one of the host's origins.
func (h *hostState) markAbsent(scheme, mark string) {
	h.Absent = maps.Clone(h.Absent)
	if h.Absent == nil {
		h.Absent = map[string]string{}
	}
	if h.Absent[scheme] = mark; mark == "" {
		delete(h.Absent, scheme)
	}
}
