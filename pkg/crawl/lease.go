package crawl

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

// hostLease is a batch's right to ask its host: so many requests at once, each at its reserved start, none after the lock
// on the batch's items. Its checks share it.
type hostLease struct {
	hosts   *hosts
	batch   *registry.Batch
	pace    pacer
	permits chan struct{} // holds a token for each request in flight
	bytes   atomic.Int64  // of the bodies that the host has sent

	mu       sync.Mutex
	found    registry.HostFinding // what robots.txt and answers said of the host's pace
	reported registry.Budget      // what the registry knows already
}

func (h *hosts) lease(b *registry.Batch) *hostLease {
	return &hostLease{
		hosts: h, batch: b, pace: pacer{reserved: b.Starts}, permits: make(chan struct{}, b.Permits),
		found: registry.HostFinding{CrawlDelay: b.CrawlDelay},
	}
}

// permit waits for the right to have a request in flight, and returns how to give it back, which
// may be done twice. It is errNotNow when ctx ends first.
func (l *hostLease) permit(ctx context.Context) (release func(), err error) {
	select {
	case l.permits <- struct{}{}:
		return sync.OnceFunc(func() { <-l.permits }), nil
	case <-ctx.Done():
		return func() {}, errNotNow
	}
}

// asked is what the host was asked for so far.
func (l *hostLease) asked() registry.Budget {
	return registry.Budget{Requests: l.pace.made(), Bytes: l.bytes.Load()}
}

// mayAsk reports whether the host may be asked for another item: it has not asked for a pause, and its budget is not used
// up.
func (l *hostLease) mayAsk() bool {
	asked := l.asked()
	l.mu.Lock()
	defer l.mu.Unlock()
	return asked.Requests < l.batch.Left.Requests && asked.Bytes < l.batch.Left.Bytes && l.found.PauseUntil.IsZero()
}

// wait sleeps until the next request to the host may start. Its error means that this worker's time is over, not that
// anything is wrong with the page.
func (l *hostLease) wait(ctx context.Context) error {
	if l.startsTooLate(l.pace.next(l.hosts.clock())) {
		return errNotNow
	}
	if err := l.pace.wait(ctx, l.hosts.clock, l.hosts.sleep); err != nil {
		return err
	}
	if l.hosts.clock().After(l.deadline()) {
		return errLockOver
	}
	return nil
}

// locked is nil while the lock on the batch's items holds. It must come before everything that changes what others see
// of an item: the registry gives an item to no other worker while such a request may still be on its way.
func (l *hostLease) locked() error {
	if l.hosts.clock().After(l.batch.Until) {
		return errLockOver
	}
	return nil
}

// errNotNow gives an item back, because the next start that its host can bear is after the lock.
var errNotNow = fault.New(fault.Unavailable, "the next request may start after the lock only")

// errLockOver ends a batch whose worker was delayed for so long that another worker may soon have its items.
var errLockOver = fault.New(fault.Unavailable, "the lock ran out before the request")

// startsTooLate reports whether a request that starts then could outlive the lock.
func (l *hostLease) startsTooLate(start time.Time) bool {
	return start.After(l.batch.Until.Add(-commitMargin - lastStart))
}

// deadline is when the work on items ends.
func (l *hostLease) deadline() time.Time { return l.batch.Until.Add(-commitMargin) }

// slow has the host's requests start as far apart as its robots.txt asks.
func (l *hostLease) slow(d time.Duration) {
	l.pace.slow(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.CrawlDelay = d
}

// pause ends the requests to the host.
func (l *hostLease) pause(until time.Time, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.PauseUntil, l.found.PauseWhy = until, why
}

// report is what a commit tells the registry of the host, and of what it was asked for. The last one also tells the
// earliest start that is left to others. Once it is committed, committed must be called.
func (l *hostLease) report(last bool) (found registry.HostFinding, committed func()) {
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
