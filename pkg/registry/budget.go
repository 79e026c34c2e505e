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

// The daily budget of all hosts together is divided over a few rows of the index table. Not every batch writes these
// rows: a host reserves a portion of the budget, and reserves another one when the portion is used up. So a busy host
// writes the rows only once for several batches. If there is no such budget, the rows are never written.

// totalPartition is the partition of the rows with the total budget.
const totalPartition = "total"

var totalRows = row.Of[policy.Share]()

// Share reserves, from the total budget, what a host lacks for n requests. It adds the reserved amount to the host,
// and the caller must write the host if it has changed. Share also stores the amount in *taken, for another try if
// that write fails.
func (r *rowStore) Share(ctx context.Context, host *hostRecord, n int, p policy.Politeness,
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

// spendTotal spends from the rows of the total budget. It begins with a row that depends on the host. If there is an
// error, the returned amount is spent all the same.
func (r *rowStore) spendTotal(ctx context.Context, host string, day time.Time,
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

// spendPart spends from one row, up to the amount that remains in the row.
func (r *rowStore) spendPart(ctx context.Context, shard int, day time.Time,
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
		return asConflict(err)
	})
	return got, err
}
