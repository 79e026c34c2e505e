package crawl

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// TestZ1SimulationOfMoves checks Z1: items of earlier rules move while they are registered, checked and removed under
// either identity, and while operations fail. Nothing that was requested is lost, and in the end no item has an old
// identity.
func TestZ1SimulationOfMoves(t *testing.T) {
	t.Run("mem", func(t *testing.T) { simulateMoves(t, openMem, *simRuns/8) })
	t.Run("embedded", func(t *testing.T) { simulateMoves(t, openEmbedded, max(1, *simRuns/50)) })
}

func simulateMoves(t *testing.T, open opener, runs int) {
	for i := range runs {
		seed := uint64(i) + 1
		if *simSeed != 0 {
			seed = *simSeed
		}
		run := func(t *testing.T) {
			s := newSim(t, open, seed)
			s.moving = true
			s.disturbed()
			if s.problem == "" {
				s.calm()
			}
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

// stray is the identity that a page had under url_v1 when its host was written with the dot of the DNS root.
func stray(u string) source.Source {
	src, _ := source.DefaultRules().ParseURL(u)
	host := src.Host + "."
	src.Normalized = strings.Replace(src.Normalized, src.Host, host, 1)
	src.Display, src.Host = src.Normalized, host
	return src
}

// spawnMove starts a registration by a process of an older release, or a step of the migration.
func (s *sim) spawnMove() {
	if s.rng.IntN(3) == 0 {
		s.spawn("migrate", s.migrate)
		return
	}
	u := fmt.Sprintf("https://fast.example/%d", s.rng.IntN(4))
	s.spawn("stray", func(ctx context.Context) { s.registerStray(ctx, u) })
}

func (s *sim) registerStray(ctx context.Context, u string) {
	now, err := source.DefaultRules().ParseURL(u)
	must(s.t, err)
	standing := s.world.version(u)
	alone := s.registering(now.ID())
	got := actorOf(ctx).reg.Items.Register(ctx, []source.Source{stray(u)},
		registry.RegisterOptions{})[0]
	if owed := alone(got.Err == nil); got.Err == nil && owed {
		s.promise(registry.Item{Identity: registry.Identity{ID: now.ID()}}, standing)
	}
}

func (s *sim) migrate(ctx context.Context) {
	reg := actorOf(ctx).reg
	for step, err := (registry.Moved{}), error(nil); err == nil && !step.Done; {
		step, err = reg.Moves.Step(ctx, source.DefaultRules(), step.Next, false)
		if err != nil && !s.faults {
			s.fail("a migration failed without a fault: %v", err)
		}
	}
}

// formerCaptures returns the captures of the items that have moved to an item.
func (s *sim) formerCaptures(it registry.Item) (out []snapshot.Capture) {
	formers, err := s.reg.Moves.Formers(context.Background(), &it)
	must(s.t, err)
	for _, id := range formers {
		captures, err := snapshot.New(s.store).List(context.Background(), id)
		must(s.t, err)
		out = append(out, captures...)
	}
	return out
}

// checkMoved checks that no item has an identity of earlier rules.
func (s *sim) checkMoved() {
	for i := range 4 {
		u := fmt.Sprintf("https://fast.example/%d", i)
		old := stray(u)
		if _, found, err := s.reg.Items.Lookup(context.Background(), old); found || err != nil {
			s.fail("%s is still an item (%v)", old.Normalized, err)
		}
		if _, found := s.index.pages[string(old.ID())]; found {
			s.fail("the index still holds %s", old.Normalized)
		}
		it, err := s.reg.Items.Find(context.Background(), old.ID())
		if now, _ := source.DefaultRules().ParseURL(u); err == nil && it.ID != now.ID() {
			s.fail("the id of %s leads to %s", old.Normalized, it.NormalizedSource)
		}
	}
}
