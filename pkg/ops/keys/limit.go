package keys

import (
	"net/netip"
	"sync"
	"time"
)

const (
	tries        = 10              // wrong tries that an address may make without waiting
	tryAgain     = 6 * time.Second // the time after which an address may make one more wrong try
	maxAddresses = 10_000
)

// Limiter counts wrong tries by address. For IPv6 it counts by network of 64 bits, because one customer usually owns
// a whole network. Memory is bounded: when 10,000 addresses are counted, all others share one count. The zero value
// is ready and safe for concurrent use.
type Limiter struct {
	mu    sync.Mutex
	of    map[netip.Addr]count
	swept time.Time
}

// count is the number of wrong tries at a given time; it falls as time passes.
type count struct {
	used float64
	at   time.Time
}

// now returns the count at a later time.
func (c count) now(now time.Time) count {
	c.used = max(0, c.used-max(0, now.Sub(c.at).Seconds())/tryAgain.Seconds())
	c.at = now
	return c
}

// Wait returns how long an address must wait before its next try, or 0.
func (l *Limiter) Wait(now time.Time, address string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.of[l.slot(now, address)].now(now)
	if c.used <= tries-1 {
		return 0
	}
	return time.Duration((c.used - tries + 1) * float64(tryAgain))
}

// Failed counts a wrong try. It reports whether the try was within the allowance of the address. Callers need not log
// tries beyond it.
func (l *Limiter) Failed(now time.Time, address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.slot(now, address)
	c := l.of[at].now(now)
	within := c.used <= tries-1
	c.used = min(c.used+1, tries)
	l.of[at] = c
	return within
}

// slot returns the address whose count applies. Invalid addresses, and addresses for which there is no room, share
// one count.
func (l *Limiter) slot(now time.Time, address string) netip.Addr {
	if l.of == nil {
		l.of = map[netip.Addr]count{}
	}
	a, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Addr{}
	}
	a = a.Unmap().WithZone("")
	if network, err := a.Prefix(64); err == nil && a.Is6() {
		a = network.Masked().Addr()
	}
	if _, known := l.of[a]; known || len(l.of) < maxAddresses {
		return a
	}
	if now.Sub(l.swept) < tryAgain {
		return netip.Addr{} // the map was full a moment ago
	}
	l.swept = now
	for other, c := range l.of {
		if c.now(now).used == 0 {
			delete(l.of, other)
		}
	}
	if len(l.of) < maxAddresses {
		return a
	}
	return netip.Addr{}
}
