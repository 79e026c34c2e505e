package crawl

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestK11SimulationOfHints checks K11: a hint is never missing, in whatever order registrations and sweeps of several
// processes interleave. Nearly every registration finds its host without room, so that only the hint leads a sweep to
// the rows soon.
func TestK11SimulationOfHints(t *testing.T) {
	for i := range *simRuns {
		seed := uint64(i) + 1
		if *simSeed != 0 {
			seed = *simSeed
		}
		run := func(t *testing.T) {
			s := newSim(t, openMem, seed)
			s.spawns, s.steps, s.slowOf = s.spawnHints, 1500, 2
			for _, host := range simHosts[:2] {
				s.spawn("register", func(ctx context.Context) { s.register(ctx, []string{"https://" + host + "/0"}, false) })
			}
			s.disturbed()
			s.settle()
			s.report(seed)
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { synctest.Test(t, run) }) {
			t.Fatalf("repeat with: go test ./pkg/crawl -run %s -sim.seed %d", t.Name(), seed)
		}
		if *simSeed != 0 {
			return
		}
	}
}

// spawnHints registers one page of each host again and again, with and without room for a job. With many pages, those
// that already wait would lead a sweep to the new ones.
func (s *sim) spawnHints() {
	host := simHosts[s.rng.IntN(2)]
	switch n := s.rng.IntN(16); {
	case n < 7:
		s.takeRoom(host, time.Duration(s.rng.IntN(2))*3*time.Minute)
		s.spawn("register", func(ctx context.Context) { s.register(ctx, []string{"https://" + host + "/0"}, true) })
	case n < 15:
		s.spawn("sweep", s.sweep)
	default:
		s.spawn("worker", s.work)
	}
}
