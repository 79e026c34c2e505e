package crawl

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/index"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// The simulation runs registrations, sweeps and workers against one store under a
// scheduler that decides, from a seed, who takes the next step. A step is one storage operation,
// one sleep or one request, so every interleaving of those can happen; time passes between steps
// and sometimes leaps. Operations fail before or after they took effect, messages are lost and
// doubled, actors die. A failing run is repeated with -sim.seed.

var (
	simSeed = flag.Uint64("sim.seed", 0, "run only this seed")
	simRuns = flag.Int("sim.runs", 150, "how many random schedules to run; a tenth as many on the embedded store")
)

func TestSimulation(t *testing.T) {
	t.Run("mem", func(t *testing.T) { simulateAll(t, openMem, *simRuns) })
	t.Run("embedded", func(t *testing.T) { simulateAll(t, openEmbedded, *simRuns/10) })
}

func simulateAll(t *testing.T, open opener, runs int) {
	seeds := make([]uint64, runs)
	for i := range seeds {
		seeds[i] = uint64(i) + 1
	}
	if *simSeed != 0 {
		seeds = []uint64{*simSeed}
	}
	for _, seed := range seeds {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { simulate(t, open, seed) }) {
			t.Fatalf("repeat with: go test ./pkg/crawl -run %s -sim.seed %d", t.Name(), seed)
		}
	}
}

const (
	simDelay  = 2 * time.Second // between requests to the paced host
	simAtOnce = 2               // requests in flight to the other
)

var simHosts = []string{"slow.example", "fast.example"}

type sim struct {
	t       *testing.T
	rng     *rand.Rand
	now     time.Time
	ready   []*actor
	spawned int
	faults  bool
	version lineage.Version // of the next release's texts, or the present one's
	raising bool            // the next release comes
	mixed   bool            // and both are at work
	problem string
	daily   registry.Budget // of each host, and of all; zero is no limit
	total   registry.Budget
	moving  bool // items of earlier rules come to be, and move

	store storage.Store      // as it is
	reg   *registry.Registry // over store, without faults or interleaving: for looking
	world *world
	index *simIndex
	queue storage.Queue
	slow  storage.Queue
	acked map[source.ID]promise
	asked map[source.ID]*requests
}

// actor is one process. It runs only between resume and yield.
type actor struct {
	name          string
	resume, yield chan struct{}
	dead, over    bool
	wakeAt        time.Time
}

type actorKey struct{}

var errDied = errors.New("the process died")

func simulate(t *testing.T, open opener, seed uint64) {
	s := newSim(t, open, seed)
	s.disturbed()
	if s.problem == "" {
		s.calm()
	}
	s.report(seed)
}

func (s *sim) report(seed uint64) {
	if s.problem != "" {
		s.t.Errorf("seed %d, %s: %s", seed, s.now.Format(time.RFC3339), s.problem)
	}
}

func newSim(t *testing.T, open opener, seed uint64) *sim {
	s := &sim{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		acked: map[source.ID]promise{}, asked: map[source.ID]*requests{}, faults: true, version: lineage.Current,
		raising: seed%2 == 0,
	}
	s.store = open(t, s.clock)
	s.reg = s.registry(s.store, "looker")
	s.world = newWorld(s)
	s.index = &simIndex{sim: s, versions: map[string]int{}, pages: map[string]search.Page{}}
	s.queue, s.slow = s.store.Queue(registry.JobQueue), s.store.Queue(registry.SlowQueue)
	must(t, s.reg.Create(t.Context()))
	must(t, snapshot.New(s.store).Create(t.Context()))
	must(t, index.NewManifests(s.store).Create(t.Context()))
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *sim) clock() time.Time { return s.now }

func (s *sim) fail(format string, args ...any) {
	if s.problem == "" {
		s.problem = fmt.Sprintf(format, args...)
	}
}

// registry opens the registry for one process; its lock owners begin with the process's name.
func (s *sim) registry(store storage.Store, process string) *registry.Registry {
	token := 0
	return registry.New(store, registry.Options{
		Parallel: 1, Clock: s.clock, Jitter: s.rng.Float64, Sleep: s.sleep,
		Token: func() string { token++; return fmt.Sprintf("%s-%d", process, token) },
		Politeness: func(host string) registry.Politeness {
			p := registry.Politeness{
				MaxConcurrent: simAtOnce,
				Daily:         s.daily,
				Total:         s.total,
			} // two workers of one request each
			if host == "slow.example" {
				p.MinDelay, p.MaxDelay, p.MaxConcurrent = simDelay, 2*simDelay, 1
			}
			return p
		},
	})
}

// disturbed lets everything happen at once, with faults.
func (s *sim) disturbed() {
	for step := range 400 {
		if step == 100 && s.raising {
			s.mixed, s.version = true, raised // some instances are of the next release, the others stay for a while
		}
		if len(s.ready) < 5 && s.rng.IntN(4) == 0 {
			s.spawnAny()
		}
		s.step()
		if step%4 == 0 {
			s.checkInvariants()
		}
		if s.problem != "" {
			return
		}
	}
}

// calm ends all faults: everything that was asked for must come true by sweeps and workers alone.
func (s *sim) calm() {
	s.settle()
	s.faults, s.mixed = false, false
	if s.moving {
		s.spawn("migrate", s.migrate)
		s.settle()
	}
	for minute := range 60 { // longer than locks, leases, trust and pauses last
		if minute%20 == 0 {
			s.pardon()
		}
		s.now = s.now.Add(time.Minute)
		url := s.world.list(s.rng)
		s.spawn("resource", func(ctx context.Context) { s.resource(ctx, url) })
		s.spawn("sweep", s.sweep)
		s.settle()
		s.drain()
	}
	s.checkVisits()
	s.checkInvariants()
	s.checkDone()
	s.checkRemoved()
	// What the index lost comes back from the snapshots.
	clear(s.index.versions)
	s.spawn("rebuild", func(ctx context.Context) { s.rebuild(ctx, registry.Rebuild{Run: "calm"}) })
	s.settle()
	s.drain()
	for range 12 { // pending pages of hosts that are guarded, paused or claimed wait for that
		s.now = s.now.Add(time.Minute)
		s.spawn("sweep", s.sweep)
		s.settle()
		s.drain()
	}
	s.checkInvariants()
	s.checkDone()
	// What the world says now must be in the index after everything is forced.
	for _, u := range s.world.urls {
		s.spawn("force", func(ctx context.Context) { s.register(ctx, []string{u}, true) })
		s.settle()
	}
	for _, wait := range []time.Duration{0, schedule.Defaults().Max} { // then URL variants have seen each other, too
		s.now = s.now.Add(wait)
		for range 30 {
			s.now = s.now.Add(time.Minute)
			s.spawn("sweep", s.sweep)
			s.settle()
			s.drain()
		}
	}
	s.checkInvariants()
	s.checkDone()
	s.checkIndex()
	s.checkMoved()
}

// pardon has items checked now that were blamed for the death of a worker, as their owner would: in this world
// workers die by chance, and such an item waits for a day.
func (s *sim) pardon() {
	ids := slices.Collect(maps.Keys(s.acked))
	for _, u := range s.world.urls {
		src, err := source.DefaultRules().ParseURL(u)
		must(s.t, err)
		ids = append(ids, src.ID())
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if it, err := s.reg.Items.Find(context.Background(), id); err == nil && it.Deaths > 0 && it.LockOwner == "" {
			s.spawn("force", func(ctx context.Context) { s.register(ctx, []string{it.NormalizedSource}, true) })
			s.settle()
		}
	}
}

// settle runs all actors to their end.
func (s *sim) settle() {
	for i := 0; len(s.ready) > 0 && s.problem == ""; i++ {
		s.step()
		if i > 200_000 {
			s.fail("the actors do not come to an end")
		}
	}
}

// drain lets workers empty the queue.
func (s *sim) drain() {
	for i := 0; s.problem == ""; i++ {
		n := s.visible()
		if n == 0 {
			return
		}
		s.spawn("worker", s.work)
		s.settle()
		if i > 2000 {
			s.fail("the queue does not run empty: jobs are sent again and again")
		}
	}
}

// visible counts messages that a worker would get now.
func (s *sim) visible() int {
	q, m := s.receive(context.Background(), time.Second)
	if len(m) == 1 {
		_, err := q.Extend(context.Background(), m[0], 0)
		must(s.t, err)
	}
	return len(m)
}

// receive takes a job, and one that was moved when there is no other.
func (s *sim) receive(ctx context.Context, visibility time.Duration) (q storage.Queue, m []storage.Message) {
	for _, q = range []storage.Queue{s.queue, s.slow} {
		var err error
		if m, err = q.Receive(ctx, 1, visibility); err != nil || len(m) > 0 {
			must(s.t, err)
			break
		}
	}
	return q, m
}

func (s *sim) spawnAny() {
	if s.moving && s.rng.IntN(3) == 0 {
		s.spawnMove()
		return
	}
	switch n := s.rng.IntN(13); {
	case n < 3:
		urls := s.world.some(s.rng)
		force := s.rng.IntN(3) == 0
		s.spawn("register", func(ctx context.Context) { s.register(ctx, urls, force) })
	case n < 5:
		s.spawn("sweep", s.sweep)
	case n < 6:
		s.world.change(s.rng)
	case n < 8:
		url := s.world.urls[s.rng.IntN(len(s.world.urls))]
		s.spawn("remove", func(ctx context.Context) { s.remove(ctx, url) })
	case n < 9 && s.rng.IntN(3) == 0:
		o := registry.Rebuild{
			Run:     fmt.Sprint("run", s.rng.IntN(3)),
			Force:   s.rng.IntN(3) == 0,
			Refetch: s.rng.IntN(3) == 0,
		}
		s.spawn("rebuild", func(ctx context.Context) { s.rebuild(ctx, o) })
	case n < 11:
		url := s.world.list(s.rng)
		s.spawn("resource", func(ctx context.Context) { s.resource(ctx, url) })
	default:
		s.spawn("worker", s.work)
	}
}

func (s *sim) spawn(name string, run func(context.Context)) {
	s.spawned++
	a := &actor{name: fmt.Sprintf("%s%d", name, s.spawned), resume: make(chan struct{}), yield: make(chan struct{})}
	s.ready = append(s.ready, a)
	ctx := context.WithValue(context.Background(), actorKey{}, a)
	go func() {
		<-a.resume
		run(ctx)
		a.over = true
		a.yield <- struct{}{}
	}()
}

// step lets time pass and one actor go on.
func (s *sim) step() {
	switch n := s.rng.IntN(100); {
	case n < 3 && s.faults:
		s.now = s.now.Add(time.Duration(s.rng.IntN(200)) * time.Second)
	case n < 10 && s.faults:
		s.now = s.now.Add(time.Duration(s.rng.IntN(20)) * time.Second)
	default:
		s.now = s.now.Add(time.Duration(s.rng.IntN(20)) * time.Millisecond)
	}
	a := s.pick()
	if a == nil {
		return
	}
	a.resume <- struct{}{}
	<-a.yield
	if a.over {
		for i := range s.ready {
			if s.ready[i] == a {
				s.ready = append(s.ready[:i], s.ready[i+1:]...)
				break
			}
		}
	}
}

// pick chooses an actor that is awake; if all sleep, time goes on to the first alarm.
func (s *sim) pick() *actor {
	var awake []*actor
	var first *actor
	for _, a := range s.ready {
		if !a.wakeAt.After(s.now) {
			awake = append(awake, a)
		} else if first == nil || a.wakeAt.Before(first.wakeAt) {
			first = a
		}
	}
	if len(awake) == 0 {
		if first != nil {
			s.now = first.wakeAt
		}
		return first
	}
	return awake[s.rng.IntN(len(awake))]
}

// pause gives the step to others.
func (s *sim) pause(ctx context.Context, until time.Time) error {
	a, _ := ctx.Value(actorKey{}).(*actor)
	if a == nil {
		return nil
	}
	if a.dead {
		return errDied
	}
	a.wakeAt = until
	a.yield <- struct{}{}
	<-a.resume
	return nil
}

func (s *sim) sleep(ctx context.Context, d time.Duration) error {
	return s.pause(ctx, s.now.Add(d))
}
