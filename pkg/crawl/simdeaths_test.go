package crawl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

// The simulation of deaths crawls some hosts in one or two processes, each with one worker for all its jobs. Some
// pages kill the process that checks them, and at random times somebody kills a process. Nothing else fails, so that
// every delay and every wrong verdict is the program's own.

const (
	simKills = 3 // how often somebody kills a process, at most
	// simHostRestart is when a host that has stopped is started again: by systemd, a container's policy or Azure.
	simHostRestart = time.Minute
)

// deaths is what the simulation of deaths knows.
type deaths struct {
	killers map[string]string // page → what kills: "request" or "index"
	by      map[string]int    // page → how many processes it has killed
	excused map[string]int    // page → how often somebody killed a process that tried the page alone
	ends    []time.Time       // when processes died, in order
	alone   []time.Duration   // how old the processes were that died while a page was tried alone
	kills   int               // how often somebody will kill a process yet
	stops   int               // how often a host has stopped
	permits int
	single  bool // there is a single process at a time, as on the embedded store
}

// TestSimulationOfDeaths checks S1 in random histories: a page that kills its process costs at most four deaths and is
// then recorded as deadly; no other page is, and none is lost. The Functions host stops at the third death if each
// follows the one before within half an hour, and is then started again. And the work goes on: there is no time in
// which a job could send a request and nobody sends one. Among the hosts are new ones, which are asked for pages that
// do not exist, while suspects are tried.
func TestSimulationOfDeaths(t *testing.T) {
	runs, died, stopped := *simRuns/8, 0, 0
	for i := range runs {
		seed := uint64(i) + 1
		if *simSeed != 0 {
			seed = *simSeed
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := simulateDeaths(t, seed)
				died, stopped = died+len(d.ends), stopped+d.stops
			})
		}) {
			t.Fatalf("repeat with: go test ./pkg/crawl -run %s -sim.seed %d", t.Name(), seed)
		}
		if *simSeed != 0 {
			return
		}
	}
	if died < runs || stopped == 0 {
		t.Errorf("in %d runs %d processes died, and %d hosts stopped", runs, died, stopped)
	}
}

// simulateDeaths runs one history.
func simulateDeaths(t *testing.T, seed uint64) *deaths {
	s := newSim(t, openMem, seed)
	s.faults, s.mixed, s.raising = false, false, false
	d := &deaths{killers: map[string]string{}, by: map[string]int{}, excused: map[string]int{}, permits: 1 + 3*int(seed%2)}
	s.deaths, s.soft404 = d, true
	d.kills = s.rng.IntN(simKills + 1)
	s.world.urls = nil
	for _, host := range []string{"fast.example", "slow.example", "wide.example", "late.example"} {
		for i := range 4 + s.rng.IntN(8) {
			s.world.urls = append(s.world.urls, fmt.Sprintf("https://%s/%d", host, i))
		}
	}
	for range s.rng.IntN(3) {
		d.killers[s.world.urls[s.rng.IntN(len(s.world.urls))]] = []string{"request", "index"}[s.rng.IntN(2)]
	}
	s.restart(simProcesses)
	if d.single = s.rng.IntN(2) == 0; d.single {
		s.processes[1], s.processes[2] = s.processes[0], s.processes[0]
	}
	later := 4 + s.rng.IntN(9)
	for step := 0; s.problem == "" && (step <= later || !s.concluded()); step++ {
		switch registered := len(s.all()); {
		case step == 0, step < later && registered == 0: // a process that registers may be killed, too
			s.registerAll("late.example")
		case step == later, step > later && registered < len(s.world.urls):
			s.registerAll("")
		}
		if step > 120 {
			s.fail("after %d steps not everything is done: %s", step, s.undone())
		}
		s.pass(time.Duration(1+s.rng.IntN(8)) * time.Minute)
		s.spawn("sweep", s.sweep)
		s.workTogether()
	}
	s.checkInvariants()
	s.checkDeaths()
	s.report(seed)
	return d
}

// registerAll registers all pages whose URL does not contain a text.
func (s *sim) registerAll(except string) {
	var urls []string
	for _, u := range s.world.urls {
		if except == "" || !strings.Contains(u, except) {
			urls = append(urls, u)
		}
	}
	s.spawn("register", func(ctx context.Context) { s.register(ctx, urls, false) })
}

// workTogether does what waits in the queue, with all slots of the processes at once.
func (s *sim) workTogether() {
	for ok := true; ok && s.problem == ""; ok = s.visible() > 0 {
		for range 8 {
			s.spawn("worker", s.workShared)
		}
		for len(s.actors) > 0 && s.problem == "" {
			if s.deaths.kills > 0 && s.rng.IntN(300) == 0 {
				s.deaths.kills--
				if p := s.processes[s.rng.IntN(simProcesses)]; !p.started.After(p.clock()) {
					s.excuse()
					s.kill(p)
				}
			}
			s.step()
		}
	}
}

// workShared does one message with the worker of its process.
func (s *sim) workShared(ctx context.Context) {
	q, messages := s.receive(ctx, 10*time.Minute)
	if len(messages) == 0 {
		return
	}
	message, err := registry.ParseJob(messages[0].Body)
	must(s.t, err)
	a := actorOf(ctx)
	message.Attempt = a.attempt(message, messages[0])
	w := a.worker()
	b, err := w.in.Jobs.Begin(ctx, message)
	if err == nil && b != nil {
		a.job = w.newJob(b, func() {})
		err = a.job.finish(ctx)
	}
	switch {
	case a.dead:
		s.giveBack(a, q, messages[0])
	case err != nil:
		s.fail("a job failed: %v", err)
	default:
		_ = q.Delete(ctx, messages[0])
	}
}

// kill ends a process and starts another. Everything in the process stops.
func (s *sim) kill(p *process) {
	for _, a := range s.actors {
		a.dead = a.dead || a.process == p
	}
	p.forget()
	s.deaths.ends = append(s.deaths.ends, s.now)
	for _, it := range s.all() {
		if it.LockOwner != "" {
			s.t.Logf("%s: %s dies with %s: %d deaths, begun %v, until %s", s.now.Format(time.TimeOnly), p.name,
				it.NormalizedSource, it.Deaths, it.Begun, it.LockedUntil.Format(time.TimeOnly))
		}
	}
	next := s.newProcess()
	if next.crashes = p.crashed(s.now); next.crashes == nil {
		s.deaths.stops++
		next.started = next.started.Add(simHostRestart)
	}
	if next.crashes != nil || s.deaths.single { // a host that works alone gives its messages back when it starts
		next.instance = p.instance
	}
	for i := range s.processes {
		if s.processes[i] == p {
			s.processes[i] = next
		}
	}
}

// crashed returns when the handlers of the process's host have crashed, now included. It returns nil when the host
// stops, by the rule of pkg/local/funchost.
func (p *process) crashed(now time.Time) []time.Time {
	if n := len(p.crashes); n > 0 && now.Sub(p.crashes[n-1]) > 30*time.Minute {
		return []time.Time{now}
	}
	if len(p.crashes) == 2 {
		return nil
	}
	return append(slices.Clone(p.crashes), now)
}

// deadly kills the process of an actor when a page is at the stage in which it kills.
func (s *sim) deadly(ctx context.Context, url, stage string) error {
	a := actorOf(ctx)
	if s.deaths == nil || a == nil || s.deaths.killers[url] != stage {
		return nil
	}
	if !a.dead {
		if s.deaths.by[url]++; s.deaths.by[url] > 2 {
			s.deaths.alone = append(s.deaths.alone, a.clock().Sub(a.started))
		}
		s.kill(a.process)
	}
	return errDied
}

// excuse notes the pages that are tried alone: somebody kills their process now.
func (s *sim) excuse() {
	for _, it := range s.all() {
		if it.Begun && it.Suspect() {
			s.deaths.excused[it.NormalizedSource]++
		}
	}
}

func (s *sim) all() (all []registry.Item) {
	for _, u := range s.world.urls {
		src, err := source.DefaultRules().ParseURL(u)
		must(s.t, err)
		if it, err := s.reg.Items.Find(context.Background(), src.ID()); err == nil {
			all = append(all, it)
		}
	}
	return all
}

func (s *sim) concluded() bool { return len(s.undone()) == 0 && len(s.all()) == len(s.world.urls) }

// undone lists the pages that are neither indexed nor deadly, and the killers that are not deadly yet.
func (s *sim) undone() (urls []string) {
	for _, it := range s.all() {
		done := it.Status == registry.Indexed && s.deaths.killers[it.NormalizedSource] == "" || endedProgram(&it)
		if !done || it.LockOwner != "" {
			urls = append(urls, fmt.Sprintf("%s: %s, %d deaths, %s", it.NormalizedSource, it.Status, it.Deaths,
				it.ErrorMessage))
		}
	}
	return urls
}

// endedProgram reports whether an item is recorded as deadly.
func endedProgram(it *registry.Item) bool {
	return it.Status == registry.Error && strings.Contains(it.ErrorMessage, "ended the program")
}

func (s *sim) checkDeaths() {
	d := s.deaths
	for _, it := range s.all() {
		if endedProgram(&it) && d.killers[it.NormalizedSource] == "" && d.excused[it.NormalizedSource] < 2 {
			s.fail("%s is recorded as deadly: %s", it.NormalizedSource, it.ErrorMessage)
		}
	}
	for _, url := range slices.Sorted(maps.Keys(d.by)) {
		if d.by[url] > 4 {
			s.fail("%s has killed %d processes", url, d.by[url])
		}
	}
	for _, age := range d.alone {
		if age < 30*time.Second {
			s.fail("a page tried alone killed a process that was %s old", age)
		}
	}
}

// checkIdle is called when nobody can go on before a time. It fails when a job is kept from sending requests for
// longer than two pauses of any host, while nobody in its process sends one.
func (s *sim) checkIdle(until time.Time) {
	for _, p := range s.processes {
		asking, blocked := false, ""
		for _, w := range s.waiting {
			asking = asking || w.process == p && w.what == "request"
		}
		for _, a := range s.actors {
			if a.process == p && a.job != nil && !slices.ContainsFunc(s.waiting, func(w *waiter) bool { return w.actor == a }) {
				blocked = a.job.batch.Host
			}
		}
		if asking || blocked == "" {
			p.idle = time.Time{}
			continue
		}
		if p.idle = host.Earlier(p.idle, s.now); until.Sub(p.idle) > 5*simDelay {
			s.fail("%s could be asked, and nobody does anything from %s until %s", blocked, p.idle, until)
		}
	}
}
