package store

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// What a host's row counts is copied to the row that lists its partition, where a thousand hosts are one request.
// Who has changed the counts of a host writes the copy after the transaction, so a check that finds nothing new
// writes none. A copy may be out of date where a process died between the two, until the message of its job comes
// again, or where two wrote at once, until [Sums.Recount] comes by, which is once a day. Where a scheme shares a
// partition there are no copies: the rows of its hosts stand together.

// Sums has the copies.
type Sums struct {
	s        *Store
	complete atomic.Bool // see counted
}

// HostSums is what the list of partitions says of a host.
type HostSums struct {
	Partition   string              `col:"partition"`
	CountedAt   time.Time           `col:"countedAt"` // zero: nothing is said yet
	Counts      map[item.Status]int `col:"counts"`
	Rebuilding  int                 `col:"rebuilding"`
	Guarded     int                 `col:"guarded"`
	Rates       policy.Rates        `col:",inline"`
	PausedUntil time.Time           `col:"pausedUntil"`
	PauseReason string              `col:"pauseReason"`
}

var sumRows = row.Of[HostSums]()

// has is the column by which partitions are found that have items of a status, or any.
func has(s item.Status) string { return "has" + string(s) }

const yes = "yes"

// SumsOf reads the row of a partition. A column that cannot be read says nothing.
func SumsOf(e storage.Entity) HostSums {
	s, _ := sumRows.Decode(e.Props)
	return s
}

func (r *Sums) of(h *Host) HostSums {
	now := r.s.Now()
	s := HostSums{Partition: h.Key.Partition, CountedAt: now, Counts: h.Counts, Rebuilding: h.Rebuilding,
		Guarded: h.Guarded, Rates: h.Rates}
	s.PausedUntil, s.PauseReason = h.Policy.Blocked(now, r.s.Options.Politeness(h.Host))
	return s
}

func (s *HostSums) entity() storage.Entity {
	props := sumRows.Encode(s)
	for status, n := range s.Counts {
		if n > 0 {
			props[has(status)], props[has("")] = yes, yes
		}
	}
	return storage.Entity{Key: partitionKey(s.Partition), Props: props}
}

// differ reports whether two copies count items differently.
func (s *HostSums) differ(o *HostSums) bool {
	for _, status := range item.Statuses {
		if s.Counts[status] != o.Counts[status] {
			return true
		}
	}
	return s.Rebuilding != o.Rebuilding || s.Guarded != o.Guarded
}

// Publish writes the copy of a host's counts if they were changed. What was committed stands if that fails.
func (r *Sums) Publish(ctx context.Context, h *Host) {
	if !h.recounted || r.s.Options.Strategy == source.ByScheme {
		return
	}
	s := r.of(h)
	if _, err := r.s.Index.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: s.entity()}); err != nil {
		r.s.Options.Log.WarnContext(ctx, "sums were not written", "host", h.Host, "kind", fault.KindOf(err), "err", err)
	}
}

// pointPartition lists the partition of a new host with the counts that it is about to have, and reports whether they
// need not be written again.
func (r *Sums) pointPartition(ctx context.Context, h *Host) (told bool, err error) {
	if h.ETag != "" {
		return false, nil
	}
	e := storage.Entity{Key: partitionKey(h.Key.Partition), Props: storage.Properties{"partition": h.Key.Partition}}
	if r.s.Options.Strategy != source.ByScheme {
		s := r.of(h)
		e = s.entity()
	}
	_, err = r.s.Index.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: e})
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// Holder is a partition that has items of a list.
type Holder struct {
	Partition string
	Items     int // as it was counted last; 0 when nobody knows
}

// Holding lists, from one on, the partitions that have items of a host and a status, either of which may be empty. So
// many are read at a time.
func (r *Sums) Holding(ctx context.Context, host string, status item.Status, from string,
	page int) iter.Seq2[Holder, error] {
	return func(yield func(Holder, error) bool) {
		if host != "" || r.s.Options.Strategy == source.ByScheme || !r.counted(ctx) {
			for p, err := range r.s.PartitionsOf(ctx, host, from) {
				if !yield(Holder{Partition: p}, err) || err != nil {
					return
				}
			}
			return
		}
		q := storage.Query{Partition: partitionsKey, RowFrom: from, Where: map[string]string{has(status): yes},
			Select: []string{"counts"}, PageSize: page}
		for e, err := range r.s.Index.Query(ctx, q) {
			s := SumsOf(e)
			if !yield(Holder{e.Row, s.count(status)}, err) || err != nil {
				return
			}
		}
	}
}

// count is how many items have a status, or any.
func (s *HostSums) count(status item.Status) (n int) {
	for of, count := range s.Counts {
		if of == status || status == "" {
			n += count
		}
	}
	return n
}

const (
	// recountEvery is how often all sums are compared with what they are copies of.
	recountEvery = 24 * time.Hour
	// recountHosts bounds one call of [Sums.Recount].
	recountHosts = 1000
	// newHost is how long the row of a host may be missing whose partition is listed: nobody takes so long to register.
	newHost = time.Hour
)

var recountKey = storage.Key{Partition: "cursor", Row: "recount"}

// recountCursor is how far a round over all hosts has come.
type recountCursor struct {
	Began     time.Time `col:"began"`
	Partition string    `col:"inPartition"` // to go on at; empty after the last
	Complete  bool      `col:"complete"`    // a round came to its end, so all sums have been written
}

var recountRows = row.Of[recountCursor]()

// counted reports whether every partition says what it has. It is asked once in a process that finds it so.
func (r *Sums) counted(ctx context.Context) bool {
	if !r.complete.Load() {
		c, _, err := recountRows.Load(ctx, r.s.Index, recountKey)
		r.complete.Store(err == nil && c.Complete)
	}
	return r.complete.Load()
}

// Recount goes on with the daily round over all copies: it mends those that differ from what they are copies of, and
// takes over how often checks found something, which is not written for each check. One call looks at 1,000 hosts at
// most; mended counts those whose items were counted wrongly.
func (r *Sums) Recount(ctx context.Context) (mended int, err error) {
	if r.s.Options.Strategy == source.ByScheme {
		return 0, nil
	}
	now := r.s.Now()
	c, _, err := recountRows.Load(ctx, r.s.Index, recountKey)
	if err != nil {
		return 0, err
	}
	if c.Partition == "" {
		if c.Complete && now.Sub(c.Began) < recountEvery {
			return 0, nil
		}
		c.Began = now
	}
	rows, next, err := r.Listed(ctx, c.Partition, recountHosts)
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(rows, storage.MaxOps) {
		n, err := r.mend(ctx, some)
		if mended += n; err != nil {
			return mended, err
		}
	}
	c.Partition, c.Complete = next, c.Complete || next == ""
	_, err = r.s.Index.Transact(ctx, storage.Op{
		Kind: storage.Upsert, Entity: storage.Entity{Key: recountKey, Props: recountRows.Encode(&c)},
	})
	if mended > 0 {
		r.s.Options.Log.InfoContext(ctx, "sums of hosts mended", "hosts", mended)
	}
	return mended, err
}

// Listed reads the rows of at most so many partitions, from one on; next is where others are, empty if there are none.
func (r *Sums) Listed(ctx context.Context, from string, most int) (rows []storage.Entity, next string, err error) {
	for e, err := range r.s.Index.Query(ctx, storage.Query{Partition: partitionsKey, RowFrom: from}) {
		if err != nil {
			return nil, "", err
		}
		if len(rows) == most {
			return rows, e.Row, nil
		}
		rows = append(rows, e)
	}
	return rows, "", nil
}

// mend compares the sums of at most a hundred hosts, as they were read, with the hosts' rows, and writes those anew
// that differ. One that somebody has written meanwhile is left alone, for that is newer.
func (r *Sums) mend(ctx context.Context, rows []storage.Entity) (mended int, err error) {
	hosts := make([]Host, len(rows))
	err = r.s.Parallel(ctx, len(rows), func(ctx context.Context, i int) (err error) {
		hosts[i], err = r.s.LoadHost(ctx, rows[i].Row, rows[i].Row)
		return err
	})
	if err != nil {
		return 0, err
	}
	var ops []storage.Op
	for i, e := range rows {
		r.s.AnnounceLater(ctx, &hosts[i])
		was := SumsOf(e)
		is := r.of(&hosts[i])
		if hosts[i].ETag == "" && is.CountedAt.Sub(was.CountedAt) < newHost {
			continue
		}
		wrong := was.CountedAt.IsZero() || was.differ(&is)
		if !wrong && was.Rates == is.Rates && was.PausedUntil.Equal(is.PausedUntil) {
			continue
		}
		mended += one(wrong)
		op := storage.Op{Kind: storage.Replace, Entity: is.entity()}
		op.Entity.ETag = e.ETag
		ops = append(ops, op)
	}
	for len(ops) > 0 {
		_, err := r.s.Index.Transact(ctx, ops...)
		i, lost := ConflictIndex(err)
		if !lost {
			return mended, err
		}
		ops = slices.Delete(ops, i, i+1)
	}
	return mended, nil
}

// MendOne is mend for the host of a job that is done already: who did it may have died before it wrote the
// sums.
func (r *Sums) MendOne(ctx context.Context, partition string) {
	if r.s.Options.Strategy == source.ByScheme {
		return
	}
	e, err := r.s.Index.Get(ctx, partitionKey(partition))
	if err == nil {
		_, err = r.mend(ctx, []storage.Entity{e})
	}
	if err != nil {
		r.s.Options.Log.WarnContext(ctx, "sums were not mended", "host", partition, "kind", fault.KindOf(err), "err", err)
	}
}
