package registry

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

// share has a host that is about to be asked take from the total what it lacks for n requests. What
// was taken is in host, which is to be written if it has changed, and in taken, for another try when
// that fails.
func (r *store) share(ctx context.Context, host *hostEntry, n int, p Politeness,
	taken *Budget) (changed bool, err error) {
	now, s := r.now(), &host.Policy
	s.StartDay(now)
	s.Today.Granted = s.Today.Granted.Plus(*taken)
	want := s.Wants(now, n, p)
	if want == (Budget{}) {
		return *taken != Budget{}, nil
	}
	got, err := r.takeTotal(ctx, host.key.Partition+host.Host, s.Today.Began, want, p.Total)
	*taken = taken.Plus(got)
	s.Today.Grant(got, p, err == nil)
	return true, err
}

// takeTotal takes from the rows of the total, from one of the host's first. What it gives is taken,
// also with an error.
func (r *store) takeTotal(ctx context.Context, host string, day time.Time, want, total Budget) (got Budget, err error) {
	first := int(xxhash.Sum64String(host) % policy.Shares)
	for i := range policy.Shares {
		shard, lacks := (first+i)%policy.Shares, Budget{Requests: want.Requests - got.Requests, Bytes: want.Bytes - got.Bytes}
		some, err := r.takePart(ctx, shard, day, lacks, total)
		if got = got.Plus(some); err != nil || got == want {
			return got, err
		}
	}
	return got, nil
}

// takePart takes what one row has left.
func (r *store) takePart(ctx context.Context, shard int, day time.Time, want, total Budget) (got Budget, err error) {
	key := storage.Key{Partition: totalPartition, Row: fmt.Sprint(shard)}
	err = r.retry(ctx, func(ctx context.Context) error {
		got = Budget{}
		part, etag, err := totalRows.Load(ctx, r.index, key)
		if err != nil {
			return err
		}
		give := part.Take(day, want, total, shard)
		if give == (Budget{}) {
			return nil
		}
		if _, err = r.index.Transact(ctx, totalRows.Put(key, etag, &part)); err == nil {
			got = give
		}
		return asConflict(err)
	})
	return got, err
}
