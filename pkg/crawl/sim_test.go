package crawl

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// The simulation runs registrations, sweeps and workers of several processes against one store under a scheduler.
// From a seed, the scheduler decides which actor does the next step. A step is one storage operation, one sleep or
// one request, so every interleaving of these can happen. Time passes between steps and sometimes leaps. Operations
// fail before or after they took effect, or take effect after their client gave up; messages are lost and doubled;
// actors and whole processes die, and lose deferred writes; clocks differ. A failing run is repeated with -sim.seed.

var (
	simSeed = flag.Uint64("sim.seed", 0, "run only this seed")
	simRuns = flag.Int("sim.runs", 24,
		"how many random schedules to run; a tenth as many on the embedded store, and an eighth of deaths")
)

func TestSimulation(t *testing.T) {
	t.Run("mem", func(t *testing.T) {
		if lost := simulateAll(t, openMem, *simRuns); lost == 0 && *simSeed == 0 {
			t.Error("no deferred write was lost")
		}
	})
	t.Run("embedded", func(t *testing.T) { simulateAll(t, openEmbedded, max(1, *simRuns/10)) })
}

// simulateAll runs histories, and returns how many deferred writes were lost in them.
func simulateAll(t *testing.T, open opener, runs int) (lost int) {
	seeds := make([]uint64, runs)
	for i := range seeds {
		seeds[i] = uint64(i) + 1
	}
	if *simSeed != 0 {
		seeds = []uint64{*simSeed}
	}
	for _, seed := range seeds {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { lost += simulate(t, open, seed) })
		}) {
			t.Fatalf("repeat with: go test ./pkg/crawl -run %s -sim.seed %d", t.Name(), seed)
		}
	}
	return lost
}

const (
	simDelay  = 2 * time.Second // between requests to a paced host
	simAtOnce = 2               // requests in flight to any other host
	simCopied = 6               // one run in simCopied has a copy of its index
)

var simHosts = []string{"slow.example", "fast.example", "still.example", "wide.example"}

// paced reports whether a host requires pauses between requests.
func paced(host string) bool { return host == "slow.example" || host == "still.example" }

type sim struct {
	t       *testing.T
	rng     *rand.Rand
	now     time.Time
	skewed  bool       // the processes' clocks differ
	mu      sync.Mutex // guards waiting
	waiting []*waiter
	actors  []*actor // those that have not ended
	working *actor   // the one resumed last
	spawned int
	owners  map[string]*actor    // owners of locks and leases
	twice   map[string]time.Time // host → until when a handler that was taken for dead may ask it, too
	busy    bool                 // time passes slowly
	sent    []lateWrite          // writes whose clients have given up
	faults  bool
	version lineage.Version // version of texts: the next release's, or the present one's
	raising bool            // the next release is deployed
	mixed   bool            // both releases are running
	problem string
	daily   policy.Budget // for each host, and for all hosts; zero is no limit
	total   policy.Budget
	steps   int     // number of steps with faults
	slowOf  int     // one actor in slowOf is slow
	moving  bool    // items of earlier rules appear, and move
	spawns  func()  // starts some actor
	deaths  *deaths // what the simulation of deaths knows, otherwise nil
	soft404 bool    // hosts are asked for pages that do not exist

	messages *simMessages // of the simulation of messages, otherwise nil

	processes [simProcesses]*process
	started   int // number of processes started so far
	lost      int // number of deferred writes that were lost

	store storage.Store      // without faults
	reg   *registry.Registry // over store, without faults or interleaving; used for checks
	world *world
	index *simIndex
	queue storage.Queue
	slow  storage.Queue
	acked map[source.ID]promise
	asked map[source.ID]*requests
}

func simulate(t *testing.T, open opener, seed uint64) (lost int) {
	s := newSim(t, open, seed)
	s.disturbed()
	if s.problem == "" {
		s.calm()
	}
	s.report(seed)
	return s.lost
}

func (s *sim) report(seed uint64) {
	s.end()
	if s.problem != "" {
		s.t.Errorf("seed %d, %s: %s", seed, s.now.Format(time.RFC3339), s.problem)
	}
}

func newSim(t *testing.T, open opener, seed uint64) *sim {
	s := &sim{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		acked: map[source.ID]promise{}, asked: map[source.ID]*requests{}, faults: true, version: lineage.Current,
		raising: seed%2 == 0, skewed: seed%3 != 0, owners: map[string]*actor{}, twice: map[string]time.Time{},
	}
	s.store = open(t, s.clock)
	s.reg = registry.New(s.store, registry.Options{Parallel: 1, Clock: s.latest, Politeness: s.politeness})
	s.restart(simProcesses)
	s.spawns, s.steps, s.slowOf = s.spawnAny, 400, 5
	s.world = newWorld(s)
	s.index = &simIndex{sim: s, versions: map[string]int{}, pages: map[string]search.Page{}}
	if seed%simCopied == 1 {
		s.index.copied = newSimCopy(s)
	}
	s.queue, s.slow = s.store.Queue(registry.JobQueue), s.store.Queue(registry.SlowQueue)
	must(t, s.reg.Create(t.Context()))
	must(t, snapshot.New(s.store).Create(t.Context()))
	must(t, index.NewManifests(s.store).Create(t.Context()))
	return s
}

// ownerOf returns the actor that a lock or lease names.
func (s *sim) ownerOf(name string) *actor {
	token, _, _ := strings.Cut(name, "|")
	return s.owners[token]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *sim) clock() time.Time { return s.now }

// latest returns the time on the clock that is furthest ahead: an item that it shows as due is due.
func (s *sim) latest() time.Time {
	if s.skewed {
		return s.now.Add(simSkew)
	}
	return s.now
}

func (s *sim) politeness(host string) policy.Politeness {
	p := policy.Politeness{MaxConcurrent: s.atOnce(), Daily: s.daily, Total: s.total}
	if paced(host) {
		p.MinDelay, p.MaxDelay, p.MaxConcurrent = simDelay, 2*simDelay, 1
	}
	return p
}

// atOnce returns how many requests to a host without pauses may be in flight: those of two workers.
func (s *sim) atOnce() int {
	if s.deaths != nil {
		return 2 * s.deaths.permits
	}
	return simAtOnce
}

func (s *sim) fail(format string, args ...any) {
	if s.problem == "" {
		s.problem = fmt.Sprintf(format, args...)
	}
}

// disturbed lets all actors run at once, with faults.
func (s *sim) disturbed() {
	for step := range s.steps {
		if step == 100 && s.raising {
			s.mixed, s.version = true, raised // some processes run the next release, the others stay for a while
			s.restart(simProcesses - 1)
		}
		if len(s.actors) < 5 && s.rng.IntN(4) == 0 {
			s.spawns()
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

// calm ends all faults. From then on, sweeps and workers alone must do everything that was requested.
func (s *sim) calm() {
	s.settle()
	s.faults, s.mixed = false, false
	s.pass(requestTime)
	s.restart(simProcesses)
	if s.moving {
		s.spawn("migrate", s.migrate)
		s.settle()
	}
	for minute := range 80 { // longer than any lock, lease, cached value or pause lasts, or a suspect is put off
		if minute%20 == 0 {
			s.pardon()
		}
		s.pass(time.Minute)
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
	// Content that the index lost comes back from the snapshots.
	s.index.clear()
	s.spawn("rebuild", func(ctx context.Context) { s.rebuild(ctx, registry.Rebuild{Run: "calm"}) })
	s.settle()
	s.drain()
	for range 12 { // pending pages wait for hosts that are guarded, paused or claimed
		s.pass(time.Minute)
		s.spawn("sweep", s.sweep)
		s.settle()
		s.drain()
	}
	s.checkInvariants()
	s.checkDone()
	// After everything was forced, the index must have the present content of the world.
	for _, u := range s.world.urls {
		s.spawn("force", func(ctx context.Context) { s.register(ctx, []string{u}, true) })
		s.settle()
	}
	for _, wait := range []time.Duration{0, schedule.Defaults().Max} { // by then URL variants have been compared, too
		s.later(wait)
	}
	for range change.Confirmations { // nobody forces a check of simTarget, which may wait to confirm a collapse
		if s.waits(simTarget) {
			s.later(6 * time.Hour)
		}
	}
	s.checkInvariants()
	s.checkDone()
	s.checkIndex()
	s.checkMoved()
	s.checkFeed()
}

// later lets half an hour of sweeps follow a pause.
func (s *sim) later(pause time.Duration) {
	s.pass(pause)
	for range 30 {
		s.pass(time.Minute)
		s.spawn("sweep", s.sweep)
		s.settle()
		s.drain()
	}
}

// waits reports whether a page waits for a collapse to be confirmed.
func (s *sim) waits(url string) bool {
	src, err := source.DefaultRules().ParseURL(url)
	must(s.t, err)
	it, err := s.reg.Items.Find(context.Background(), src.ID())
	return err == nil && it.Collapse.Waits()
}

// pardon checks the items now that are recorded as killers of workers, as their owner would do. In this world workers
// die by chance, and such an item waits for a day.
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

// settle runs all actors until they end.
func (s *sim) settle() {
	for i := 0; len(s.actors) > 0 && s.problem == ""; i++ {
		s.step()
		if i > 200_000 {
			s.fail("the actors do not come to an end")
		}
	}
}

// drain runs workers until the queue is empty.
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

// visible counts the messages that a worker would receive now.
func (s *sim) visible() int {
	q, m := s.receive(context.Background(), time.Second)
	if len(m) == 1 {
		_, err := q.Extend(context.Background(), m[0], 0)
		must(s.t, err)
	}
	return len(m)
}

// receive receives a job or, when there is none, one that was moved to the second queue.
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
	switch n := s.rng.IntN(16); {
	case n == 13 || n == 14:
		s.takeRoom(simHosts[s.rng.IntN(len(simHosts))], 3*time.Minute)
	case n < 3:
		urls := s.world.some(s.rng)
		force := s.rng.IntN(3) == 0
		s.spawn("register", func(ctx context.Context) { s.register(ctx, urls, force) })
	case n < 5 || n == 15:
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
