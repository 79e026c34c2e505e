package politeness

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	// commitMargin is the time at the end of a lock that is reserved for the last commit.
	commitMargin = 15 * time.Second
	// lastStart is the time that a request may take. The last request must start that long before commitMargin.
	lastStart = 30 * time.Second
)

// Lease is a batch's right to send requests to its host. It limits the number of requests in flight, starts each at
// its reserved time, and starts none that could outlive the lock on the batch's items. The checks of the batch share
// it.
type Lease struct {
	hosts   *Hosts
	batch   *registry.Batch
	pace    *pacer
	permits chan struct{} // has a token for each request in flight
	bytes   atomic.Int64  // size of the bodies received from the host

	mu       sync.Mutex
	found    registry.HostFinding // the host's pace and pauses, learned from robots.txt and from answers
	reported policy.Budget        // the requests and bytes already reported to the registry
	// origins has, by scheme, why an origin of the host could not be reached when it was last tried; nil if it was.
	origins map[string]*policy.UnreachedError
}

// Lease returns the lease of a batch. The lease ends with the lock on the batch's items.
func (h *Hosts) Lease(b *registry.Batch) *Lease {
	return &Lease{
		hosts: h, batch: b, pace: newPacer(b.Starts), permits: make(chan struct{}, b.Permits),
		found: registry.HostFinding{CrawlDelay: b.CrawlDelay}, origins: map[string]*policy.UnreachedError{},
	}
}

// Permit waits for the right to have a request in flight. The returned function gives the permit back; further calls
// of it do nothing. The error is [ErrNotNow] when ctx ends first.
func (l *Lease) Permit(ctx context.Context) (release func(), err error) {
	select {
	case l.permits <- struct{}{}:
		return sync.OnceFunc(func() { <-l.permits }), nil
	case <-ctx.Done():
		return func() {}, ErrNotNow
	}
}

// Received records that the host has sent a number of bytes, which count towards the host's budget.
func (l *Lease) Received(bytes int64) { l.bytes.Add(bytes) }

// asked returns the number of requests that the host has received so far, and the number of bytes that it has sent.
func (l *Lease) asked() policy.Budget {
	return policy.Budget{Requests: l.pace.made(), Bytes: l.bytes.Load()}
}

// MayBegin reports whether work on another item may begin. There must be time for a request and a commit before the
// lock ends. For an item that needs a request (asks is true), the host must also not have asked for a pause, and its
// budget must not be used up.
func (l *Lease) MayBegin(asks bool) bool {
	return l.batch.Until.After(l.hosts.clock().Add(commitMargin+lastStart)) && (!asks || l.mayAsk())
}

// mayAsk reports whether the host may get a request for another item.
func (l *Lease) mayAsk() bool {
	asked := l.asked()
	l.mu.Lock()
	defer l.mu.Unlock()
	return asked.Requests < l.batch.Left.Requests && asked.Bytes < l.batch.Left.Bytes && l.found.PauseUntil.IsZero()
}

// Wait sleeps until the next request to the host may start. An error means that this worker's time is over, not that
// the page has a fault.
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

// Near waits until the next request to the host may start, and does not use that start.
func (l *Lease) Near(ctx context.Context) error {
	now := l.hosts.clock()
	start := l.pace.next(now)
	if l.startsTooLate(start) {
		return ErrNotNow
	}
	if d := start.Sub(now); d > 0 {
		return l.hosts.sleep(ctx, d)
	}
	return nil
}

// Locked returns nil while the lock on the batch's items holds and no other attempt has it. Callers must check the
// lock before every change to what others can see of an item. The registry gives the item to no other worker while a
// request that was sent under the lock may still be in flight.
func (l *Lease) Locked(ctx context.Context) error {
	if l.hosts.clock().After(l.batch.Until) {
		return errLockOver
	}
	return l.hosts.rows.Holds(ctx, l.batch)
}

// ErrNotNow means that the host can accept the next request only after the lock has ended. The item is then given
// back.
var ErrNotNow = fault.New(fault.Unavailable, "the next request may start after the lock only")

// errLockOver ends a batch whose worker was delayed so long that another worker may soon get the items.
var errLockOver = fault.New(fault.Unavailable, "the lock ran out before the request")

// Until returns when the lock on the batch's items ends.
func (l *Lease) Until() time.Time { return l.batch.Until }

// startsTooLate reports whether a request that starts at the given time could outlive the lock.
func (l *Lease) startsTooLate(start time.Time) bool {
	return start.After(l.batch.Until.Add(-commitMargin - lastStart))
}

// Deadline returns when work on items must end, so that the last commit finishes before the lock ends.
func (l *Lease) Deadline() time.Time { return l.batch.Until.Add(-commitMargin) }

// slow increases the gap between further requests to what the host's robots.txt asks for.
func (l *Lease) slow(d time.Duration) {
	l.pace.slow(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.CrawlDelay = d
}

// pause stops further requests to the host until a time, for the given reason.
func (l *Lease) pause(until time.Time, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.PauseUntil, l.found.PauseWhy = until, why
}

// reached records that the origin of an address has received a request.
func (l *Lease) reached(address string) { l.tried(address, nil) }

// unreached records that the origin of an address cannot be reached, and returns the outcome of the check.
func (l *Lease) unreached(address string, why *policy.UnreachedError) verdict.Outcome {
	l.tried(address, why)
	return verdict.Outcome{Kind: verdict.Unreached, Why: why.Reason(), Of: why.Of}
}

func (l *Lease) tried(address string, why *policy.UnreachedError) {
	o, _ := OriginOf(address)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.origins[o.Scheme] = why
}

// Shuns reports whether an item is not tried because its origin could not be reached.
func (l *Lease) Shuns(it *registry.Item) bool {
	o, err := OriginOf(it.NormalizedSource)
	l.mu.Lock()
	defer l.mu.Unlock()
	return err == nil && l.origins[o.Scheme] != nil
}

// Reached reports whether an origin of the host was reached when it was last tried.
func (l *Lease) Reached() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, why := range l.origins {
		if why == nil {
			return true
		}
	}
	return false
}

// Report returns what a commit reports to the registry about the host: its pace and pauses, and the requests and
// bytes since the last report. The report of the last commit also contains the earliest time at which other workers
// may start a request. Callers must call the returned function when the report is committed.
func (l *Lease) Report(last bool) (found registry.HostFinding, committed func()) {
	asked := l.asked()
	l.mu.Lock()
	defer l.mu.Unlock()
	found = l.found
	if last {
		found.NextStart = l.pace.free()
	}
	for _, why := range l.origins {
		if why == nil {
			found.Answered = true
		} else if last {
			found.Unreached = why
		}
	}
	found.Asked.Requests = asked.Requests - l.reported.Requests
	found.Asked.Bytes = asked.Bytes - l.reported.Bytes
	return found, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reported = asked
	}
}
