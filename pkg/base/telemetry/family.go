package telemetry

import (
	"slices"
	"strings"
	"sync"
)

// The types of a [Family], as Prometheus calls them.
const (
	TypeCounter   = "counter"
	TypeHistogram = "histogram"
)

// maxSeries bounds a family, whatever labels it is given: what comes later is counted together,
// under [Other].
const maxSeries = 256

// Other is the value of all labels of what a family has no room for.
const Other = "other"

// Family is a metric as read, with all its series.
type Family struct {
	Name, Help, Type string
	Labels           []string  // their names
	Bounds           []float64 // of a histogram: inclusive upper bounds of its buckets, rising
	Series           []Series  // ordered by their labels' values
}

// Series is one combination of labels' values.
type Series struct {
	Values []string // of the labels
	Sum    float64  // of all that was added or observed
	// Of a histogram: how often something was observed, and how often within each bound and above
	// the one before; what is above the last bound is in Count only.
	Count   uint64
	Buckets []uint64
}

// family counts by labels. It is safe for concurrent use.
type family struct {
	about Family
	mu    sync.Mutex
	byKey map[string]*Series
}

func newFamily(kind, name, help string, labels []string) *family {
	f := &family{about: Family{Name: name, Help: help, Type: kind, Labels: labels}, byKey: map[string]*Series{}}
	if len(labels) == 0 {
		f.series(nil) // it is known to be zero; which values labels will have is not
	}
	return f
}

// series finds or makes the one of some labels. The caller holds the lock.
func (f *family) series(values []string) *Series {
	if len(values) != len(f.about.Labels) {
		panic(f.about.Name + ": labels " + strings.Join(values, ", "))
	}
	key := strings.Join(values, "\x00")
	s, ok := f.byKey[key]
	if !ok && len(f.byKey) >= maxSeries {
		values = slices.Repeat([]string{Other}, len(values))
		key = strings.Join(values, "\x00")
		s, ok = f.byKey[key]
	}
	if !ok {
		s = &Series{Values: slices.Clone(values), Buckets: make([]uint64, len(f.about.Bounds))}
		f.byKey[key] = s
	}
	return s
}

func (f *family) read() Family {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.about
	for _, s := range f.byKey {
		c := *s
		c.Buckets = slices.Clone(s.Buckets)
		out.Series = append(out.Series, c)
	}
	slices.SortFunc(out.Series, func(a, b Series) int { return slices.Compare(a.Values, b.Values) })
	return out
}

// Counter is a sum that only grows, by labels.
type Counter struct{ *family }

func newCounter(name, help string, labels ...string) *Counter {
	return &Counter{newFamily(TypeCounter, name, help, labels)}
}

// Add adds n, not below zero, to the sum of these values of the labels, in the order of their names.
func (c *Counter) Add(n float64, values ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.series(values).Sum += n
}

// Total is the sum of the series whose first label has one of some values; of all series without any.
func (c *Counter) Total(first ...string) (sum float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.byKey {
		if len(first) == 0 || slices.Contains(first, s.Values[0]) {
			sum += s.Sum
		}
	}
	return sum
}

// Histogram counts how often values fell between bounds, by labels.
type Histogram struct{ *family }

func newHistogram(name, help string, bounds []float64, labels ...string) *Histogram {
	h := &Histogram{newFamily(TypeHistogram, name, help, labels)}
	h.about.Bounds = bounds
	for _, s := range h.byKey {
		s.Buckets = make([]uint64, len(bounds))
	}
	return h
}

// Observe counts a value for these values of the labels.
func (h *Histogram) Observe(v float64, values ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.series(values)
	s.Sum += v
	s.Count++
	if i, _ := slices.BinarySearch(h.about.Bounds, v); i < len(s.Buckets) {
		s.Buckets[i]++
	}
}
