package registry

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Batch is the work of one worker: locked items of one host, and the right to send requests to that host.
type Batch struct {
	Partition, Host string
	Reason, RunID   string
	// Items are locked until Until. Callers must pass each of them to [Jobs.Commit].
	Items []*Item
	// Starts has the earliest time at which each request may start. It has one time for each item, in the order of
	// Items, and one more time, from which any further requests may start.
	Starts []time.Time
	// Permits limits the number of requests in flight.
	Permits int
	// Until is the time at which the lock expires. Nothing may be committed after it.
	Until time.Time
	// CrawlDelay is the last Crawl-delay of the host's robots.txt.
	CrawlDelay time.Duration
	// Fingerprints are the host's soft-404 fingerprints, by scheme, as they were when the batch began. See [Soft404].
	Fingerprints map[string]string
	// Left is what remains of the host's budget. A worker that has spent this amount begins no further request. If
	// Left is zero, no requests are allowed; a host that is not available has a zero Left.
	Left policy.Budget

	// More is set by the last commit. It states that the host may have due rows that no job has claimed.
	// [Jobs.Refill] finds these rows. All other due rows are found by sweeps, through their hints.
	More bool

	owner     string
	attempt   Attempt
	counts    *JobCounts
	confirmed atomic.Int64 // when the batch held its lock for certain, in milliseconds since 1970
	host      *hostRecord  // the host row as the batch wrote it; nil after a commit
	rest      []*Item      // items of the job for which no request may start; they are not locked
	broken    map[storage.Key]bool
}

// Break records that a fault of Tidemark interrupted the work on an item. The item's next worker finds the record in
// [Item.Interrupted].
func (b *Batch) Break(it *Item) {
	if b.broken == nil {
		b.broken = map[storage.Key]bool{}
	}
	b.broken[it.Key()] = true
}

// Begin locks those items of a job that need work, if their host is available now (A20). A nil batch means that
// nothing is left to do: the items are done, another worker has them, or Begin has returned them to the due rows.
// Returning an item to the due rows does not count as an attempt.
func (r *Jobs) Begin(ctx context.Context, job Job) (*Batch, error) {
	return r.BeginIf(ctx, job, func(bool) bool { return true })
}

// BeginIf is like [Jobs.Begin], but first calls the given function to decide whether to begin. The argument of that
// function reports whether the host answered the last requests that it was sent. If the function returns false,
// nothing is changed and the batch is nil. BeginIf may call the function several times.
func (r *Jobs) BeginIf(ctx context.Context, job Job, wanted func(answers bool) bool) (*Batch, error) {
	owner := job.Attempt.owner(r.s.Options.Token())
	var batch *Batch
	var taken policy.Budget
	err := r.s.OnHost(ctx, job.PartitionKey, job.Host, func(ctx context.Context) (err error) {
		batch, err = r.begin(ctx, job, owner, &taken, wanted)
		return err
	})
	if err != nil || batch == nil || len(batch.rest) == 0 {
		return batch, err
	}
	if err := r.parkRest(ctx, batch); err != nil {
		// The batch has begun nevertheless. The remaining items are due again after [JobTTL].
		r.s.Options.Log.WarnContext(ctx, "items without a start were not given back", "host", job.Host,
			"kind", fault.KindOf(err))
	}
	return batch, nil
}

func (r *Jobs) begin(ctx context.Context, job Job, owner string, taken *policy.Budget,
	wanted func(answers bool) bool) (*Batch, error) {
	items, host, err := r.s.LoadJob(ctx, job)
	if err != nil {
		return nil, err
	}
	now := r.s.Now()
	todo := eligible(items, job, now)
	p := r.s.Options.Politeness(job.Host)
	endLeases(&host, todo, job.Attempt, now, p)
	if len(todo) == 0 && !slices.ContainsFunc(items, func(it Item) bool { return it.LockOwner != "" }) {
		r.s.AnnounceLater(ctx, &host)
		r.s.Sums.mendOne(ctx, job.PartitionKey)
	}
	if len(todo) == 0 || !wanted(host.Answers) {
		return nil, nil
	}
	if _, err := r.s.Share(ctx, &host, len(todo), p, taken); err != nil {
		return nil, err
	}
	g, until, ok := host.Policy.ReserveBatch(now, owner, len(todo), p, r.s.Options.Jitter)
	if !ok {
		return r.beginUnasked(ctx, job, owner, &host, todo, until)
	}
	b := &Batch{
		Partition: job.PartitionKey, Host: job.Host, Reason: job.Reason, RunID: job.RunID,
		Starts: append(g.Starts, g.Next), Permits: g.Permits, Left: g.Left, Until: policy.Stamp(now.Add(LockTime)),
		CrawlDelay: host.Policy.Pace.CrawlDelay, Fingerprints: host.Fingerprints, owner: owner,
		attempt: job.Attempt, counts: job.Counts,
	}
	b.rest = todo[len(g.Starts):]
	// The claims of the items end together with the lock. The hint of a claim is early enough for that.
	return b, r.lock(ctx, b, &host, todo[:len(g.Starts)], time.Time{})
}

// endLeases ends the leases of the workers that an attempt follows.
func endLeases(host *hostRecord, todo []*Item, a Attempt, now time.Time, p policy.Politeness) {
	for _, it := range todo {
		if a.follows(it.LockOwner) {
			host.Policy.Abandon(now, it.LockOwner, p)
		}
	}
}

// eligible returns the items that should be locked, without duplicates.
func eligible(items []Item, job Job, now time.Time) []*Item {
	var out []*Item
	locked, seen := 0, map[string]bool{}
	for i := range items {
		it := &items[i]
		if !it.exists() || seen[it.Hash()] || it.SourceHost != job.Host {
			continue
		}
		seen[it.Hash()] = true
		if !it.eligible(now, job.Attempt) {
			locked += one(it.lockedFor(now, job.Attempt))
			continue
		}
		it.interrupt(now)
		out = append(out, it)
	}
	if job.Counts != nil {
		job.Counts.Locked = locked
	}
	return out
}

// lock locks items and acquires the host's lease, in one transaction. The transaction also makes the claims of the
// items' due rows end together with the lock, so that a sweep finds the items if the worker dies. An item that
// another writer has locked or changed in the meantime is dropped. The hint is that of [rowStore.WriteEach].
// Errors: Conflict when the host row has changed.
func (r *Jobs) lock(ctx context.Context, b *Batch, host *hostRecord, items []*Item, hint time.Time) (err error) {
	var tags []storage.ETag
	b.Items, tags, err = r.s.WriteEach(ctx, hint, []storage.Op{host.Op()}, items, func(it *Item) []storage.Op {
		p := storage.Properties{"lockedUntil": storage.FormatTime(b.Until), "lockOwner": b.owner}
		if it.Deaths > 0 {
			p["deaths"], p["alone"], p["notBefore"] = int64(it.Deaths), false, storage.FormatTime(it.NotBefore)
		}
		return []storage.Op{it.merge(p), held(it, r.s.Now())}
	})
	for _, it := range b.Items {
		it.LockedUntil, it.LockOwner = b.Until, b.owner
	}
	if err == nil {
		b.host, host.ETag = host, tags[0]
		b.confirm(r.s.Now())
	}
	return err
}

// NoteBegun records that the check of an item of the batch has begun, so that a death of the worker counts for the item
// (see [Item.Deaths]). Nothing is recorded on an item whose lock is lost.
func (r *Jobs) NoteBegun(ctx context.Context, b *Batch, it *Item) error {
	begun := storage.Properties{"alone": true}
	tags, err := r.s.Items.Transact(ctx, it.merge(begun))
	if fault.Lost(err) {
		// The batch keeps the revision that it knows, so that the commit finds the other change.
		cur, err := r.s.LoadItem(ctx, it.Key())
		if err != nil || cur.LockOwner != b.owner {
			return err
		}
		_, err = r.s.Items.Transact(ctx, cur.merge(begun))
		return err
	}
	if err != nil {
		return err
	}
	it.written(tags[0])
	for _, own := range b.Items {
		if own.Key() == it.Key() {
			own.written(it.revision())
		}
	}
	return nil
}

// park returns claimed items to the due rows because their host is not available. The items are parked until the
// given time. If that time is zero, or if the host cannot be reached, they are parked until either a worker of that
// host or the next sweep claims them: a worker that reaches the host meanwhile goes on with them.
func (r *Jobs) park(ctx context.Context, host hostRecord, items []*Item, until time.Time) error {
	host.Policy.Pace.Unclaim(len(items), r.s.Options.Politeness(host.Host))
	now := r.s.Now()
	until = parkedUntil(now, until)
	host.Unclaimed = true
	lapsed := policy.Later(now, until)
	if host.Policy.Unreached.Waits(now) {
		until = time.Time{}
	}
	_, _, err := r.s.WriteEach(ctx, lapsed, []storage.Op{host.Op()}, items, func(it *Item) []storage.Op {
		if it.free(now) {
			return []storage.Op{setEnqueued(it, until)}
		}
		held, _ := it.claimUntil(now) // an attempt that this one follows holds the item still
		return []storage.Op{setEnqueued(it, policy.Later(until, held))}
	})
	return err
}

// parkRest parks the items of the job that got no start for a request.
func (r *Jobs) parkRest(ctx context.Context, b *Batch) error {
	return r.s.OnHost(ctx, b.Partition, b.Host, func(ctx context.Context) error {
		host, err := r.s.LoadHost(ctx, b.Partition, b.Host)
		if err != nil {
			return err
		}
		return r.park(ctx, host, b.rest, time.Time{})
	})
}

// ReserveLoss reserves one tombstone for a batch, if the mass-removal guard allows another tombstone for the host. It
// returns the host's losses without the reserved one. ReserveLoss costs two requests for each page that goes away.
func (r *Hosts) ReserveLoss(ctx context.Context, b *Batch,
	guard schedule.Config) (l schedule.Losses, taken bool, err error) {
	id := hostID{Partition: b.Partition, Host: b.Host}
	err = r.s.ChangeHost(ctx, id, func(_ context.Context, h *hostRecord) (*hostChange, error) {
		l = h.Policy.Lost(r.s.Now(), h.there())
		if taken = h.Policy.ReserveLoss(b.owner, l, guard); !taken {
			return nil, nil
		}
		return &hostChange{}, nil
	})
	return l, taken && err == nil, err
}

// certain is how long after its last write under the lock a batch certainly has the lock. An attempt that takes the
// lock over comes later: the host gives a message out again ten seconds after the call for it has failed (host.json).
const certain = 8 * time.Second

// confirm records that the batch has just written under its lock.
func (b *Batch) confirm(now time.Time) { b.confirmed.Store(now.UnixMilli()) }

// Holds returns nil if the batch still has its items. Only another attempt at the same message can take them before
// the lock ends. So Holds costs nothing for a job that came without a message, nor shortly after a commit; otherwise
// it costs one read. Errors: Conflict if another attempt has the items.
func (r *Hosts) Holds(ctx context.Context, b *Batch) error {
	now := r.s.Now()
	if b.attempt == (Attempt{}) || now.Sub(time.UnixMilli(b.confirmed.Load())) < certain {
		return nil
	}
	host, err := r.s.LoadHost(ctx, b.Partition, b.Host)
	if err != nil {
		return err
	}
	if !host.Policy.Has(b.owner) {
		return fault.New(fault.Conflict, "another attempt has taken over the items of %s", b.Host)
	}
	b.confirm(now)
	return nil
}

// A worker that dies leaves its items locked, and any of them may have killed it (S1). An outage does the same, so the
// first death says little: the items are checked again as usual, and for each the worker records that its check has
// begun. Only an item whose check has begun can be the cause of a further death.

const (
	// suspectDeaths is the number of deaths from which on an item is tried alone.
	suspectDeaths = 2
	// deadlyDeaths is the number of deaths from which on an item is deadly: it was tried alone twice, because a worker
	// may also be killed from outside.
	deadlyDeaths = 4
	// suspectPause is the pause before a suspect is tried, which may end the process again: the Functions host restarts
	// its handler only so often. A longer pause would keep pages waiting that were in work at two kills from outside.
	suspectPause = 30 * time.Second
	// alonePause is the pause after a death while the item was tried alone.
	alonePause = time.Hour
)

// Suspect reports whether the item was in work at two deaths, so that it is tried alone.
func (it *Item) Suspect() bool { return it.Deaths >= suspectDeaths }

// countDeath records on a locked item that its worker has died.
func (it *Item) countDeath(now time.Time) {
	if it.Deaths > 0 && !it.Begun {
		return
	}
	died := policy.Earlier(now, it.LockedUntil) // or before
	it.Deaths++
	switch it.Begun = false; {
	case it.Deaths == suspectDeaths:
		it.NotBefore = died.Add(suspectPause)
	case it.Deaths > suspectDeaths:
		it.NotBefore = died.Add(alonePause)
	}
}

// interrupt records on an item that is to be locked whether its last worker has finished, and whether that worker has
// died.
func (it *Item) interrupt(now time.Time) {
	it.Interrupted = it.LockOwner != ""
	if it.Interrupted && !it.LockedUntil.IsZero() { // the last worker did not release the item
		it.countDeath(now)
	}
	it.Deadly = it.Deaths >= deadlyDeaths
}
