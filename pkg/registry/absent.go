package registry

import (
	"context"
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

	key  storage.Key
	etag storage.ETag
}

var absentColumns = columnsOf(Absent{})

// Absent reads what is known of an origin.
func (r *Registry) Absent(ctx context.Context, partition, scheme, host string) (Absent, error) {
	a := Absent{key: storage.Key{Partition: partition, Row: robotsRow(scheme, host) + "|absent"}}
	e, err := r.items.Get(ctx, a.key)
	if fault.Is(err, fault.NotFound) {
		return a, nil
	}
	decode(absentColumns, e.Props, &a)
	a.etag = e.ETag
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

// PutAbsent keeps the answer for who claimed to ask for it, unless somebody has asked since.
func (r *Registry) PutAbsent(ctx context.Context, a Absent) error {
	return ignoreLost(r.putAbsent(ctx, &a))
}

func (r *Registry) putAbsent(ctx context.Context, a *Absent) error {
	kind := storage.Replace
	if a.etag == "" {
		kind = storage.Insert
	}
	tags, err := r.items.Transact(ctx, storage.Op{Kind: kind, Entity: storage.Entity{
		Key: a.key, ETag: a.etag, Props: encode(absentColumns, *a),
	}})
	if err == nil {
		a.etag = tags[0]
	}
	return err
}
