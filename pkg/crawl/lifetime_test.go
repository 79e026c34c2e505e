package crawl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestJ7TextsLastUntilTheNextCheck reads pages at random times. A page that is read again before the time of its next
// check, as the first reading gave it, is the same (J7). At the median, that time is at least 0.4 of the interval.
func TestJ7TextsLastUntilTheNextCheck(t *testing.T) {
	r := newRig(t)
	random := rand.New(rand.NewPCG(7, 1))
	var paths []string
	for i := range 20 {
		path := fmt.Sprintf("/p%d", i)
		r.site.put(path, text(path+" first"))
		paths = append(paths, path)
	}
	r.register(false, paths...)
	must(t, r.work())
	type reading struct {
		text  string
		until time.Time
	}
	last := map[string]reading{}
	var shares []float64
	again := 0
	for step := range 1000 {
		r.site.put(paths[random.IntN(4)], text(fmt.Sprint("version ", step))) // some change often, most never
		r.sweepAfter(time.Duration(random.IntN(240)) * time.Minute)
		for range 10 {
			path := paths[random.IntN(len(paths))]
			it, now := r.item(path), r.clock.now()
			left := it.NextCheckIn(now)
			shares = append(shares, left.Seconds()/float64(it.CrawlIntervalSeconds))
			if before := last[path]; now.Before(before.until) {
				again++
				if it.RawHash != before.text {
					t.Fatalf("step %d: %s has changed before %s", step, path, before.until)
				}
			}
			last[path] = reading{it.RawHash, now.Add(left)}
		}
	}
	slices.Sort(shares)
	if median := shares[len(shares)/2]; median < 0.4 || again < 1000 {
		t.Errorf("the median lifetime is %.2f of the interval; %d readings within one", median, again)
	}
}
