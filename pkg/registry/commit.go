package registry

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Finding is what a worker found out about one item: the item with its new columns, its
// nextCrawlAt included.
type Finding struct {
	Item    Item
	Purge   bool // nothing is left of the item elsewhere: its rows go, too
	Changed bool // for the change rate
	Failed  bool // for the error rate
	Unasked bool // the site was not asked, so neither rate hears of it
}

// HostFinding is what a batch found out about its host.
type HostFinding struct {
	PauseUntil time.Time // the site asked for a pause; zero: it did not
	PauseWhy   string
	CrawlDelay time.Duration // of robots.txt
	NextStart  time.Time     // no start before this, whatever was reserved
	Asked      Budget        // what it was asked for since the last commit
}

// Commit writes what a batch found, atomically, and moves each item's due row (DESIGN §2.4). It
// may be called several times for parts of a batch; last ends the lease and gives back the items
// that were not done. Items that somebody forced or registered again meanwhile keep that schedule
// and generation; those whose lock was lost are left alone.
func (r *Registry) Commit(ctx context.Context, b *Batch, done []Finding, host HostFinding, last bool) error {
	c := &commit{r: r, b: b, host: host, last: last}
	for _, f := range done {
		f.Item.LockedUntil, f.Item.LockOwner = time.Time{}, ""
		c.done = append(c.done, c.pendingOf(f))
	}
	if last {
		c.rest = b.remaining(done)
	}
	if err := c.readPointers(ctx); err != nil {
		return err
	}
	if err := r.onHost(ctx, b.Partition, b.Host, c.try); err != nil {
		return err
	}
	c.dropPointers(ctx)
	b.Items = b.remaining(done)
	r.send(ctx, b.Partition, b.Host, ReasonForced, c.again())
	return nil
}

// again lists items that were asked for while we held them: the job that was sent for them found
// them locked and was dropped.
func (c *commit) again() []JobItem {
	var items []JobItem
	for _, p := range c.done {
		if p.rebased && !p.Purge {
			items = append(items, p.Item.job())
		}
	}
	return items
}

// pending is a finding on its way into the store.
type pending struct {
	Finding
	was     standing // as counted
	oldDue  time.Time
	wasGone bool          // it had its tombstone before
	pointer storage.ETag  // of the row that leads to an item to be purged; empty if there is none
	score   LastModRecord // what it says of the host's word for changes
	run     string        // the rebuild that had asked for it when the batch began
	noDue   bool          // the old due row is not there, which only damage explains: repaired by writing the new one
	spoiled bool          // see spoil
	rebased bool          // somebody changed the item while we worked; their schedule stands
}

// lost reports whether the finding takes something away that was there, which the brake counts.
func (p *pending) lost() bool {
	return !p.wasGone && !p.Item.GoneSince.IsZero() && p.Item.ContentHash != ""
}

// commit is one call of Commit. Its slices shrink as races are lost.
type commit struct {
	r    *Registry
	b    *Batch
	host HostFinding
	last bool
	done []*pending
	rest []*Item // to be unlocked, undone
}

func (c *commit) pendingOf(f Finding) *pending {
	for _, it := range c.b.Items {
		if it.key == f.Item.key {
			p := &pending{Finding: f, was: it.standing(), oldDue: it.NextCrawlAt, wasGone: !it.GoneSince.IsZero(), run: it.RebuildRun, score: scoreOf(it, &f)}
			if p.score.Right+p.score.Wrong > 0 {
				p.Item.PredictedAt = time.Time{}
			}
			return p
		}
	}
	panic("registry: a finding for an item that is not in the batch")
}

// try builds the transaction from what stands now and sends it. It returns nil once everything is
// committed or lost, and Conflict when the host's row has changed.
func (c *commit) try(ctx context.Context) error {
	host, err := c.r.loadHost(ctx, c.b.Partition, c.b.Host)
	if err != nil {
		return err
	}
	for {
		ops, owners := c.ops(host)
		_, err := c.r.hinted(ctx, c.b.Partition, c.hints(), ops)
		if i, never := refused(err); never && owners[i].done != nil && !owners[i].done.spoiled {
			c.spoil(ctx, owners[i].done, err)
			continue
		}
		i, lost := loser(err)
		if !lost || i == 0 {
			return err
		}
		if err := c.lose(ctx, owners[i]); err != nil {
			return err
		}
	}
}

// opOwner tells which item an operation belongs to.
type opOwner struct {
	done *pending
	rest *Item
	due  bool
}

func (c *commit) ops(host hostEntry) ([]storage.Op, []opOwner) {
	now := c.r.now()
	host.Counts = maps.Clone(host.Counts)          // this may be called again with the same host
	ops, owners := []storage.Op{{}}, []opOwner{{}} // the host's row comes first, once it is known
	add := func(op storage.Op, o opOwner) { ops, owners = append(ops, op), append(owners, o) }
	for _, p := range c.done {
		if p.Purge {
			host.recount(p.was, standing{})
			add(storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: p.Item.key, ETag: p.Item.etag}}, opOwner{done: p})
			if !p.noDue {
				add(deleteDue(p.Item.key, p.oldDue), opOwner{done: p, due: true})
			}
			continue
		}
		host.recount(p.was, p.Item.standing())
		if !p.Unasked {
			host.observe(p.Changed, p.Failed)
		}
		host.LastMod.add(p.score)
		if p.lost() {
			host.lose(now, c.b.owner)
		}
		add(storage.Op{Kind: storage.Replace, Entity: p.Item.entity()}, opOwner{done: p})
		if p.Item.NextCrawlAt.Equal(p.oldDue) {
			continue
		}
		if !p.noDue {
			add(deleteDue(p.Item.key, p.oldDue), opOwner{done: p, due: true})
		}
		add(upsertDue(&p.Item, p.Item.NextCrawlAt, time.Time{}), opOwner{done: p})
	}
	for _, it := range c.rest {
		unlocked := storage.Properties{"lockedUntil": "", "lockOwner": ""}
		if c.b.broken[it.key] {
			delete(unlocked, "lockOwner") // by which the next worker knows
		}
		add(storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: it.key, ETag: it.etag, Props: unlocked}}, opOwner{rest: it})
		add(setEnqueued(it, parkedUntil(now, c.host.PauseUntil)), opOwner{rest: it, due: true})
	}
	c.updateHost(&host, now)
	ops[0] = host.op()
	return ops, owners
}

func (c *commit) updateHost(host *hostEntry, now time.Time) {
	host.unclaim(len(c.done)+len(c.rest), c.r.o.Politeness(host.Host))
	host.CrawlDelayMS = c.host.CrawlDelay.Milliseconds()
	if c.host.PauseUntil.After(now) {
		host.pause(now, c.host.PauseUntil, c.host.PauseWhy)
	} else if len(c.done) > 0 && !host.PausedUntil.After(now) {
		host.PausedUntil, host.PauseReason = time.Time{}, ""
	}
	host.charge(now, c.b.owner, c.host.Asked)
	if c.last {
		host.release(c.b.owner, c.host.NextStart)
	}
}

// hints are needed for what comes due before the hint that was left when the job was claimed.
func (c *commit) hints() []time.Time {
	now := c.r.now()
	var first time.Time
	for _, p := range c.done {
		if !p.Purge && p.Item.NextCrawlAt.Before(now.Add(trust)) {
			first = earlier(first, p.Item.NextCrawlAt)
		}
	}
	if len(c.rest) > 0 {
		first = earlier(first, laterOf(now, parkedUntil(now, c.host.PauseUntil)))
	}
	if first.IsZero() {
		return nil
	}
	return []time.Time{laterOf(first, now)}
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// refused tells which operation of a transaction can never be stored.
func refused(err error) (index int, yes bool) {
	op, ok := errors.AsType[*storage.OpError](err)
	if !ok || op.Index == 0 || !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
		return 0, false
	}
	return op.Index, true
}

// spoil replaces a finding that cannot be stored by the item as it was, in Error: it must not take
// the findings of its neighbours with it.
func (c *commit) spoil(ctx context.Context, p *pending, why error) {
	c.r.o.Log.ErrorContext(ctx, "a finding cannot be stored", "id", p.Item.ID, "err", why)
	for _, it := range c.b.Items {
		if it.key != p.Item.key {
			continue
		}
		was := *it
		was.Status, was.NextCrawlAt, was.LastChecked = Error, p.Item.NextCrawlAt, p.Item.LastChecked
		was.CrawlAttempts++
		was.etag, was.LockedUntil, was.LockOwner = p.Item.etag, time.Time{}, ""
		was.Rebuilt(false)
		was.SetError("what was found cannot be stored: " + why.Error())
		was.Record(c.r.now(), "error", was.ErrorMessage)
		p.Item, p.Changed, p.Failed, p.spoiled, p.score = was, false, true, true, LastModRecord{}
	}
}

// lose handles the operation that made a transaction fail.
func (c *commit) lose(ctx context.Context, o opOwner) error {
	switch {
	case o.rest != nil:
		c.rest = without(c.rest, o.rest) // changed or lost: no longer ours to give back
		return nil
	case o.due:
		c.r.o.Log.WarnContext(ctx, "due row was missing", "id", o.done.Item.ID)
		o.done.noDue = true
		return nil
	default:
		return c.rebase(ctx, o.done)
	}
}

// rebase looks at what happened to an item while it was worked on. Lock still ours: somebody
// forced or registered it, so their schedule and generation stand beside our findings. Lock lost:
// the findings are dropped, whoever has the item now will make their own.
func (c *commit) rebase(ctx context.Context, p *pending) error {
	cur, err := c.r.loadItem(ctx, p.Item.key)
	if err != nil {
		return err
	}
	if cur.etag == "" || cur.LockOwner != c.b.owner {
		c.done = without(c.done, p)
		return nil
	}
	p.oldDue, p.was, p.rebased = cur.NextCrawlAt, cur.standing(), true
	if p.Purge {
		p.repent(cur)
		return nil
	}
	mine := &p.Item
	mine.etag = cur.etag
	mine.RemoveRequested = cur.RemoveRequested
	mine.DisplaySource, mine.Credential = cur.DisplaySource, cur.Credential
	mine.ReindexGeneration = cur.ReindexGeneration
	mine.ReindexRequested = cur.ReindexGeneration > mine.ProcessedGeneration
	if cur.RebuildRun != p.run { // asked for meanwhile, and what we did may have been too early
		mine.RebuildRun, mine.RebuildPending = cur.RebuildRun, cur.RebuildPending
		mine.IndexPending, mine.ResumeAt = cur.IndexPending, mine.NextCrawlAt
	} else {
		mine.IndexPending = false
	}
	mine.NextCrawlAt = cur.NextCrawlAt
	if !mine.GoneSince.IsZero() {
		mine.GoneSince = laterOf(mine.GoneSince, cur.GoneSince)
	}
	mine.History = mergeHistory(mine.History, cur.History)
	return nil
}

// mergeHistory adds to ours the decisions of theirs that are newer than what we had read.
func mergeHistory(ours, theirs []Decision) []Decision {
	seen := map[Decision]bool{}
	for _, d := range ours {
		seen[d] = true
	}
	for _, d := range theirs {
		if !seen[d] {
			ours = append(ours, d)
		}
	}
	slices.SortStableFunc(ours, func(a, b Decision) int { return a.At.Compare(b.At) })
	return ours[max(0, len(ours)-maxHistory):]
}

func without[T comparable](list []T, x T) []T {
	var out []T
	for _, v := range list {
		if v != x {
			out = append(out, v)
		}
	}
	return out
}

// remaining are the batch's items without those that are done.
func (b *Batch) remaining(done []Finding) []*Item {
	is := map[storage.Key]bool{}
	for _, f := range done {
		is[f.Item.key] = true
	}
	var out []*Item
	for _, it := range b.Items {
		if !is[it.key] {
			out = append(out, it)
		}
	}
	return out
}

// Fail records on the items of a job that nobody could process it (A19: the poison queue). Items
// that were processed after all, or that somebody holds, are left alone.
func (r *Registry) Fail(ctx context.Context, job Job, decide func(it *Item, now time.Time)) error {
	return r.onHost(ctx, job.PartitionKey, job.Host, func(ctx context.Context) error {
		items, host, err := r.load(ctx, job)
		if err != nil {
			return err
		}
		now := r.now()
		ops := []storage.Op{{}}
		var first time.Time
		for _, it := range eligible(items, job.Host, now) {
			was, oldDue := it.standing(), it.NextCrawlAt
			decide(it, now)
			it.Rebuilt(false)
			it.IndexPending = false // the snapshot may be what cannot be processed
			host.recount(was, it.standing())
			host.observe(false, true)
			ops = append(ops, storage.Op{Kind: storage.Replace, Entity: it.entity()})
			if !it.NextCrawlAt.Equal(oldDue) {
				ops = append(ops, deleteDue(it.key, oldDue), upsertDue(it, it.NextCrawlAt, time.Time{}))
			}
			first = earlier(first, it.NextCrawlAt)
		}
		if len(ops) == 1 {
			return nil
		}
		ops[0] = host.op()
		_, err = r.hinted(ctx, job.PartitionKey, []time.Time{first}, ops)
		return asConflict(err)
	})
}

// Pause keeps everybody away from a host that no batch holds, because it asked for that behind a
// redirect. It is never shorter than an earlier pause, nor longer than [MaxPause].
func (r *Registry) Pause(ctx context.Context, partition, host string, until time.Time, why string) error {
	return r.onHost(ctx, partition, host, func(ctx context.Context) error {
		h, err := r.loadHost(ctx, partition, host)
		if err != nil {
			return err
		}
		if err := r.pointPartition(ctx, h); err != nil {
			return err
		}
		h.pause(r.now(), until, why)
		_, err = r.items.Transact(ctx, h.op())
		return err
	})
}
