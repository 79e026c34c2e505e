package telemetry

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// gatherFor is how long the first failures are gathered before they are told, so that one line has them all.
	gatherFor = time.Minute
	tellEvery = time.Hour
	// mostRepeated limits the names whose failures are told apart; further ones are told as [Other].
	mostRepeated = 1000
)

// Repeated gathers failures that come again and again, so that the log has one line in an hour for each name, such as a
// host. The zero value is ready to use. It is safe for concurrent use.
type Repeated struct {
	mu  sync.Mutex
	all map[string]*Failing
}

// Failing are the failures of one name that were not told before.
type Failing struct {
	Name  string
	Count int
	First string // the reason of the first
	since time.Time
	told  time.Time
}

// Note gathers a number of failures with one reason.
func (r *Repeated) Note(name string, count int, why string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]*Failing{}
	}
	if r.all[name] == nil && len(r.all) >= mostRepeated {
		name = Other
	}
	f := r.all[name]
	if f == nil {
		f = &Failing{Name: name}
		r.all[name] = f
	}
	if f.Count == 0 {
		f.First, f.since = why, now
	}
	f.Count += count
}

// Due returns the failures that must be told now, ordered by name: a minute after the first one of a name, and at most
// once in an hour.
func (r *Repeated) Due(now time.Time) (out []Failing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.all, func(_ string, f *Failing) bool { return f.Count == 0 && now.Sub(f.told) >= tellEvery })
	for _, f := range r.all {
		if f.Count > 0 && now.Sub(f.since) >= gatherFor && now.Sub(f.told) >= tellEvery {
			out = append(out, *f)
			f.Count, f.told = 0, now
		}
	}
	slices.SortFunc(out, func(a, b Failing) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
