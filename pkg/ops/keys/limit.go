package keys

import (
	"net/netip"
	"sync"
	"time"
)

const (
	tries        = 10              // wrong ones that an address has at once
	tryAgain     = 6 * time.Second // for one more
	maxAddresses = 10_000
)

// Limiter counts what was tried in vain, by address; of IPv6 by network of 64 bits, which one customer has. It takes
// bounded memory: addresses beyond 10,000 share one count. The zero value is ready, and safe for concurrent use.
type Limiter struct {
	mu    sync.Mutex
	of    map[netip.Addr]count
	swept time.Time
}

// count is how many tries are used up, as of a time.
type count struct {
	used float64
	at   time.Time
}

// now is the count after some time has passed.
func (c count) now(now time.Time) count {
	c.used = max(0, c.used-max(0, now.Sub(c.at).Seconds())/tryAgain.Seconds())
	c.at = now
	return c
}

// Wait is how long an address has to wait before it may try again; 0 for not at all.
func (l *Limiter) Wait(now time.Time, address string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.of[l.place(now, address)].now(now)
	if c.used <= tries-1 {
		return 0
	}
	return time.Duration((c.used - tries + 1) * float64(tryAgain))
}

// Failed counts a try. It reports whether that was one of those that an address has; more are not worth a line in a
// log.
func (l *Limiter) Failed(now time.Time, address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.place(now, address)
	c := l.of[at].now(now)
	within := c.used <= tries-1
	c.used = min(c.used+1, tries)
	l.of[at] = c
	return within
}

// place is where an address is counted. What is no address, and what there is no room for, has one place together.
func (l *Limiter) place(now time.Time, address string) netip.Addr {
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
		return netip.Addr{} // it was just full
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
