package registry

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// The counters of a host row are copied to the row that lists the host's partition, because one request reads a
// thousand of those rows. A worker that has changed the counters writes the copy after the transaction. A check that
// finds nothing new does not change the counters and writes no copy. If a process dies between the transaction and
// the copy, the copy is out of date until the message of the process's job arrives again. After two concurrent
// writes, the copy may be out of date until the daily round of [sums.recount]. If the hosts of a scheme share a
// partition, there are no copies, because one partition holds all host rows.

// sums reads and writes the copies of host counters.
type sums struct {
	s        *rowStore
	complete atomic.Bool // every partition has a copy; see the method counted
	changed  atomic.Bool // this process has changed a counter since the copies were last added up
	added    time.Time   // when they were; used by [Hosts.Tally] alone
	hosts    int         // how many there were
}

// hostSums is a host's row in the list of partitions. It contains the copy of the host's counters.
type hostSums struct {
	Partition   string         `col:"partition"`
	CountedAt   time.Time      `col:"countedAt"` // when the counters were copied; zero if not yet
	Counts      map[Status]int `col:"counts"`
	Rebuilding  int            `col:"rebuilding"`
	Guarded     int            `col:"guarded"`
	Rates       policy.Rates   `col:",inline"`
	PausedUntil time.Time      `col:"pausedUntil"`
	PauseReason string         `col:"pauseReason"`
}

var sumRows = row.Of[hostSums]()

// has returns the name of the column by which a query finds the partitions that have items with a status. If the
// status is empty, the query finds the partitions that have any items.
func has(s Status) string { return "has" + string(s) }

const yes = "yes"

// sumsOf decodes the row of a partition. A column that cannot be read is ignored.
func sumsOf(e storage.Entity) hostSums {
	s, _ := sumRows.Decode(e.Props)
	return s
}

func (r *sums) of(h *hostRecord) hostSums {
	now := r.s.Now()
	s := hostSums{Partition: h.Key.Partition, CountedAt: now, Counts: h.Counts, Rebuilding: h.Rebuilding,
		Guarded: h.Guarded, Rates: h.Rates}
	s.PausedUntil, s.PauseReason = h.Policy.Blocked(now, r.s.Options.Politeness(h.Host))
	return s
}

func (s *hostSums) entity() storage.Entity {
	props := sumRows.Encode(s)
	for status, n := range s.Counts {
		if n > 0 {
			props[has(status)], props[has("")] = yes, yes
		}
	}
	return storage.Entity{Key: partitionKey(s.Partition), Props: props}
}

// differ reports whether two copies contain different numbers of items.
func (s *hostSums) differ(o *hostSums) bool {
	for _, status := range Statuses {
		if s.Counts[status] != o.Counts[status] {
			return true
		}
	}
	return s.Rebuilding != o.Rebuilding || s.Guarded != o.Guarded
}

// publish writes the copy of a host's counters if the counters have changed. The commit stays valid if Publish fails.
func (r *sums) publish(ctx context.Context, h *hostRecord) {
	if !h.recounted {
		return
	}
	r.changed.Store(true)
	if r.s.Options.Strategy == source.ByScheme {
		return
	}
	s := r.of(h)
	if _, err := r.s.Index.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: s.entity()}); err != nil {
		r.s.Options.Log.WarnContext(ctx, "sums were not written", "host", h.Host, "kind", fault.KindOf(err), "err", err)
	}
}

// pointPartition adds the partition of a new host to the list of partitions, with the counters that the host is about
// to have. It reports whether it has written the copy of the counters, so that they need not be written again.
func (r *sums) pointPartition(ctx context.Context, h *hostRecord) (told bool, err error) {
	if h.ETag != "" {
		return false, nil
	}
	r.changed.Store(true)
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

// holder is a partition with items that belong to the requested list.
type holder struct {
	Partition string
	Items     int // number of these items when they were last counted; 0 if unknown
}

// holding yields the partitions that have items of a host with a status. It begins at the given partition. An empty
// host or status means all. The number of partitions that it reads per request is limited.
func (r *sums) holding(ctx context.Context, host string, status Status, from string,
	page int) iter.Seq2[holder, error] {
	return func(yield func(holder, error) bool) {
		if host != "" || r.s.Options.Strategy == source.ByScheme || !r.counted(ctx) {
			for p, err := range r.s.PartitionsOf(ctx, host, from) {
				if !yield(holder{Partition: p}, err) || err != nil {
					return
				}
			}
			return
		}
		q := storage.Query{Partition: partitionsKey, RowFrom: from, Where: map[string]string{has(status): yes},
			Select: []string{"counts"}, PageSize: page}
		for e, err := range r.s.Index.Query(ctx, q) {
			s := sumsOf(e)
			if !yield(holder{e.Row, s.count(status)}, err) || err != nil {
				return
			}
		}
	}
}

// tallyEvery is the longest time between two sums of all copies, whose counters other processes may have changed.
const tallyEvery = time.Hour

// Tally returns how many items have which status, from the copies of the counters, which costs a request for 1,000
// hosts. It returns nil while the last result stands: nothing was changed by this process, or a moment ago, which is
// the longer the more hosts there are. One call at a time.
func (r *Hosts) Tally(ctx context.Context) (map[Status]int, error) {
	s, now := r.s.Sums, r.s.Now()
	age := now.Sub(s.added)
	if pause := time.Duration(s.hosts/1000) * time.Minute; age < tallyEvery && (age < pause || !s.changed.Load()) {
		return nil, nil
	}
	s.changed.Store(false)
	out := map[Status]int{}
	for _, status := range Statuses {
		out[status] = 0
	}
	hosts := 0
	err := s.each(ctx, func(counts map[Status]int) {
		for status, n := range counts {
			out[status] += n
		}
		hosts++
	})
	if err != nil {
		s.changed.Store(true)
		return nil, err
	}
	s.added, s.hosts = now, hosts
	return out, nil
}

// each passes the counters of all hosts: the copies, or those of the host rows where there are no copies.
func (r *sums) each(ctx context.Context, pass func(map[Status]int)) error {
	if r.s.Options.Strategy == source.ByScheme {
		for p, err := range r.s.PartitionsOf(ctx, "", "") {
			if err != nil {
				return err
			}
			for h, err := range r.s.HostsOf(ctx, p, "counts") {
				if err != nil {
					return err
				}
				pass(h.Counts)
			}
		}
		return nil
	}
	for e, err := range r.s.Index.Query(ctx, storage.Query{Partition: partitionsKey, Select: []string{"counts"}}) {
		if err != nil {
			return err
		}
		s := sumsOf(e)
		pass(s.Counts)
	}
	return nil
}

// count returns the number of items that have a status, or of all items if the status is empty.
func (s *hostSums) count(status Status) (n int) {
	for of, count := range s.Counts {
		if of == status || status == "" {
			n += count
		}
	}
	return n
}

const (
	// recountEvery is the interval at which all copies are compared with their host rows.
	recountEvery = 24 * time.Hour
	// recountHosts limits the number of hosts that one call of [sums.recount] processes.
	recountHosts = 1000
	// newHost is how long a listed partition may lack its host row. No registration takes that long.
	newHost = time.Hour
)

var recountKey = storage.Key{Partition: "cursor", Row: "recount"}

// recountCursor is the cursor of a round over all hosts.
type recountCursor struct {
	Began     time.Time `col:"began"`
	Partition string    `col:"inPartition"` // the round continues at this partition; "" at the end
	Complete  bool      `col:"complete"`    // a round has finished, so all copies have been written
}

var recountRows = row.Of[recountCursor]()

// counted reports whether every partition's copy has been written. After it has once returned true, it costs no
// request in this process.
func (r *sums) counted(ctx context.Context) bool {
	if !r.complete.Load() {
		c, _, err := recountRows.Load(ctx, r.s.Index, recountKey)
		r.complete.Store(err == nil && c.Complete)
	}
	return r.complete.Load()
}

// recount continues the daily round over all copies. It repairs copies that differ from their host rows, and copies
// the change rate, because not every check does. One call processes at most 1,000 hosts. Recount returns the number
// of hosts whose counters were wrong.
func (r *sums) recount(ctx context.Context) (mended int, err error) {
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

// Listed reads rows of partitions, up to the given number, beginning at a partition. It returns the partition at
// which the next call begins; "" if no rows remain.
func (r *sums) Listed(ctx context.Context, from string, most int) (rows []storage.Entity, next string, err error) {
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

// mend compares the copies of at most a hundred hosts with the host rows, and rewrites the copies that differ. A copy
// that another writer has changed since it was read is newer, so mend does not overwrite it.
func (r *sums) mend(ctx context.Context, rows []storage.Entity) (mended int, err error) {
	hosts := make([]hostRecord, len(rows))
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
		was := sumsOf(e)
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
		i, lost := conflictIndex(err)
		if !lost {
			return mended, err
		}
		ops = slices.Delete(ops, i, i+1)
	}
	return mended, nil
}

// mendOne repairs the copy for the host of a job that is already done. The worker that did the job may have died
// before it wrote the copy.
func (r *sums) mendOne(ctx context.Context, partition string) {
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
