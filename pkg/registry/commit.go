package registry

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Finding is what a worker found out about one item. It contains the item with the new values of all columns,
// including NextCrawlAt.
type Finding struct {
	Item    Item
	Purge   bool          // the item is already deleted everywhere else, and the commit deletes its rows
	News    *feed.Change  // the change of the item's content; nil if there is none
	Listed  []feed.Change // the new entries of the item's list
	Changed bool          // the finding counts as a change in the change rate
	Differs bool          // something other than the content has changed, or earlier content has returned
	Failed  bool          // the finding counts as a failure in the error rate
	Cause   string        // of a failure: its kind, as the metrics count it
	Unasked bool          // no request was sent to the site, so the finding counts in neither rate
	Untried bool          // the check was put off: what is known of the deaths of workers stays
}

// HostFinding is what a batch found out about its host.
type HostFinding struct {
	PauseUntil time.Time // end of the pause that the site asked for; zero: no pause
	PauseWhy   string
	CrawlDelay time.Duration // the Crawl-delay in robots.txt
	NextStart  time.Time     // no request starts before this time, even if an earlier start was reserved
	Asked      policy.Budget // requests and bytes since the last commit
	// Answered says that the host has received a request. Otherwise Unreached may say why it could not be reached.
	Answered  bool
	Unreached *policy.UnreachedError
}

// Commit writes findings atomically and moves the due rows of their items. It may be called several times, each time
// with other findings of the batch. The last call, with last set to true, releases the lease and unlocks the items
// that have no finding. If an item was forced or registered again in the meantime, it keeps the schedule and the
// generation that this request gave it. If the lock of an item was lost, the item is not written.
func (r *Jobs) Commit(ctx context.Context, b *Batch, done []Finding, host HostFinding, last bool) error {
	c := &commit{r: r, b: b, host: host, last: last, id: r.s.Options.Token()}
	for _, f := range done {
		f.Item.LockedUntil, f.Item.LockOwner, f.Item.Begun = time.Time{}, "", false
		switch {
		case f.Item.Deadly:
			f.Item.Deaths = deadlyDeaths - 1 // it is tried again, and one more death is enough
		case !f.Untried:
			f.Item.Deaths, f.Item.NotBefore = 0, time.Time{}
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
	if b.confirm(r.s.Now()); b.counts != nil {
		b.counts.Done += len(c.done)
	}
	c.dropPointers(ctx)
	b.Items = b.remaining(done)
	r.s.Send(ctx, b.Partition, b.Host, reasonForced, c.again())
	return nil
}

// again lists the items for which a check was requested while the batch held them. The job that was sent for such a
// request found the item locked and was dropped.
func (c *commit) again() []JobItem {
	items := c.askedRest
	for _, p := range c.done {
		if p.asked && !p.Purge {
			items = append(items, inJob(&p.Item))
		}
	}
	return items
}

// pending is a finding that is not stored yet.
type pending struct {
	Finding
	read        *Item // the item as the batch has it
	was         tally // tally of the item as read; the host row still includes it
	oldDue      time.Time
	wasGone     bool                 // the item had a tombstone already
	pointer     storage.ETag         // revision of the index row of an item to be purged; empty if there is none
	score       policy.LastModRecord // what this check adds to the score of the changes that the host reports
	noDue       bool                 // the old due row is missing: the store was damaged; writing the new row repairs it
	quarantined bool                 // the finding cannot be stored; see quarantine
	asked       bool                 // a check was requested during the work, and this check does not satisfy the request
	changes     []feed.Change
}

// lost reports whether the finding removes content that existed. Such findings count for the mass-removal guard.
func (p *pending) lost() bool {
	return !p.wasGone && !p.Item.GoneSince.IsZero() && p.Item.ContentHash != ""
}

// commit is one call of [Jobs.Commit]. Its slices shrink when other writers are quicker.
type commit struct {
	id    string // id of the commit's changes in the feed
	since int    // the feed segment that was current before the commit; 0 until prepareOutbox has succeeded
	r     *Jobs
	b     *Batch
	host  HostFinding
	last  bool
	done  []*pending
	rest  []*Item // items to be unlocked without a finding
	// askedRest are those of rest for which a check was requested meanwhile.
	askedRest []JobItem
}

func (c *commit) pendingOf(f Finding) *pending {
	for _, it := range c.b.Items {
		if it.Key() == f.Item.Key() {
			p := &pending{Finding: f, read: it, was: tallyOf(it), oldDue: it.NextCrawlAt, wasGone: !it.GoneSince.IsZero(),
				score: scoreOf(it, &f), changes: changesOf(it, &f, c.r.s.Now())}
			if p.score.Predictions() > 0 {
				p.Item.PredictedAt = time.Time{}
			}
			return p
		}
	}
	panic("registry: a finding for an item that is not in the batch")
}

// try builds the transaction from the current state and sends it. It returns nil when everything is committed or
// dropped. Errors: Conflict when the host row has changed.
func (c *commit) try(ctx context.Context) error {
	host, err := c.hostRow(ctx)
	if err != nil {
		return err
	}
	if err := c.r.s.Announce(ctx, &host); err != nil {
		return err // stop, because the transaction would overwrite the host's outbox
	}
	for {
		if err := c.prepareOutbox(ctx); err != nil {
			return err
		}
		host := host
		ops, owners := c.ops(&host)
		_, err := c.r.s.Hinted(ctx, c.b.Partition, c.hint(), ops)
		if err == nil {
			c.r.s.Sums.publish(ctx, &host)
			c.r.s.AnnounceLater(ctx, &host)
		}
		if i, never := rejectedIndex(err); never && owners[i].done != nil && !owners[i].done.quarantined {
			c.quarantine(ctx, owners[i].done, err)
			continue
		}
		i, lost := conflictIndex(err)
		if !lost || i == 0 {
			return err
		}
		if err := c.dropConflict(ctx, owners[i]); err != nil {
			return err
		}
	}
}

// hostRow returns the host row. In the first commit of a batch it returns the row that the batch wrote, if the host
// has no other work, because then the row has not changed since. In all other cases hostRow reads the row.
func (c *commit) hostRow(ctx context.Context) (hostRecord, error) {
	host := c.b.host
	c.b.host = nil
	if host != nil && !host.Unclaimed {
		return *host, nil
	}
	return c.r.s.LoadHost(ctx, c.b.Partition, c.b.Host)
}

// opOwner identifies the item that an operation belongs to.
type opOwner struct {
	done *pending
	rest *Item
	due  bool
}

// ops updates the host row. It returns the operations of the transaction and the owner of each.
func (c *commit) ops(host *hostRecord) ([]storage.Op, []opOwner) {
	now := c.r.s.Now()
	host.Counts = maps.Clone(host.Counts)          // a second call of ops needs the old counts
	ops, owners := []storage.Op{{}}, []opOwner{{}} // operation 0 writes the host row; it is filled in last
	add := func(op storage.Op, o opOwner) { ops, owners = append(ops, op), append(owners, o) }
	for _, p := range c.done {
		if p.Purge {
			host.recount(p.was, tally{})
			add(p.Item.Delete(), opOwner{done: p})
			if !p.noDue {
				add(deleteDue(p.Item.Key(), p.oldDue), opOwner{done: p, due: true})
			}
			continue
		}
		host.recount(p.was, tallyOf(&p.Item))
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
			add(deleteDue(p.Item.Key(), p.oldDue), opOwner{done: p, due: true})
		}
		add(upsertDue(&p.Item, p.Item.NextCrawlAt, time.Time{}), opOwner{done: p})
	}
	for _, it := range c.rest {
		unlocked := storage.Properties{"lockedUntil": "", "lockOwner": ""}
		if it.Deaths > 0 {
			unlocked["alone"] = false
		}
		if c.b.broken[it.Key()] {
			delete(unlocked, "lockOwner") // keep the owner: it shows the next worker the interruption
		}
		add(it.merge(unlocked), opOwner{rest: it})
		add(setEnqueued(it, parkedUntil(now, c.host.PauseUntil)), opOwner{rest: it, due: true})
	}
	c.updateHost(host, now)
	host.Outbox = c.outbox()
	ops[0] = host.Op()
	return ops, owners
}

func (c *commit) updateHost(host *hostRecord, now time.Time) {
	host.Policy.Pace.Unclaim(len(c.done)+len(c.rest), c.r.s.Options.Politeness(host.Host))
	learn(&host.hostState, now, c.b.owner, c.host)
	if asked, answered := c.answers(); asked {
		host.Answers = answered
	}
	host.Unclaimed = host.Unclaimed || len(c.rest) > 0 || slices.ContainsFunc(c.done, func(p *pending) bool {
		return !p.Purge && !p.Item.NextCrawlAt.After(now)
	})
	if c.last {
		c.b.More = host.Unclaimed || c.r.s.Options.Strategy == source.ByScheme // it has other hosts, too
		host.Policy.Release(c.b.owner, c.host.NextStart)
	}
}

// learn updates the host state with the findings of a worker that sent requests to it.
func learn(h *hostState, now time.Time, owner string, found HostFinding) {
	h.Policy.Pace.CrawlDelay = found.CrawlDelay
	h.pause(now, found.PauseUntil, found.PauseWhy)
	h.Policy.Charge(now, owner, found.Asked)
	switch u := &h.Policy.Unreached; {
	case found.Answered:
		h.recounted = h.recounted || u.Tries > 0
		*u = policy.Unreached{}
	case found.Unreached != nil && found.PauseUntil.IsZero():
		h.recounted = true
		u.Fail(now, found.Unreached.Of, words.ClipRunes(found.Unreached.Why, 300))
	}
}

// answers reports whether a check among the findings sent a request to the host, and whether the host answered any of
// these requests.
func (c *commit) answers() (asked, answered bool) {
	for _, p := range c.done {
		if !p.Purge && !p.Unasked {
			asked, answered = true, answered || !p.Failed
		}
	}
	return asked, answered
}

// hint returns the time of the hint that a commit needs: the earliest time at which one of its items is due, if that
// is within [HeldTime]. Zero means that no hint is needed: a claimed row already has a hint within that time,
// and the sweep that follows it writes the hints for rows that are due later.
func (c *commit) hint() time.Time {
	now := c.r.s.Now()
	var first time.Time
	for _, p := range c.done {
		if !p.Purge && p.Item.NextCrawlAt.Before(now.Add(HeldTime)) {
			first = policy.Earlier(first, p.Item.NextCrawlAt)
		}
	}
	if len(c.rest) > 0 {
		first = policy.Earlier(first, policy.Later(now, parkedUntil(now, c.host.PauseUntil)))
	}
	if first.IsZero() {
		return first
	}
	return policy.Later(first, now)
}

// rejectedIndex returns the index of the operation that can never be stored.
func rejectedIndex(err error) (index int, yes bool) {
	op, ok := errors.AsType[*storage.OpError](err)
	if !ok || op.Index == 0 || !fault.Refused(err) {
		return 0, false
	}
	return op.Index, true
}

// quarantine handles a finding that cannot be stored: it writes the unchanged item with status Error. Such a finding
// must not prevent the commit of the others.
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
		was.written(p.Item.revision())
		was.Rebuilt(false)
		was.SetError("what was found cannot be stored: " + why.Error())
		was.Record(c.r.s.Now(), "error", was.ErrorMessage)
		p.Item, p.Changed, p.Failed, p.quarantined, p.score = was, false, true, true, policy.LastModRecord{}
		p.changes = changesOf(it, &Finding{Item: was, Failed: true, Cause: string(fault.KindOf(why))},
			c.r.s.Now())
	}
}

// dropConflict resolves the conflict that made a transaction fail. The parameter o is the owner of the operation that
// failed.
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

// dropRest reloads an item that has changed since it was read, and that the commit wants to unlock. The batch may
// still hold the item's lock, for two reasons: an earlier write took effect although it seemed to fail, or somebody
// asked for a check of the item. The job that was sent for such a request found the item locked and was dropped.
func (c *commit) dropRest(ctx context.Context, it *Item) error {
	cur, err := c.r.s.LoadItem(ctx, it.Key())
	if err != nil {
		return err
	}
	if cur.LockOwner == c.b.owner && cur.revision() != it.revision() {
		if c.meanwhile(it, &cur).Asked(c.r.s.Now()) {
			c.askedRest = append(c.askedRest, inJob(&cur))
		}
		*it = cur
		return nil
	}
	c.rest = slices.DeleteFunc(c.rest, func(other *Item) bool { return other == it }) // the batch lost the lock
	return nil
}

// meanwhile compares an item as the batch has it with its row.
func (c *commit) meanwhile(read, cur *Item) meanwhile {
	return meanwhile{Read: read, Now: cur, Began: c.b.Until.Add(-LockTime)}
}

// rebase reloads an item that was changed during the work. If the batch still holds the lock, the changes are
// requests or settings, and rebase merges them with the finding. If the lock is lost, rebase drops the finding,
// because another worker has the item now and makes a finding of its own.
func (c *commit) rebase(ctx context.Context, p *pending) error {
	cur, err := c.r.s.LoadItem(ctx, p.Item.Key())
	if err != nil {
		return err
	}
	if !cur.exists() || cur.LockOwner != c.b.owner {
		c.done = slices.DeleteFunc(c.done, func(other *pending) bool { return other == p })
		return nil
	}
	p.oldDue, p.was = cur.NextCrawlAt, tallyOf(&cur)
	if p.Purge {
		p.repent(cur)
		return nil
	}
	now, m := c.r.s.Now(), c.meanwhile(p.read, &cur)
	p.asked = m.Asked(now)
	m.rebase(&p.Item, now)
	return resettle(ctx, c.r.tags, &p.Item, m, now)
}

// remaining returns the batch's items that are not in done.
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

// Pause pauses a host for a caller that holds no batch of that host. For example, a redirect led the caller to the
// host, and the host asked for the pause. Pause never shortens an earlier pause, and no pause is longer than
// [policy.MaxPause].
func (r *Hosts) Pause(ctx context.Context, partition, host string, until time.Time, why string) error {
	id := hostID{Partition: partition, Host: host}
	return r.s.ChangeHost(ctx, id, func(_ context.Context, h *hostRecord) (*hostChange, error) {
		h.pause(r.s.Now(), until, why)
		return &hostChange{}, nil
	})
}
