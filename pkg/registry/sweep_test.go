package registry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// fakeTime is a context whose deadline is a time of the test's clock.
type fakeTime struct {
	context.Context
	clock *clock
	until time.Time
}

func (c fakeTime) Deadline() (time.Time, bool) { return c.until, true }

func (c fakeTime) Err() error {
	if c.clock.Now().Before(c.until) {
		return nil
	}
	return context.DeadlineExceeded
}

// overload is a registry with more due than its sweeps have time for: each storage operation of a sweep takes a
// second, and a sweep has 50 seconds.
type overload struct {
	bench
	sweeps *Registry
	due    map[string]time.Time
	waits  []time.Duration
	served [hintShards]int
	cut    int // sweeps that ended before they were done
}

const overloadEvery = 30 * time.Minute

func openOverload(t *testing.T) *overload {
	c := newClock()
	under := mem.New(c.Now)
	slow := storagetest.Hooked(under, storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
		c.Advance(time.Second)
		return nil
	}})
	o := Options{Parallel: 1, Jitter: func() float64 { return 0.5 }}
	b := openOn(t, func() storage.Store { return under }, c, o)
	o.Clock, o.Politeness = c.Now, b.s.Options.Politeness
	return &overload{bench: b, sweeps: New(slow, o), due: map[string]time.Time{}}
}

// unevenHosts returns names of hosts, as many for each shard of the hints as want says.
func unevenHosts(want [hintShards]int) (hosts []string) {
	for i := 0; want != [hintShards]int{}; i++ {
		host := fmt.Sprintf("h%d.example", i)
		if shard := shardOf(host); want[shard] > 0 {
			want[shard]--
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// minute runs one sweep, and then its jobs.
func (o *overload) minute(t *testing.T, measured bool) {
	t.Helper()
	began := o.clock.Now()
	report, err := o.sweeps.Jobs.Sweep(fakeTime{t.Context(), o.clock, began.Add(50 * time.Second)})
	if err != nil || o.clock.Now().Sub(began) >= 50*time.Second {
		t.Fatalf("the sweep ended after %v with %+v, %v; want it to end in time", o.clock.Now().Sub(began), report, err)
	}
	o.cut += one(report.Unfinished)
	for _, job := range o.take(t) {
		o.work(t, job, measured)
	}
	o.clock.Advance(began.Add(time.Minute).Sub(o.clock.Now()))
}

// work runs a job, and records how long its pages have waited.
func (o *overload) work(t *testing.T, job Job, measured bool) {
	t.Helper()
	batch, now := o.begin(t, job), o.clock.Now()
	if measured {
		o.served[shardOf(job.Host)]++
	}
	var done []Finding
	for _, it := range batch.Items {
		it := *it
		if measured {
			o.waits = append(o.waits, now.Sub(o.due[it.NormalizedSource]))
		}
		it.Status = Indexed
		it.CheckAt(now.Add(overloadEvery))
		o.due[it.NormalizedSource] = it.NextCrawlAt
		done = append(done, Finding{Item: it})
	}
	if err := o.Jobs.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
}

// S11, K1: with more due than sweeps have time for, every shard is served equally, and no page waits twice as long as
// the average. 250 hosts, of one to five pages, are due each half hour; there is time for about 210.
func TestS11NoShardStarves(t *testing.T) {
	o := openOverload(t)
	want := [hintShards]int{130, 70, 40, 10}
	for i, host := range unevenHosts(want) {
		urls := pages(host, 1+i%3*2)
		o.register(t, RegisterOptions{}, urls...)
		for _, u := range urls {
			o.due[u] = o.clock.Now()
		}
	}
	for i := range 8 * 60 {
		o.minute(t, i >= 2*60)
	}
	for _, due := range o.due { // pages that still wait
		if wait := o.clock.Now().Sub(due); wait > 0 {
			o.waits = append(o.waits, wait)
		}
	}
	var sum time.Duration
	for _, wait := range o.waits {
		sum += wait
	}
	mean, most := sum/time.Duration(len(o.waits)), slices.Max(o.waits)
	var rates []float64
	for shard, n := range o.served {
		rates = append(rates, float64(n)/float64(want[shard]))
	}
	t.Logf("served %v, for each host %.1f; waits: mean %v, most %v", o.served, rates, mean, most)
	if o.cut == 0 {
		t.Error("no sweep was unfinished: this is no overload")
	}
	if slices.Min(rates) < 0.8*slices.Max(rates) {
		t.Errorf("hosts of the shards were served %.1f times; want all alike", rates)
	}
	if most > 2*mean {
		t.Errorf("somebody waited %v, the mean is %v; want less than twice that", most, mean)
	}
	o.check(t)
}

// S11: a sweep scans partitions in the order of the minutes of their hints, whatever their shard, and each once,
// however many hints it has. It follows more hints than it holds in memory.
func TestS11OldestFirst(t *testing.T) {
	c := newClock()
	under := mem.New(c.Now)
	var order []string
	b := openOn(t, func() storage.Store {
		return storagetest.Hooked(under, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			if c.Op == "table.Query" && c.Name == DefaultTable {
				order = append(order, c.Key)
			}
			return nil
		}})
	}, c, Options{Parallel: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	first := map[string]time.Time{}
	for i := range 5 * hintWindow / 2 {
		host := fmt.Sprintf("h%d.example", i)
		first[host] = c.Now().Add(time.Duration(rng.IntN(5000)) * time.Minute)
		for hint := range 1 + i%2 {
			if err := b.s.Hint(t.Context(), host, first[host].Add(time.Duration(hint)*time.Second)); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Advance(5002 * time.Minute)
	report, err := b.Jobs.Sweep(t.Context())
	if err != nil || report.Unfinished || report.Hints < len(first) {
		t.Fatalf("%+v, %v; want all of %d partitions", report, err, len(first))
	}
	if twice := len(order) - len(first); twice < 0 || twice > 10 { // partitions with hints in two windows
		t.Errorf("%d looks at %d partitions", len(order), len(first))
	}
	seen := map[string]bool{}
	order = slices.DeleteFunc(order, func(host string) bool { again := seen[host]; seen[host] = true; return again })
	if !slices.IsSortedFunc(order, func(a, b string) int { return first[a].Compare(first[b]) }) {
		t.Error("partitions were not swept in the order of their hints")
	}
	for e, err := range b.s.Hints.Query(t.Context(), storage.Query{}) {
		t.Fatalf("the hint %v is left, %v", e.Key, err)
	}
}

// S11: partitions are swept concurrently, and a failing one does not hold up the others.
func TestS11SideBySide(t *testing.T) {
	const atOnce = 16 // the default of Options.Parallel
	c := newClock()
	under := mem.New(c.Now)
	var mu sync.Mutex
	looking, met := 0, make(chan struct{})
	hook := storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
		if c.Op != "table.Query" || c.Name != DefaultTable {
			return nil
		}
		if c.Key == "h3.example" {
			return fault.New(fault.Unavailable, "no answer")
		}
		mu.Lock()
		if looking++; looking == atOnce-1 {
			close(met)
		}
		mu.Unlock()
		select {
		case <-met:
			return nil
		case <-time.After(10 * time.Second):
			return fault.New(fault.Unavailable, "nobody else looks")
		}
	}}
	b := openOn(t, func() storage.Store { return storagetest.Hooked(under, hook) }, c, Options{})
	for i := range atOnce {
		if err := b.s.Hint(t.Context(), fmt.Sprintf("h%d.example", i), c.Now()); err != nil {
			t.Fatal(err)
		}
	}
	c.Advance(2 * time.Minute)
	report, err := b.Jobs.Sweep(t.Context())
	if !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error(), "nobody") || report.Partitions != atOnce {
		t.Errorf("%+v, %v; want the one failure and %d partitions", report, err, atOnce)
	}
	left := 0
	for range b.s.Hints.Query(t.Context(), storage.Query{}) {
		left++
	}
	if left != 1 {
		t.Errorf("%d hints are left, want that of the partition that failed", left)
	}
}
