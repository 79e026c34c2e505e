package politeness

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/host"
)

// pacer keeps the starts of a batch's requests apart. The batch has reserved absolute times. If a request starts
// later than reserved, all later requests are delayed, too, so that the gaps between starts are never shorter than
// reserved. Requests beyond the reservation (robots.txt, redirects) keep its last gap.
type pacer struct {
	mu       Lock        // held while waiting, so that starts follow one another
	reserved []time.Time // reserved starts, then the time at which the host is free again
	used     int
	last     time.Time     // when the latest request actually started; zero before the first
	least    time.Duration // smallest gap that robots.txt asks for, if it was read after the reservation
	beside   int64         // requests for subresources, which have no start of their own
	rested   time.Time     // when the pause after them ends
}

func newPacer(reserved []time.Time) *pacer { return &pacer{mu: NewLock(), reserved: reserved} }

// wait sleeps until the next request may start.
func (p *pacer) wait(ctx context.Context, clock func() time.Time, sleep sleeper) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := clock()
	if d := p.start(now).Sub(now); d > 0 {
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
	p.used++
	p.last = clock()
	return ctx.Err()
}

// next returns the earliest start of the next request. It locks mu.
func (p *pacer) next(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.start(now)
}

// slow makes all later starts at least d apart.
func (p *pacer) slow(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.least = max(p.least, d)
}

// rest records that the latest request has ended now, with n requests beside it that had no start. They lengthen the
// pause by as many gaps as starts says.
func (p *pacer) rest(n, starts int, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beside += int64(n)
	p.rested = now.Add(p.gap(p.used) * time.Duration(starts))
}

// start returns the earliest start of the next request. The caller must hold mu.
func (p *pacer) start(now time.Time) time.Time {
	at := host.Later(now, p.rested)
	if p.used < len(p.reserved) {
		at = host.Later(at, p.reserved[p.used])
	}
	if !p.last.IsZero() {
		at = host.Later(at, p.last.Add(p.gap(p.used)))
	}
	return at
}

// gap returns the gap before the request with the given number.
func (p *pacer) gap(i int) time.Duration {
	i = min(i, len(p.reserved)-1)
	if i < 1 {
		return p.least
	}
	return max(p.least, p.reserved[i].Sub(p.reserved[i-1]))
}

// free returns the earliest time at which other workers may start a request, given the requests so far; zero before
// the first request.
func (p *pacer) free() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.IsZero() {
		return time.Time{}
	}
	return host.Later(p.last.Add(p.gap(p.used)), p.rested)
}

// made returns the number of requests that have started.
func (p *pacer) made() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(p.used) + p.beside
}

// Lock is a mutex that may be held for long. It is a channel, because package testing/synctest, on which the simulation
// runs, does not take a goroutine that waits for a sync.Mutex for one that waits.
type Lock chan struct{}

// NewLock returns a lock that nobody holds.
func NewLock() Lock { return make(Lock, 1) }

// Lock waits until nobody else holds the lock.
func (l Lock) Lock() { l <- struct{}{} }

// Unlock ends what Lock has begun.
func (l Lock) Unlock() { <-l }
