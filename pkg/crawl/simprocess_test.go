package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing/synctest"
	"time"

	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

const (
	simProcesses = 3
	// simSkew is the largest difference between a clock and the true time. Two clocks then differ by less than the
	// five seconds that docs/model requires.
	simSkew = 2400 * time.Millisecond
	// simGivenBack is when the host gives out the message of a handler that died again (host.json).
	simGivenBack = 10 * time.Second
)

// process is an instance of the handler. Its actors share a registry: the hints that it remembers, and the locks that
// let one actor at a time write a host's row. It has a clock of its own.
type process struct {
	sim     *sim
	name    string
	skew    time.Duration
	version lineage.Version // version of its release
	memory  *mem.Process    // may lose deferred writes when the process dies; nil on the embedded store
	store   storage.Store   // with faults
	feed    *feed.Feed
	told    *notify.Notifier // in the simulation of messages; otherwise nil
	reg     *registry.Registry
	started time.Time   // by its clock; may be later than now
	shared  *Worker     // in the simulation of deaths, the worker of all its actors
	idle    time.Time   // since when nobody in it does anything that could be done
	crashes []time.Time // of the handlers of its host, of those that count
	// instance names its host. A handler that is started after the death of another has the same host.
	instance string
}

func (s *sim) newProcess() *process {
	s.started++
	p := &process{sim: s, name: fmt.Sprint("p", s.started), version: s.version}
	p.instance = "of " + p.name
	if s.skewed {
		p.skew = time.Duration((2*s.rng.Float64() - 1) * float64(simSkew))
	}
	if s.mixed && s.rng.IntN(3) == 0 {
		p.version = lineage.Current
	}
	below := s.store
	if m, ok := s.store.(*mem.Store); ok {
		p.memory = m.Process()
		below = p.memory
	}
	p.store = storagetest.Hooked(lateStore{below, s}, s)
	p.feed = feed.Open(p.store, p.clock)
	if s.messages != nil {
		p.told = s.messages.over(p.store, p.feed, p.clock)
		p.feed.OnPublish(p.told.Follower.Soon)
	}
	p.reg, p.started = registry.New(p.store, p.options()), p.clock()
	return p
}

func (p *process) clock() time.Time { return p.sim.now.Add(p.skew) }

// options returns the options of the process's registry. The owner of a lock is named after the actor that is
// running.
func (p *process) options() registry.Options {
	s, token := p.sim, 0
	return registry.Options{
		Parallel: 1, Clock: p.clock, Jitter: s.rng.Float64, Sleep: s.sleep, Politeness: s.politeness, Feed: p.feed,
		Token: func() string {
			s.mu.Lock() // several actors of a process that died end at once
			defer s.mu.Unlock()
			token++
			name := fmt.Sprintf("%s-%d", p.name, token)
			s.owners[name] = s.working
			return name
		},
	}
}

// restart replaces some of the processes. Actors in the old processes continue.
func (s *sim) restart(n int) {
	for i := range n {
		s.processes[i] = s.newProcess()
	}
}

// actor is one invocation in a process, caused by a message, a timer or a request.
type actor struct {
	*process
	number     int
	slow       bool // its requests take long
	name       string
	dead, over bool
	asked      time.Time // when its last storage operation began
	job        *job      // in the simulation of deaths, the job in work
}

// waiter is a goroutine of an actor that waits to be resumed. An actor without a waiter waits for another actor at a
// lock.
type waiter struct {
	*actor
	what string // what it does next
	at   time.Time
	take chan struct{}

	delayed int // how often it was delayed
}

type actorKey struct{}

var errDied = errors.New("the process died")

func actorOf(ctx context.Context) *actor {
	a, _ := ctx.Value(actorKey{}).(*actor)
	return a
}

func (s *sim) spawn(name string, run func(context.Context)) {
	s.spawned++
	a := &actor{
		process: s.processes[s.rng.IntN(simProcesses)], number: s.spawned, slow: s.rng.IntN(s.slowOf) == 0,
		name: fmt.Sprintf("%s%d", name, s.spawned),
	}
	s.actors = append(s.actors, a)
	begin := s.wait(a, s.now.Add(max(0, a.started.Sub(a.clock()))), "begin")
	ctx := context.WithValue(context.Background(), actorKey{}, a)
	go func() {
		defer func() { a.over = true }()
		<-begin
		run(ctx)
		if s.faults && !a.dead && s.rng.IntN(20) == 0 {
			s.die(a, false) // it has answered: what it has acknowledged must not be lost
		}
	}()
}

// die ends an invocation, or its process with all invocations in it. A new process replaces it.
func (s *sim) die(a *actor, alone bool) {
	for _, other := range s.actors {
		other.dead = other.dead || other == a || !alone && other.process == a.process
	}
	if !alone {
		a.process.forget()
	}
	for i, p := range s.processes {
		if !alone && p == a.process {
			s.processes[i] = s.newProcess()
			if s.rng.IntN(2) == 0 { // the host goes on
				s.processes[i].instance = p.instance
			}
		}
	}
}

// forget loses deferred writes of a process that dies: all that it holds, or only the last ones.
func (p *process) forget() {
	if p.memory == nil {
		return
	}
	p.memory.Die(func(held int) int {
		kept := max(0, p.sim.rng.IntN(2*held+1)-held)
		p.sim.lost += held - kept
		return kept
	})
}

// step lets time pass and one actor continue. When it returns, all actors wait.
func (s *sim) step() {
	s.leap()
	if w := s.pick(); w != nil && !s.late(w) {
		s.resume(w)
	}
}

// leap lets time pass: little in busy times, otherwise sometimes much. It often ends shortly before a full minute,
// when hints become due.
func (s *sim) leap() {
	if s.rng.IntN(40) == 0 {
		s.busy = !s.busy
	}
	n := s.rng.IntN(100)
	switch {
	case !s.faults || s.busy || n >= 10:
		s.pass(time.Duration(s.rng.IntN(20)) * time.Millisecond)
	case n < 3:
		s.pass(time.Duration(s.rng.IntN(200)) * time.Second)
	case n < 7:
		s.pass(time.Duration(s.rng.IntN(20)) * time.Second)
	default:
		before := time.Duration(s.rng.IntN(4000)) * time.Millisecond
		s.pass(max(0, s.now.Truncate(time.Minute).Add(time.Minute-before).Sub(s.now)))
	}
}

// late decides whether a request takes so long that other actors do much meanwhile. This often happens to slow
// actors.
func (s *sim) late(w *waiter) bool {
	rare := 50
	if w.slow {
		rare = 2
	}
	if !s.faults || w.delayed == 2 || w.dead || s.rng.IntN(rare) > 0 {
		return false
	}
	w.delayed++
	w.at = s.now.Add(requestTime - time.Duration(s.rng.Int64N(int64(requestTime)>>s.rng.IntN(4))))
	return true
}

func (s *sim) resume(t *waiter) {
	s.working = t.actor
	s.waiting = without(s.waiting, t)
	close(t.take)
	synctest.Wait()
	s.actors = slices.DeleteFunc(s.actors, func(a *actor) bool { return a.over })
	// The goroutines of one actor arrive in any order, so they are sorted.
	slices.SortFunc(s.waiting, func(a, b *waiter) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.what, b.what))
	})
}

// pick chooses a waiter that is awake; if all sleep, time moves on to the first alarm.
func (s *sim) pick() *waiter {
	var awake []*waiter
	var first *waiter
	for _, t := range s.waiting {
		if t.dead || !t.at.After(s.now) {
			awake = append(awake, t)
		} else if first == nil || t.at.Before(first.at) {
			first = t
		}
	}
	switch {
	case len(awake) > 0:
		return awake[s.rng.IntN(len(awake))]
	case first != nil:
		if s.deaths != nil {
			s.checkIdle(first.at)
		}
		s.pass(first.at.Sub(s.now))
	case len(s.actors) > 0:
		s.fail("%d actors wait for each other", len(s.actors))
	}
	return first
}

func (s *sim) wait(a *actor, until time.Time, what string) (take chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &waiter{actor: a, at: until, what: what, take: make(chan struct{})}
	s.waiting = append(s.waiting, t)
	return t.take
}

// pause lets other actors take their steps.
func (s *sim) pause(ctx context.Context, until time.Time, what string) error {
	a := actorOf(ctx)
	if a == nil {
		return nil
	}
	if !a.dead {
		<-s.wait(a, until, what)
	}
	if a.dead {
		return errDied
	}
	return nil
}

func (s *sim) sleep(ctx context.Context, d time.Duration) error {
	return s.pause(ctx, s.now.Add(d), "sleep")
}

// end makes all actors die, so that no goroutine is left waiting.
func (s *sim) end() {
	s.faults = false
	for _, a := range s.actors {
		a.dead = true
	}
	for t := s.pick(); t != nil; t = s.pick() {
		s.resume(t)
	}
}
