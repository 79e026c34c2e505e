package politeness

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	// commitMargin is kept free at the end of a lock for the last commit.
	commitMargin = 15 * time.Second
	// lastStart is kept free before that for the last request.
	lastStart = 30 * time.Second
)

// Lease is a batch's right to ask its host: so many requests at once, each at its reserved start, none after the lock
// on the batch's items. Its checks share it.
type Lease struct {
	hosts   *Hosts
	batch   *registry.Batch
	pace    pacer
	permits chan struct{} // holds a token for each request in flight
	bytes   atomic.Int64  // of the bodies that the host has sent

	mu       sync.Mutex
	found    registry.HostFinding // what robots.txt and answers said of the host's pace
	reported registry.Budget      // what the registry knows already
}

// Lease gives a batch the right to ask its host, until the lock on its items ends.
func (h *Hosts) Lease(b *registry.Batch) *Lease {
	return &Lease{
		hosts: h, batch: b, pace: pacer{reserved: b.Starts}, permits: make(chan struct{}, b.Permits),
		found: registry.HostFinding{CrawlDelay: b.CrawlDelay},
	}
}

// Permit waits for the right to have a request in flight. Release gives it back, and may be called any number of times.
// The error is [ErrNotNow] when ctx ends first.
func (l *Lease) Permit(ctx context.Context) (release func(), err error) {
	select {
	case l.permits <- struct{}{}:
		return sync.OnceFunc(func() { <-l.permits }), nil
	case <-ctx.Done():
		return func() {}, ErrNotNow
	}
}

// Received counts bytes that the host has sent towards its budget.
func (l *Lease) Received(bytes int64) { l.bytes.Add(bytes) }

// asked is what the host was asked for so far.
func (l *Lease) asked() registry.Budget {
	return registry.Budget{Requests: l.pace.made(), Bytes: l.bytes.Load()}
}

// MayBegin reports whether the work on another item may begin: there is time for a request and a commit before the lock
// ends and, if the item asks the host, the host has not asked for a pause and its budget is not used up.
func (l *Lease) MayBegin(asks bool) bool {
	return l.batch.Until.After(l.hosts.clock().Add(commitMargin+lastStart)) && (!asks || l.mayAsk())
}

// mayAsk reports whether the host may be asked for another item.
func (l *Lease) mayAsk() bool {
	asked := l.asked()
	l.mu.Lock()
	defer l.mu.Unlock()
	return asked.Requests < l.batch.Left.Requests && asked.Bytes < l.batch.Left.Bytes && l.found.PauseUntil.IsZero()
}

// Wait sleeps until the next request to the host may start. Its error means that this worker's time is over, not that
// anything is wrong with the page.
func (l *Lease) Wait(ctx context.Context) error {
	if l.startsTooLate(l.pace.next(l.hosts.clock())) {
		return ErrNotNow
	}
	if err := l.pace.wait(ctx, l.hosts.clock, l.hosts.sleep); err != nil {
		return err
	}
	if l.hosts.clock().After(l.Deadline()) {
		return errLockOver
	}
	return nil
}

// Locked is nil while the lock on the batch's items holds. It must come before everything that changes what others see
// of an item: the registry gives an item to no other worker while such a request may still be on its way.
func (l *Lease) Locked() error {
	if l.hosts.clock().After(l.batch.Until) {
		return errLockOver
	}
	return nil
}

// ErrNotNow gives an item back, because its host can bear the next request only after the lock ends.
var ErrNotNow = fault.New(fault.Unavailable, "the next request may start after the lock only")

// errLockOver ends a batch whose worker was delayed for so long that another worker may soon have its items.
var errLockOver = fault.New(fault.Unavailable, "the lock ran out before the request")

// Until is when the lock on the batch's items ends.
func (l *Lease) Until() time.Time { return l.batch.Until }

// startsTooLate reports whether a request that starts then could outlive the lock.
func (l *Lease) startsTooLate(start time.Time) bool {
	return start.After(l.batch.Until.Add(-commitMargin - lastStart))
}

// Deadline is when the work on items ends, so that the last commit comes before the end of the lock.
func (l *Lease) Deadline() time.Time { return l.batch.Until.Add(-commitMargin) }

// slow keeps the starts of the host's requests as far apart as its robots.txt asks.
func (l *Lease) slow(d time.Duration) {
	l.pace.slow(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.CrawlDelay = d
}

// pause ends the requests to the host.
func (l *Lease) pause(until time.Time, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.PauseUntil, l.found.PauseWhy = until, why
}

// Report is what a commit tells the registry of the host: its pace, pauses, and what it was asked for since the last
// report. The report of the last commit also names the earliest start that is left to other workers. Once a report is
// committed, committed must be called.
func (l *Lease) Report(last bool) (found registry.HostFinding, committed func()) {
	asked := l.asked()
	l.mu.Lock()
	defer l.mu.Unlock()
	found = l.found
	if last {
		found.NextStart = l.pace.free()
	}
	found.Asked.Requests = asked.Requests - l.reported.Requests
	found.Asked.Bytes = asked.Bytes - l.reported.Bytes
	return found, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reported = asked
	}
}
