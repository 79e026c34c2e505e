package registry

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Finding is what a worker found out about one item: the item with its new columns, its
// nextCrawlAt included.
type Finding struct {
	Item    Item
	Purge   bool         // nothing is left of the item elsewhere: its rows go, too
	News    *feed.Change // of its content; nil where nothing has changed
	Changed bool         // for the change rate
	Differs bool         // something else than the content changed, or an earlier content is there again
	Failed  bool         // for the error rate
	Unasked bool         // the site was not asked, so neither rate hears of it
}

// HostFinding is what a batch found out about its host.
type HostFinding struct {
	PauseUntil time.Time // the site asked for a pause; zero: it did not
	PauseWhy   string
	CrawlDelay time.Duration // of robots.txt
	NextStart  time.Time     // no start before this, whatever was reserved
	Asked      Budget        // what it was asked for since the last commit
}

// Commit writes what a batch found, atomically, and moves each item's due row. It
// may be called several times for parts of a batch; last ends the lease and gives back the items
// that were not done. Items that somebody forced or registered again meanwhile keep that schedule
// and generation; those whose lock was lost are left alone.
func (r *Jobs) Commit(ctx context.Context, b *Batch, done []Finding, host HostFinding, last bool) error {
	c := &commit{r: r, b: b, host: host, last: last, id: r.s.Options.Token()}
	for _, f := range done {
		f.Item.LockedUntil, f.Item.LockOwner, f.Item.Alone = time.Time{}, "", false
		if !f.Item.Deadly {
			f.Item.Deaths = 0
		}
		c.done = append(c.done, c.pendingOf(f))
	}
	if last {
		c.rest = b.remaining(done)
	}
	if err := c.readPointers(ctx); err != nil {
		return err
	}
	if err := r.s.OnHost(ctx, b.Partition, b.Host, c.try); err != nil {
		return err
	}
	c.dropPointers(ctx)
	b.Items = b.remaining(done)
	r.s.Send(ctx, b.Partition, b.Host, item.ReasonForced, c.again())
	return nil
}

// again lists items that were asked for while we held them: the job that was sent for them found
// them locked and was dropped.
func (c *commit) again() []JobItem {
	var items []JobItem
	for _, p := range c.done {
		if p.asked && !p.Purge {
			items = append(items, item.InJob(&p.Item))
		}
	}
	return items
}

// pending is a finding on its way into the store.
type pending struct {
	Finding
	read        *Item       // as the batch has it
	was         store.Tally // as counted
	oldDue      time.Time
	wasGone     bool          // it had its tombstone before
	pointer     storage.ETag  // of the row that leads to an item to be purged; empty if there is none
	score       LastModRecord // what it says of the host's word for changes
	noDue       bool          // the old due row is not there, which only damage explains: repaired by writing the new one
	quarantined bool          // see quarantine
	asked       bool          // while we worked, for a check that ours does not answer
	changes     []feed.Change
}

// lost reports whether the finding takes something away that was there, which the mass-removal guard counts.
func (p *pending) lost() bool {
	return !p.wasGone && !p.Item.GoneSince.IsZero() && p.Item.ContentHash != ""
}

// commit is one call of Commit. Its slices shrink as races are lost.
type commit struct {
	id    string // of its changes in the feed
	since int    // the segment of the feed that was written to before they were committed
	r     *Jobs
	b     *Batch
	host  HostFinding
	last  bool
	done  []*pending
	rest  []*Item // to be unlocked, undone
}

func (c *commit) pendingOf(f Finding) *pending {
	for _, it := range c.b.Items {
		if it.Key() == f.Item.Key() {
			p := &pending{Finding: f, read: it, was: store.TallyOf(it), oldDue: it.NextCrawlAt, wasGone: !it.GoneSince.IsZero(),
				score: scoreOf(it, &f), changes: changesOf(it, &f, c.r.s.Now())}
			if p.score.Predictions() > 0 {
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
	host, err := c.hostRow(ctx)
	if err != nil {
		return err
	}
	if err := c.r.s.Announce(ctx, &host); err != nil {
		return err // its outbox is about to be written over
	}
	for {
		if slices.ContainsFunc(c.done, func(p *pending) bool { return len(p.changes) > 0 }) && c.since == 0 {
			if c.since, err = c.r.s.Feed.Segment(ctx); err != nil {
				return err
			}
		}
		host := host
		ops, owners := c.ops(&host)
		_, err := c.r.s.Hinted(ctx, c.b.Partition, c.hint(), ops)
		if err == nil {
			c.r.s.Sums.Publish(ctx, &host)
			c.r.s.AnnounceLater(ctx, &host)
		}
		if i, never := rejectedIndex(err); never && owners[i].done != nil && !owners[i].done.quarantined {
			c.quarantine(ctx, owners[i].done, err)
			continue
		}
		i, lost := store.ConflictIndex(err)
		if !lost || i == 0 {
			return err
		}
		if err := c.dropConflict(ctx, owners[i]); err != nil {
			return err
		}
	}
}

// hostRow is the host's row as the batch has written it, if this is its first commit and the host has nothing
// else to do, for then nobody has changed it since; else it is read.
func (c *commit) hostRow(ctx context.Context) (store.Host, error) {
	host := c.b.host
	c.b.host = nil
	if host != nil && !host.Unclaimed {
		return *host, nil
	}
	return c.r.s.LoadHost(ctx, c.b.Partition, c.b.Host)
}

// opOwner tells which item an operation belongs to.
type opOwner struct {
	done *pending
	rest *Item
	due  bool
}

// ops changes the host's row, and says what is written.
func (c *commit) ops(host *store.Host) ([]storage.Op, []opOwner) {
	now := c.r.s.Now()
	host.Counts = maps.Clone(host.Counts)          // this may be called again with the same host
	ops, owners := []storage.Op{{}}, []opOwner{{}} // the host's row comes first, once it is known
	add := func(op storage.Op, o opOwner) { ops, owners = append(ops, op), append(owners, o) }
	for _, p := range c.done {
		if p.Purge {
			host.Recount(p.was, store.Tally{})
			add(p.Item.Delete(), opOwner{done: p})
			if !p.noDue {
				add(item.DeleteDue(p.Item.Key(), p.oldDue), opOwner{done: p, due: true})
			}
			continue
		}
		host.Recount(p.was, store.TallyOf(&p.Item))
		if !p.Unasked {
			host.Rates.Add(p.Changed, p.Failed)
			host.Policy.Count(now, p.Changed, p.Failed)
		}
		host.LastMod.Add(p.score)
		if p.lost() {
			host.Policy.CountLoss(now, c.b.owner)
		}
		add(p.Item.Replace(), opOwner{done: p})
		if p.Item.NextCrawlAt.Equal(p.oldDue) {
			continue
		}
		if !p.noDue {
			add(item.DeleteDue(p.Item.Key(), p.oldDue), opOwner{done: p, due: true})
		}
		add(item.UpsertDue(&p.Item, p.Item.NextCrawlAt, time.Time{}), opOwner{done: p})
	}
	for _, it := range c.rest {
		unlocked := storage.Properties{"lockedUntil": "", "lockOwner": ""}
		if it.Deaths > 0 {
			unlocked["alone"] = false
		}
		if c.b.broken[it.Key()] {
			delete(unlocked, "lockOwner") // by which the next worker knows
		}
		add(it.Merge(unlocked), opOwner{rest: it})
		add(item.SetEnqueued(it, item.ParkedUntil(now, c.host.PauseUntil)), opOwner{rest: it, due: true})
	}
	c.updateHost(host, now)
	host.Outbox = c.outbox()
	ops[0] = host.Op()
	return ops, owners
}

func (c *commit) updateHost(host *store.Host, now time.Time) {
	host.Policy.Pace.Unclaim(len(c.done)+len(c.rest), c.r.s.Options.Politeness(host.Host))
	learn(&host.HostState, now, c.b.owner, c.host)
	if asked, answered := c.answers(); asked {
		host.Answers = answered
	}
	host.Unclaimed = host.Unclaimed || len(c.rest) > 0 || slices.ContainsFunc(c.done, func(p *pending) bool {
		return !p.Purge && !p.Item.NextCrawlAt.After(now)
	})
	if c.last {
		c.b.More = host.Unclaimed || c.r.s.Options.Strategy == source.ByScheme // whose partition has other hosts
		host.Policy.Release(c.b.owner, c.host.NextStart)
	}
}

// learn takes over what somebody who asked the host has found out about it.
func learn(h *store.HostState, now time.Time, owner string, found HostFinding) {
	h.Policy.Pace.CrawlDelay = found.CrawlDelay
	h.Pause(now, found.PauseUntil, found.PauseWhy)
	h.Policy.Charge(now, owner, found.Asked)
}

// answers reports whether the host was asked for any of what is done, and whether it answered any.
func (c *commit) answers() (asked, answered bool) {
	for _, p := range c.done {
		if !p.Purge && !p.Unasked {
			asked, answered = true, answered || !p.Failed
		}
	}
	return asked, answered
}

// hint is needed for what comes due before the job's claim would have ended; zero for none. A claim has a hint, and
// what comes due later than that has its own from the sweep that follows it.
func (c *commit) hint() time.Time {
	now := c.r.s.Now()
	var first time.Time
	for _, p := range c.done {
		if !p.Purge && p.Item.NextCrawlAt.Before(now.Add(item.JobTTL)) {
			first = policy.Earlier(first, p.Item.NextCrawlAt)
		}
	}
	if len(c.rest) > 0 {
		first = policy.Earlier(first, policy.Later(now, item.ParkedUntil(now, c.host.PauseUntil)))
	}
	if first.IsZero() {
		return first
	}
	return policy.Later(first, now)
}

// rejectedIndex tells which operation of a transaction can never be stored.
func rejectedIndex(err error) (index int, yes bool) {
	op, ok := errors.AsType[*storage.OpError](err)
	if !ok || op.Index == 0 || !fault.Refused(err) {
		return 0, false
	}
	return op.Index, true
}

// quarantine replaces a finding that cannot be stored by the item as it was, in Error: it must not take
// the findings of its neighbours with it.
func (c *commit) quarantine(ctx context.Context, p *pending, why error) {
	c.r.s.Options.Log.ErrorContext(ctx, "a finding cannot be stored", "id", p.Item.ID, "err", why)
	for _, it := range c.b.Items {
		if it.Key() != p.Item.Key() {
			continue
		}
		was := *it
		was.Status, was.NextCrawlAt, was.LastChecked = Error, p.Item.NextCrawlAt, p.Item.LastChecked
		was.CrawlAttempts++
		was.LockedUntil, was.LockOwner = time.Time{}, ""
		was.Written(p.Item.Revision())
		was.Rebuilt(false)
		was.SetError("what was found cannot be stored: " + why.Error())
		was.Record(c.r.s.Now(), "error", was.ErrorMessage)
		p.Item, p.Changed, p.Failed, p.quarantined, p.score = was, false, true, true, LastModRecord{}
		p.changes = changesOf(it, &Finding{Item: was, Failed: true}, c.r.s.Now())
	}
}

// dropConflict handles the operation that made a transaction fail.
func (c *commit) dropConflict(ctx context.Context, o opOwner) error {
	switch {
	case o.rest != nil:
		return c.dropRest(ctx, o.rest)
	case o.due:
		c.r.s.Options.Log.WarnContext(ctx, "due row was missing", "id", o.done.Item.ID)
		o.done.noDue = true
		return nil
	default:
		return c.rebase(ctx, o.done)
	}
}

// dropRest reads an item that is to be given back, and was changed. The lock may still be ours: a write of ours
// took effect though it seemed to fail, or somebody has forced the item.
func (c *commit) dropRest(ctx context.Context, it *Item) error {
	cur, err := c.r.s.LoadItem(ctx, it.Key())
	if err != nil {
		return err
	}
	if cur.LockOwner == c.b.owner && cur.Revision() != it.Revision() && cur.NextCrawlAt.Equal(it.NextCrawlAt) {
		it.Written(cur.Revision())
		return nil
	}
	c.rest = slices.DeleteFunc(c.rest, func(other *Item) bool { return other == it }) // no longer ours to give back
	return nil
}

// rebase reads what happened to an item while it was worked on. If the lock is still the batch's own, others have asked
// something of the item or set something, which is joined with the findings. If the lock is lost, the findings are
// dropped: the worker that has the item now makes its own.
func (c *commit) rebase(ctx context.Context, p *pending) error {
	cur, err := c.r.s.LoadItem(ctx, p.Item.Key())
	if err != nil {
		return err
	}
	if !cur.Exists() || cur.LockOwner != c.b.owner {
		c.done = slices.DeleteFunc(c.done, func(other *pending) bool { return other == p })
		return nil
	}
	p.oldDue, p.was = cur.NextCrawlAt, store.TallyOf(&cur)
	if p.Purge {
		p.repent(cur)
		return nil
	}
	now, m := c.r.s.Now(), item.Meanwhile{Read: p.read, Now: &cur, Began: c.b.Until.Add(-item.LockTime)}
	p.asked = m.Asked(now)
	m.Rebase(&p.Item, now)
	return resettle(ctx, c.r.tags, &p.Item, m, now)
}

// remaining are the batch's items without those that are done.
func (b *Batch) remaining(done []Finding) []*Item {
	is := map[storage.Key]bool{}
	for _, f := range done {
		is[f.Item.Key()] = true
	}
	var out []*Item
	for _, it := range b.Items {
		if !is[it.Key()] {
			out = append(out, it)
		}
	}
	return out
}

// Pause keeps everybody away from a host that no batch holds, because it asked for that behind a
// redirect. It is never shorter than an earlier pause, nor longer than [MaxPause].
func (r *Hosts) Pause(ctx context.Context, partition, host string, until time.Time, why string) error {
	id := store.HostID{Partition: partition, Host: host}
	return r.s.ChangeHost(ctx, id, func(_ context.Context, h *store.Host) (*store.Change, error) {
		h.Pause(r.s.Now(), until, why)
		return &store.Change{}, nil
	})
}
