package store

import (
	"context"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// What all hosts together may be asked for in a day is in a few rows of the index table, each with a
// part of it. No batch writes them for itself: a host takes a portion when what it has taken before
// does not suffice, so a busy host does so once for several batches, and where there is no such budget
// nobody does.

// totalPartition is the partition of the rows.
const totalPartition = "total"

var totalRows = row.Of[policy.Share]()

// Share has a host that is about to be asked take from the total what it lacks for n requests. What
// was taken is in host, which is to be written if it has changed, and in taken, for another try when
// that fails.
func (r *Store) Share(ctx context.Context, host *Host, n int, p policy.Politeness,
	taken *policy.Budget) (changed bool, err error) {
	now, s := r.Now(), &host.Policy
	s.StartDay(now)
	s.Today.Granted = s.Today.Granted.Plus(*taken)
	want := s.Wants(now, n, p)
	if want == (policy.Budget{}) {
		return *taken != policy.Budget{}, nil
	}
	got, err := r.spendTotal(ctx, host.Key.Partition+host.Host, s.Today.Began, want, p.Total)
	*taken = taken.Plus(got)
	s.Today.Grant(got, p, err == nil)
	return true, err
}

// spendTotal takes from the rows of the total, from one of the host's first. What it gives is taken,
// also with an error.
func (r *Store) spendTotal(ctx context.Context, host string, day time.Time,
	want, total policy.Budget) (got policy.Budget, err error) {
	first := int(xxhash.Sum64String(host) % policy.Shares)
	for i := range policy.Shares {
		shard := (first + i) % policy.Shares
		lacks := policy.Budget{Requests: want.Requests - got.Requests, Bytes: want.Bytes - got.Bytes}
		some, err := r.spendPart(ctx, shard, day, lacks, total)
		if got = got.Plus(some); err != nil || got == want {
			return got, err
		}
	}
	return got, nil
}

// spendPart takes what one row has left.
func (r *Store) spendPart(ctx context.Context, shard int, day time.Time,
	want, total policy.Budget) (got policy.Budget, err error) {
	key := storage.Key{Partition: totalPartition, Row: fmt.Sprint(shard)}
	err = r.Retry(ctx, func(ctx context.Context) error {
		got = policy.Budget{}
		part, etag, err := totalRows.Load(ctx, r.Index, key)
		if err != nil {
			return err
		}
		give := part.Spend(day, want, total, shard)
		if give == (policy.Budget{}) {
			return nil
		}
		if _, err = r.Index.Transact(ctx, totalRows.Put(key, etag, &part)); err == nil {
			got = give
		}
		return AsConflict(err)
	})
	return got, err
}
