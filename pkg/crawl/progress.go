package crawl

import (
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// progress decides which item of a job is next and when to commit. It does no I/O. Callers must make sure that only
// one goroutine uses it at a time.
type progress struct {
	lease      *politeness.Lease
	todo       []*registry.Item
	checked    []verdict.Checked // items that are still to be indexed and turned into findings
	unindexed  int               // number of bytes of text and vectors in checked
	ended      bool              // a check has ended, with whatever result
	spent      bool              // the host can accept no other request before the lock ends
	failed     error             // this program's own failure: the job stops and is delivered again
	lastCommit time.Time
}

func newProgress(items []*registry.Item, lease *politeness.Lease, now time.Time) progress {
	return progress{lease: lease, todo: slices.Clone(items), lastCommit: now}
}

// may reports whether an item may begin; asks reports whether the item needs a request. While the host has asked for
// a pause, or its budget is used up, only items that need no request may begin. An item that may not begin now may
// not begin later in this job either.
func (p *progress) may(asks bool) bool {
	return p.failed == nil && !p.spent && p.lease.MayBegin(asks)
}

// next removes and returns the next item; nil when no further item may begin. A caller that waits before it begins
// the item must afterwards call may again.
func (p *progress) next() *registry.Item {
	asking, other := p.may(true), p.may(false)
	i := slices.IndexFunc(p.todo, func(it *registry.Item) bool { return asking || other && it.AsksNobody() })
	if i < 0 {
		return nil
	}
	it := p.todo[i]
	p.todo = slices.Delete(p.todo, i, i+1)
	return it
}

// giveBack puts an item whose check has not begun back to the front of the list.
func (p *progress) giveBack(it *registry.Item) { p.todo = slices.Insert(p.todo, 0, it) }

// add adds a checked item, and reports whether to commit now.
func (p *progress) add(c verdict.Checked, now time.Time, every time.Duration) (commit bool) {
	p.checked = append(p.checked, c)
	p.unindexed += c.Placement.Size()
	if c.Item.Deaths > 0 { // what is committed is not in progress at the next death
		every = min(every, time.Second)
	}
	return suspected(&c.Item) || now.Sub(p.lastCommit) >= every
}

// fail records a failure of this program. After that, no further item begins.
func (p *progress) fail(err error) { p.failed = errors.Join(p.failed, err) }

// collect returns the items that were checked since the last call.
func (p *progress) collect() (out []verdict.Checked, unindexed int) {
	out, unindexed = p.checked, p.unindexed
	p.checked, p.unindexed = nil, 0
	return out, unindexed
}
