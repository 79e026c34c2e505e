package crawl

import (
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// progress says which item of a job comes next and when to commit. It does no I/O. Its caller makes sure
// that one goroutine at a time uses it.
type progress struct {
	batch      *registry.Batch
	lease      *politeness.Lease
	todo       []*registry.Item
	checked    []verdict.Checked // to enter the index and become findings
	unindexed  int               // bytes of text that wait for that
	spent      bool              // the host can bear no other request while the lock holds
	failed     error             // our own failure: stop, and let the job come again
	lastCommit time.Time
}

func newProgress(b *registry.Batch, lease *politeness.Lease, now time.Time) progress {
	return progress{batch: b, lease: lease, todo: slices.Clone(b.Items), lastCommit: now}
}

// may reports whether an item may be begun. While the host has asked for a pause, or its budget is used
// up, only items that need no request may. An item that may not be begun now may not be begun later either.
func (p *progress) may(it *registry.Item) bool {
	return p.failed == nil && !p.spent && p.lease.MayBegin(!it.AsksNobody())
}

// next takes the next item; nil when no other may be begun. A caller that waits before it begins the item
// has to ask again whether it may.
func (p *progress) next() *registry.Item {
	i := slices.IndexFunc(p.todo, func(it *registry.Item) bool { return p.may(it) })
	if i < 0 {
		return nil
	}
	it := p.todo[i]
	p.todo = slices.Delete(p.todo, i, i+1)
	return it
}

// giveBack takes an item back that was not begun.
func (p *progress) giveBack(it *registry.Item) { p.todo = slices.Insert(p.todo, 0, it) }

// add takes an item that was checked, and reports whether to commit now.
func (p *progress) add(c verdict.Checked, now time.Time, every time.Duration) (commit bool) {
	p.checked = append(p.checked, c)
	p.unindexed += c.Placement.Size()
	return suspected(&c.Item) || now.Sub(p.lastCommit) >= every
}

// fail notes that a failure of this program interrupted the work on an item.
func (p *progress) fail(it *registry.Item, err error) {
	p.batch.Break(it)
	p.failed = errors.Join(p.failed, err)
}

// collect gives what was checked since the last call.
func (p *progress) collect() (out []verdict.Checked, unindexed int) {
	out, unindexed = p.checked, p.unindexed
	p.checked, p.unindexed = nil, 0
	return out, unindexed
}
