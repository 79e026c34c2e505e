package render

import (
	"cmp"
	"net/url"
	"slices"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
)

// account counts what a page requests and is refused, within its bounds. It is safe for concurrent use.
type account struct {
	maxRequests int
	maxBytes    int64
	keeps       bool // whether answers are kept

	mu  sync.Mutex
	out Rendered
}

// note changes the result.
func (a *account) note(change func(out *Rendered)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.out)
}

// refuse counts what the page did not get, and returns how often that was for this reason, and in all.
func (a *account) refuse(reason Reason, address string) (times, all int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.out.Refused, func(f Refusal) bool { return f.Reason == reason })
	if i < 0 {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			address = u.Host
		}
		i = len(a.out.Refused)
		a.out.Refused = append(a.out.Refused, Refusal{Reason: reason, Host: address})
	}
	a.out.Refused[i].Count++
	for _, f := range a.out.Refused {
		all += f.Count
	}
	return a.out.Refused[i].Count, all
}

// meet notes that the page has met a bound.
func (a *account) meet(bound Bound) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.out.MetBound(bound) {
		a.out.Met = append(a.out.Met, bound)
	}
}

func (a *account) hasMet(bound Bound) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.out.MetBound(bound)
}

// reserve counts a request and returns how many bytes its answer may have, or 0 and the bound by which the page may
// send no further request.
func (a *account) reserve() (left int64, met Bound) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch left = a.maxBytes - a.out.Bytes; {
	case a.out.Requests >= a.maxRequests:
		return 0, BoundRequests
	case left <= 0:
		return 0, BoundBytes
	}
	a.out.Requests++
	return left, ""
}

// charge counts what a request has cost. One that was never sent does not count.
func (a *account) charge(host string, res fetch.Response, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if fault.Is(err, fault.Blocked) || fault.Is(err, fault.Invalid) {
		a.out.Requests--
		return
	}
	if err != nil {
		a.out.Failed++
	}
	a.out.ByHost[host]++
	a.out.Bytes += max(int64(len(res.Body)), res.WireBytes)
}

// keep keeps an answer, if answers are kept.
func (a *account) keep(h fetch.Hop, res fetch.Response, cached bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cached {
		a.out.Cached++
		a.out.Bytes += int64(len(res.Body))
	}
	if a.keeps {
		a.out.Resources = append(a.out.Resources, Resource{Method: h.Method, URL: h.URL, Posted: h.Body, Response: res})
	}
}

// result returns what is known of the page.
func (a *account) result() Rendered {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.out
	out.Met = slices.Clone(out.Met)
	out.Refused = slices.SortedFunc(slices.Values(out.Refused), func(x, y Refusal) int {
		return cmp.Compare(x.Reason, y.Reason)
	})
	return out
}
