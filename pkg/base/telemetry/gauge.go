package telemetry

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Gauge is a value that rises and falls, kept separately for each value of its label, if it has one. A value that is
// not known yet has no series.
type Gauge struct{ *family }

func newGauge(name, help string, labels ...string) Gauge {
	f := newFamily(TypeGauge, name, help, labels)
	clear(f.byKey)
	return Gauge{f}
}

// Set sets the value for these label values.
func (g Gauge) Set(v float64, values ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.series(values).Sum = v
}

// mostNamed is the number of values of a label that people choose. The others count together, as [Other].
const mostNamed = 50

// SetAll sets the values for all values of the gauge's only label, which people choose. Those with the largest values
// are named, at most fifty. Other series end.
func (g Gauge) SetAll(by map[string]float64) {
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.byKey)
	for i, name := range names {
		shown := name
		if i >= mostNamed {
			shown = Other
		}
		g.series([]string{shown}).Sum += by[name]
	}
}

// Of returns the value for a value of the gauge's only label, or 0 if it has no series of its own.
func (g Gauge) Of(name string) float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.byKey[name]; s != nil {
		return s.Sum
	}
	return 0
}

// Ask makes each read ask for the value. The function is quick and asks no service.
func (g Gauge) Ask(ask func() (v float64, known bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ask = ask
}

// Since makes the value the seconds that have passed since a time, or 0 if that is zero.
func (g Gauge) Since(t time.Time) {
	g.Ask(func() (float64, bool) {
		if t.IsZero() {
			return 0, true
		}
		return max(0, time.Since(t).Seconds()), true
	})
}

func (g Gauge) read() Family {
	g.mu.Lock()
	ask := g.ask
	g.mu.Unlock()
	if ask != nil {
		if v, known := ask(); known {
			g.Set(v)
		}
	}
	return g.family.read()
}
