package crawl

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// The simulation runs registrations, sweeps and workers against one store under a
// scheduler that decides, from a seed, who takes the next step. A step is one storage operation,
// one sleep or one request, so every interleaving of those can happen; time passes between steps
// and sometimes leaps. Operations fail before or after they took effect, messages are lost and
// doubled, actors die. A failing run is repeated with -sim.seed.

var (
	simSeed = flag.Uint64("sim.seed", 0, "run only this seed")
	simRuns = flag.Int("sim.runs", 400, "how many random schedules to run; a tenth as many on the embedded store")
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
	problem string
	daily   registry.Budget // of each host, and of all; zero is no limit
	total   registry.Budget

	store storage.Store      // as it is
	reg   *registry.Registry // over store, without faults or interleaving: for looking
	world *world
	index *simIndex
	queue storage.Queue
	acked map[source.ID]promise
	asked map[source.ID]*wishes
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
		acked: map[source.ID]promise{}, asked: map[source.ID]*wishes{}, faults: true,
	}
	s.store = open(t, s.clock)
	s.reg = s.registry(s.store, "looker")
	s.world = newWorld(s)
	s.index = &simIndex{sim: s, versions: map[string]int{}, pages: map[string]search.Page{}}
	s.queue = s.store.Queue(registry.JobQueue)
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
			p := registry.Politeness{MaxConcurrent: simAtOnce, Daily: s.daily, Total: s.total} // two workers of one request each
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
	s.faults = false
	for range 60 { // longer than locks, leases, trust and pauses last
		s.now = s.now.Add(time.Minute)
		url := s.world.list(s.rng)
		s.spawn("visit", func(ctx context.Context) { s.visit(ctx, url) })
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
	for range 12 { // debts of hosts that are held, paused or claimed wait for that
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
	for _, wait := range []time.Duration{0, schedule.Defaults().Max} { // then twins have seen each other, too
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
	q := s.store.Queue(registry.JobQueue)
	m, err := q.Receive(context.Background(), 1, time.Second)
	must(s.t, err)
	if len(m) == 1 {
		_, err = q.Extend(context.Background(), m[0], 0)
		must(s.t, err)
	}
	return len(m)
}

func (s *sim) spawnAny() {
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
		o := registry.Rebuild{Run: fmt.Sprint("run", s.rng.IntN(3)), Force: s.rng.IntN(3) == 0, Refetch: s.rng.IntN(3) == 0}
		s.spawn("rebuild", func(ctx context.Context) { s.rebuild(ctx, o) })
	case n < 11:
		url := s.world.list(s.rng)
		s.spawn("visit", func(ctx context.Context) { s.visit(ctx, url) })
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

// Before is called before every storage operation of an actor.
func (s *sim) Before(ctx context.Context, c storagetest.Call) error {
	asked := s.now
	if err := s.pause(ctx, s.now); err != nil {
		return err
	}
	if s.now.Sub(asked) > 30*time.Second {
		return fault.New(fault.Unavailable, "timed out") // as requests do
	}
	s.checkLocks(ctx, c)
	if !s.faults {
		return nil
	}
	switch n := s.rng.IntN(1000); {
	case n < 10:
		return fault.New(fault.Unavailable, "injected before")
	case n < 15:
		s.die(ctx)
		return errDied
	case n < 60 && c.Op == "queue.Send":
		return storagetest.ErrLost
	case n < 120 && c.Op == "queue.Send":
		return storagetest.ErrTwice
	}
	return nil
}

// After is called after it.
func (s *sim) After(ctx context.Context, _ storagetest.Call, err error) error {
	if !s.faults || ctx.Value(actorKey{}) == nil {
		return err
	}
	switch n := s.rng.IntN(1000); {
	case n < 10:
		return fault.New(fault.Unavailable, "injected after")
	case n < 15:
		s.die(ctx)
		return errDied
	}
	return err
}

func (s *sim) die(ctx context.Context) { ctx.Value(actorKey{}).(*actor).dead = true }

// process is what one actor sees of the world: the store with faults, and code over it.
func (s *sim) process() storage.Store { return storagetest.Hooked(s.store, s) }

func (s *sim) register(ctx context.Context, urls []string, force bool) {
	var sources []source.Source
	var standing []int
	for _, u := range urls {
		src, err := source.DefaultRules().ParseURL(u)
		must(s.t, err)
		sources, standing = append(sources, src), append(standing, s.world.version(u))
	}
	reg := s.registry(s.process(), nameOf(ctx))
	var alone []func() bool
	for _, src := range sources {
		alone = append(alone, s.registering(src.ID()))
	}
	for i, got := range reg.Register(ctx, sources, registry.RegisterOptions{Force: force}) {
		owed := alone[i]()
		if got.Err != nil {
			if !s.faults {
				s.fail("registration failed without a fault: %v", got.Err)
			}
			continue
		}
		if owed {
			s.promise(got.Item, standing[i])
		}
	}
}

func (s *sim) sweep(ctx context.Context) {
	_, err := s.registry(s.process(), nameOf(ctx)).Sweep(ctx)
	if err != nil && !s.faults {
		s.fail("sweep failed without a fault: %v", err)
	}
}

// rebuild walks over everything, as the steps of a run do, for as long as nothing fails.
func (s *sim) rebuild(ctx context.Context, o registry.Rebuild) {
	reg := s.registry(s.process(), nameOf(ctx))
	step := registry.RebuildStep{}
	for err := error(nil); err == nil && !step.Done; {
		step, err = reg.Rebuild(ctx, o, step.Next)
		if err != nil && !s.faults {
			s.fail("rebuild failed without a fault: %v", err)
		}
	}
}

// work is what the host and a worker do with one message.
func (s *sim) work(ctx context.Context) {
	q := s.queue // the host's own requests do not fail here: their loss is a lost or doubled message
	messages, err := q.Receive(ctx, 1, 10*time.Minute)
	must(s.t, err)
	if len(messages) == 0 {
		return
	}
	job, err := registry.ParseJob(messages[0].Body)
	must(s.t, err)
	w := s.worker(s.process(), nameOf(ctx))
	if messages[0].Dequeued > 5 {
		_ = w.GiveUp(ctx, job, "given up")
		_ = q.Delete(ctx, messages[0])
		return
	}
	err = w.Process(ctx, job)
	a := ctx.Value(actorKey{}).(*actor)
	switch {
	case a.dead: // the message comes back by itself
	case err != nil:
		if !s.faults {
			s.fail("a job failed without a fault: %v", err)
		}
		_, _ = q.Extend(ctx, messages[0], 0)
	default:
		_ = q.Delete(ctx, messages[0])
	}
}

// visit fetches a page that is no item.
func (s *sim) visit(ctx context.Context, url string) {
	_, err := s.worker(s.process(), nameOf(ctx)).Visit(ctx, Visit{URL: url})
	if err != nil && !s.faults && !fault.Is(err, fault.Throttled) {
		s.fail("a visit failed without a fault: %v", err)
	}
}

// checkVisits: a host that nobody is at can be visited at once, whoever died there.
func (s *sim) checkVisits() {
	s.now = s.now.Add(time.Minute)
	for _, host := range simHosts {
		s.spawn("visit", func(ctx context.Context) {
			if _, err := s.worker(s.process(), nameOf(ctx)).Visit(ctx, Visit{URL: "https://" + host + "/list"}); err != nil {
				s.fail("%s is not to be visited: %v", host, err)
			}
		})
		s.settle()
	}
}

func nameOf(ctx context.Context) string { return ctx.Value(actorKey{}).(*actor).name }

func (s *sim) worker(store storage.Store, process string) *Worker {
	reg := s.registry(store, process)
	return New(reg, snapshot.New(store).By(s.clock), index.NewManifests(store), s.world, s.index, Options{
		Schedule: schedule.Defaults(), Agent: "Tidemark", Rules: source.DefaultRules(), Strategy: source.ByHost,
		Clock: s.clock, Jitter: s.rng.Float64, Sleep: s.sleep, CommitTime: 10 * time.Second,
		Retention: snapshot.Retention{Count: 1},
	})
}
