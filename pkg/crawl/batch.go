package crawl

import (
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	// commitMargin is kept free at the end of a lock for the last commit.
	commitMargin = 15 * time.Second
	// lastStart is kept free before that for the last request.
	lastStart = 30 * time.Second
)

// batch says which item of a job comes next and when to commit. It does no I/O, and its caller
// sees to it that it is used by one at a time.
type batch struct {
	lease      *registry.Batch
	todo       []*registry.Item
	checked    []verdict.Checked // to enter the index and become findings
	unindexed  int               // bytes of text that wait for that
	host       registry.HostFinding
	reported   registry.Budget // what of it the registry knows already
	spent      bool            // the host can bear no other request while the lock holds
	failed     error           // our own fault: stop, and let the job come again
	lastCommit time.Time
}

func newBatch(lease *registry.Batch, now time.Time) batch {
	return batch{
		lease: lease, todo: slices.Clone(lease.Items), lastCommit: now,
		host: registry.HostFinding{CrawlDelay: lease.CrawlDelay},
	}
}

// may reports whether an item may be begun. While the host has asked for a pause, or its budget is used
// up, only items that need no request may. An item that may not be begun now may not be begun later either.
func (b *batch) may(it *registry.Item, now time.Time, asked registry.Budget) bool {
	if b.failed != nil || b.spent || !b.lease.Until.After(now.Add(commitMargin+lastStart)) {
		return false
	}
	spent := asked.Requests >= b.lease.Left.Requests || asked.Bytes >= b.lease.Left.Bytes
	paused := spent || !b.host.PauseUntil.IsZero()
	return !paused || it.AsksNobody()
}

// next takes the next item; nil when no other may be begun. A caller that waits before it begins the item
// has to ask again whether it may.
func (b *batch) next(now time.Time, asked registry.Budget) *registry.Item {
	i := slices.IndexFunc(b.todo, func(it *registry.Item) bool { return b.may(it, now, asked) })
	if i < 0 {
		return nil
	}
	it := b.todo[i]
	b.todo = slices.Delete(b.todo, i, i+1)
	return it
}

// giveBack takes an item back that was not begun.
func (b *batch) giveBack(it *registry.Item) { b.todo = slices.Insert(b.todo, 0, it) }

// startsTooLate reports whether a request that starts then could outlive the lock.
func (b *batch) startsTooLate(start time.Time) bool {
	return start.After(b.lease.Until.Add(-commitMargin - lastStart))
}

// deadline is when the work on items ends.
func (b *batch) deadline() time.Time { return b.lease.Until.Add(-commitMargin) }

// add takes an item that was checked, and reports whether to commit now.
func (b *batch) add(c verdict.Checked, now time.Time, every time.Duration) (commit bool) {
	b.checked = append(b.checked, c)
	b.unindexed += c.Placement.Size()
	return suspected(&c.Item) || now.Sub(b.lastCommit) >= every
}

// fail takes note that the work on an item was cut off by a fault of our own.
func (b *batch) fail(it *registry.Item, err error) {
	b.lease.Break(it)
	b.failed = errors.Join(b.failed, err)
}

// take gives what was checked since the last call.
func (b *batch) take() (out []verdict.Checked, unindexed int) {
	out, unindexed = b.checked, b.unindexed
	b.checked, b.unindexed = nil, 0
	return out, unindexed
}

// report is what a commit tells the registry of the host. On the last commit, free is the earliest
// start that is left to others.
func (b *batch) report(asked registry.Budget, free time.Time) registry.HostFinding {
	b.host.NextStart = free
	b.host.Asked.Requests = asked.Requests - b.reported.Requests
	b.host.Asked.Bytes = asked.Bytes - b.reported.Bytes
	return b.host
}

// committed takes note of a commit.
func (b *batch) committed(now time.Time, asked registry.Budget) {
	b.lastCommit, b.reported = now, asked
}
