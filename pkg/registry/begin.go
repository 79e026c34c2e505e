package registry

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Batch is what a worker holds: locked items of one host and the right to send its requests.
type Batch struct {
	Partition, Host string
	Reason, RunID   string
	// Items are locked until Until. Every one of them must come back in a [Commit].
	Items []*Item
	// Starts are the earliest starts of requests, one per item, in order, and last the time from
	// which on others may start.
	Starts []time.Time
	// Permits is how many requests may be in flight.
	Permits int
	// Until is when the lock runs out: nothing may be committed after it.
	Until time.Time
	// CrawlDelay is what robots.txt last asked for.
	CrawlDelay time.Duration
	// Absent are the marks of what the host showed for pages that do not exist, by scheme, when the
	// batch began: see [Absent].
	Absent map[string]string
	// Left is what the host may be asked for: who has reached it begins no other request of an item.
	// Zero, as for a host that is not to be had, is nothing at all.
	Left Budget

	owner  string
	rest   []*Item // of the job, without a start: not locked
	broken map[storage.Key]bool
}

// Break says that the work on an item was cut off in the middle, by a fault of our own. Whoever has
// it next is told ([Item.Interrupted]).
func (b *Batch) Break(it *Item) {
	if b.broken == nil {
		b.broken = map[storage.Key]bool{}
	}
	b.broken[it.key] = true
}

// Begin takes the items of a job that need work and locks them, if their host can be had now
// (A20, DESIGN §2.4). A nil batch means that nothing is left to do: the items are done, in other
// hands, or back in the due rows. A deferral is not an attempt.
func (r *Registry) Begin(ctx context.Context, job Job) (*Batch, error) {
	owner := r.o.Token()
	var batch *Batch
	var taken Budget
	err := r.onHost(ctx, job.PartitionKey, job.Host, func(ctx context.Context) (err error) {
		batch, err = r.begin(ctx, job, owner, &taken)
		return err
	})
	if err != nil || batch == nil || len(batch.rest) == 0 {
		return batch, err
	}
	if err := r.parkRest(ctx, batch); err != nil {
		// The batch is held all the same; the rest comes again when its job is no longer trusted.
		r.o.Log.WarnContext(ctx, "items without a start were not given back", "host", job.Host, "kind", fault.KindOf(err))
	}
	return batch, nil
}

func (r *Registry) begin(ctx context.Context, job Job, owner string, taken *Budget) (*Batch, error) {
	items, host, err := r.load(ctx, job)
	if err != nil {
		return nil, err
	}
	now := r.now()
	todo := eligible(items, job.Host, now)
	if len(todo) == 0 {
		return nil, nil
	}
	p := r.o.Politeness(job.Host)
	if _, err := r.share(ctx, &host, len(todo), p, taken); err != nil {
		return nil, err
	}
	g, until, ok := host.reserveBatch(now, owner, len(todo), p, r.o.Jitter)
	if !ok {
		return r.beginUnasked(ctx, job, owner, &host, todo, until)
	}
	b := &Batch{
		Partition: job.PartitionKey, Host: job.Host, Reason: job.Reason, RunID: job.RunID,
		Starts: append(g.starts, host.NextSlotAt), Permits: g.permits, Until: stamp(now.Add(lockTime)),
		CrawlDelay: time.Duration(host.CrawlDelayMS) * time.Millisecond,
		Absent:     host.Absent, Left: host.allow(len(g.starts), g.permits, p), owner: owner,
	}
	b.rest = todo[len(g.starts):]
	return b, r.lock(ctx, b, &host, todo[:len(g.starts)])
}

// eligible picks the items worth locking, each once.
func eligible(items []Item, host string, now time.Time) []*Item {
	var out []*Item
	seen := map[string]bool{}
	for i := range items {
		it := &items[i]
		if it.etag == "" || seen[it.key.Row] || it.SourceHost != host || !it.eligible(now) {
			continue
		}
		seen[it.key.Row] = true
		it.Interrupted = it.LockOwner != ""
		out = append(out, it)
	}
	return out
}

// lock takes items and the host's lease in one transaction. An item that somebody else took or
// changed meanwhile is left to the winner; a host that changed is a Conflict.
func (r *Registry) lock(ctx context.Context, b *Batch, host *hostEntry, items []*Item) error {
	for {
		ops := []storage.Op{host.op()}
		for _, it := range items {
			ops = append(ops, storage.Op{Kind: storage.Merge, Entity: storage.Entity{
				Key: it.key, ETag: it.etag,
				Props: storage.Properties{"lockedUntil": storage.FormatTime(b.Until), "lockOwner": b.owner},
			}})
		}
		tags, err := r.items.Transact(ctx, ops...)
		if err == nil {
			for i, it := range items {
				it.etag, it.LockedUntil, it.LockOwner = tags[i+1], b.Until, b.owner
			}
			b.Items = items
			return nil
		}
		i, lost := loser(err)
		if !lost || i == 0 {
			return err
		}
		items = slices.Concat(items[:i-1], items[i:])
	}
}

// loser tells which operation of a transaction lost a race.
func loser(err error) (index int, lost bool) {
	op, ok := errors.AsType[*storage.OpError](err)
	if !ok || !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
		return 0, false
	}
	return op.Index, true
}

// park gives claimed items back to the due rows because their host is not to be had: until a
// time, or (zero) until somebody who works there, or the next sweep, takes them.
func (r *Registry) park(ctx context.Context, host hostEntry, items []*Item, until time.Time) error {
	host.unclaim(len(items), r.o.Politeness(host.Host))
	now := r.now()
	until = parkedUntil(now, until)
	attention := laterOf(now, until)
	for {
		ops := []storage.Op{host.op()}
		for _, it := range items {
			ops = append(ops, setEnqueued(it, until))
		}
		_, err := r.hinted(ctx, host.key.Partition, []time.Time{attention}, ops)
		i, lost := loser(err)
		if !lost || i == 0 {
			return err
		}
		items = slices.Concat(items[:i-1], items[i:]) // moved meanwhile
	}
}

// parkedUntil is until when due rows are left alone for a host that cannot be had until a time.
// It is never later than a sent job would be trusted: so whatever moves a due row, the partition
// has a hint before the row's new place (invariant 2).
func parkedUntil(now, until time.Time) time.Time {
	if limit := now.Add(trust); until.After(limit) {
		return limit
	}
	return until
}

// parkRest parks what a batch had no starts for.
func (r *Registry) parkRest(ctx context.Context, b *Batch) error {
	return r.onHost(ctx, b.Partition, b.Host, func(ctx context.Context) error {
		host, err := r.loadHost(ctx, b.Partition, b.Host)
		if err != nil {
			return err
		}
		return r.park(ctx, host, b.rest, time.Time{})
	})
}

// setEnqueued rewrites until when an item's due row is in other hands. The row may be written
// blindly: the column is advice to sweeps, and a row that moved is not there any more.
func setEnqueued(it *Item, until time.Time) storage.Op {
	return claimDueRow(dueKey(it), storage.AnyETag, until)
}
