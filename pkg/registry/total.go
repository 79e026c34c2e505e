package registry

import (
	"context"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// What all hosts together may be asked for in a day is in a few rows of the index table, each with a
// part of it. No batch writes them for itself: a host takes a portion when what it has taken before
// does not suffice, so a busy host does so once for several batches, and where there is no such budget
// nobody does. What a host takes and does not use is lost for the day, so portions are small at first.

const (
	// totalPartition is the partition of the rows.
	totalPartition = "total"
	// totalShards spreads them, so that hosts do not all write one.
	totalShards = 8
	// mostSpare bounds what a host takes beyond what its next batch needs, in requests.
	mostSpare = 256
	// leastBody is what a body is taken for of a host that has shown none.
	leastBody = 64 << 10
)

// wants is what a host has to take for n more requests; zero when it has enough.
func (h *hostState) wants(n int, p Politeness) (want Budget) {
	if asked := h.Used.Requests + int64(n); p.Total.Requests > 0 && asked > h.Granted.Requests {
		want.Requests = asked - h.Granted.Requests + 2 + min(mostSpare, asked/4)
	}
	if p.Total.Bytes > 0 {
		body := int64(leastBody)
		if h.Used.Bytes > 0 {
			body = h.Used.Bytes / max(1, h.Used.Requests)
		}
		likely := int64(n)*body + 1
		if h.Granted.Bytes-h.Used.Bytes < likely {
			want.Bytes = h.Used.Bytes + 2*likely - h.Granted.Bytes
		}
	}
	return want
}

// share has a host that is about to be asked take from the total what it lacks for n requests. What
// was taken is in host, which is to be written if it has changed, and in taken, for another try when
// that fails.
func (r *Registry) share(ctx context.Context, host *hostEntry, n int, p Politeness, taken *Budget) (changed bool, err error) {
	now := r.now()
	host.turnDay(now)
	host.Granted = host.Granted.plus(*taken)
	want := host.wants(n, p)
	if until, _ := host.held(now, p); !until.IsZero() || want == (Budget{}) {
		return *taken != Budget{}, nil
	}
	got, err := r.takeTotal(ctx, host.key.Partition+host.Host, host.Day, want, p.Total)
	*taken, host.Granted = taken.plus(got), host.Granted.plus(got)
	if left := host.left(p); err == nil && (left.Requests == 0 || left.Bytes == 0) {
		host.TotalSpent = p.Total // as it stands: whoever raises it lets the host go on
	}
	return true, err
}

// takeTotal takes from the rows of the total, from one of the host's first. What it gives is taken,
// also with an error.
func (r *Registry) takeTotal(ctx context.Context, host string, day time.Time, want, total Budget) (got Budget, err error) {
	first := xxhash.Sum64String(host) % totalShards
	for i := range uint64(totalShards) {
		shard := (first + i) % totalShards
		some, err := r.takePart(ctx, shard, day, Budget{want.Requests - got.Requests, want.Bytes - got.Bytes}, total)
		if got = got.plus(some); err != nil || got == want {
			return got, err
		}
	}
	return got, nil
}

// takePart takes what one row has left.
func (r *Registry) takePart(ctx context.Context, shard uint64, day time.Time, want, total Budget) (got Budget, err error) {
	key := storage.Key{Partition: totalPartition, Row: fmt.Sprint(shard)}
	err = r.retry(ctx, func(ctx context.Context) error {
		got = Budget{}
		e, err := r.index.Get(ctx, key)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		var row totalRow
		decode(totalColumns, e.Props, &row)
		give := row.take(day, want, Budget{partOf(total.Requests, shard), partOf(total.Bytes, shard)})
		if give == (Budget{}) {
			return nil
		}
		kind := storage.Replace
		if e.ETag == "" {
			kind = storage.Insert
		}
		_, err = r.index.Transact(ctx, storage.Op{Kind: kind, Entity: storage.Entity{Key: key, ETag: e.ETag, Props: encode(totalColumns, row)}})
		if err == nil {
			got = give
		}
		return asConflict(err)
	})
	return got, err
}

// totalRow is one row of the total.
type totalRow struct {
	Day   time.Time `col:"day"`
	Taken Budget    `col:"taken"`
}

var totalColumns = columnsOf(totalRow{})

// take gives as much as is wanted and left. The part of it that is not limited is not wanted.
func (t *totalRow) take(day time.Time, want, part Budget) (give Budget) {
	if day.After(t.Day) {
		*t = totalRow{Day: day}
	}
	give = Budget{min(want.Requests, max(0, part.Requests-t.Taken.Requests)), min(want.Bytes, max(0, part.Bytes-t.Taken.Bytes))}
	t.Taken = t.Taken.plus(give)
	return give
}

// partOf is the part of a total that one row has: together they have it all.
func partOf(total int64, shard uint64) int64 {
	part := total / totalShards
	if int64(shard) < total%totalShards {
		part++
	}
	return part
}
