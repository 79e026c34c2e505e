package crawl

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
)

// TestSimulationOfBudgets checks E3: in any order of events, neither a host nor all hosts together get more requests
// in a day than the budgets allow. Work continues on the next days, and nothing that was requested is lost.
func TestSimulationOfBudgets(t *testing.T) {
	t.Run("mem", func(t *testing.T) { simulateBudgets(t, openMem, *simRuns/4) })
	t.Run("embedded", func(t *testing.T) { simulateBudgets(t, openEmbedded, max(1, *simRuns/50)) })
}

func simulateBudgets(t *testing.T, open opener, runs int) {
	spent := 0
	for i := range runs {
		seed := uint64(i) + 1
		if *simSeed != 0 {
			seed = *simSeed
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { spent += one(simulateDays(t, open, seed)) })
		}) {
			t.Fatalf("repeat with: go test ./pkg/crawl -run %s -sim.seed %d", t.Name(), seed)
		}
		if *simSeed != 0 {
			return
		}
	}
	if enough := 10; runs >= enough && spent < runs/3 { // in a few runs, no budget may be spent by chance
		t.Errorf("in %d runs of %d a budget was spent", spent, runs)
	}
}

// simulateDays reports whether a budget was spent.
func simulateDays(t *testing.T, open opener, seed uint64) (spent bool) {
	s := newSim(t, open, seed)
	s.skewed = false // days are counted by the true time
	s.restart(simProcesses)
	switch seed % 3 {
	case 0:
		s.daily.Requests = int64(4 + s.rng.IntN(8)) // robots.txt costs one request, a page that redirects costs two
	case 1:
		s.total.Requests = int64(8 + s.rng.IntN(16)) // handed out in eight parts of a few requests each
	default:
		s.daily.Requests, s.total.Requests = int64(4+s.rng.IntN(12)), int64(16+s.rng.IntN(30))
	}
	s.pass(time.Duration(s.rng.IntN(24*60)) * time.Minute) // midnight may come at any time
	s.disturbed()
	spent = s.held()
	s.settle()
	s.faults = false
	for day := 0; day < 20 && s.problem == ""; day++ {
		for range 24 { // sweeps have work at least twice an hour
			s.pass(30 * time.Minute)
			s.spawn("sweep", s.sweep)
			s.settle()
			s.drain()
		}
		spent = spent || s.held()
		s.checkInvariants()
	}
	s.owedOnly()
	s.checkDone()
	s.report(seed)
	return spent
}

// held reports whether a budget delays the checks of a host.
func (s *sim) held() bool {
	stats, err := s.reg.Hosts.Stats(context.Background(), "")
	must(s.t, err)
	return slices.ContainsFunc(stats, heldByBudget)
}

func heldByBudget(h registry.HostStats) bool {
	return h.PauseReason != "" && h.PauseReason != "HTTP 429"
}

// owedOnly leaves out the regular checks that happen to be due or in progress now, because twenty days are longer
// than an interval. A check that another page brought forward may wait only where the day's budget is spent.
func (s *sim) owedOnly() {
	for id := range s.acked {
		it, err := s.reg.Items.Find(context.Background(), id)
		if err != nil || it.Status != registry.Indexed && it.AliasOf == "" || it.NextCrawlAt.After(s.now) {
			continue
		}
		stats, err := s.reg.Hosts.Stats(context.Background(), it.SourceHost)
		must(s.t, err)
		if !it.Forced() || slices.ContainsFunc(stats, heldByBudget) {
			delete(s.acked, id)
		}
	}
}
