package crawl

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// Before is called before every storage operation of an actor.
func (s *sim) Before(ctx context.Context, c storagetest.Call) error {
	asked := s.now
	if err := s.pause(ctx, s.now, c.Op+" "+c.Name+" "+c.Key); err != nil {
		return err
	}
	if a := actorOf(ctx); a != nil {
		a.asked = asked
		if ctx.Err() != nil {
			return fault.New(fault.Unavailable, "too late: %w", ctx.Err())
		}
	}
	limit := requestTime
	if c.Name == "DueHints" {
		limit *= hintTries // only the attempts to write rows share one limit
	}
	if s.now.Sub(asked) > limit {
		return fault.New(fault.Unavailable, "timed out") // as real requests do
	}
	s.checkLocks(ctx, c)
	if !s.faults {
		return nil
	}
	switch n := s.rng.IntN(1000); {
	case n < 10:
		return fault.New(fault.Unavailable, "injected before")
	case n < 15:
		s.die(actorOf(ctx), n < 13)
		return errDied
	case n < 60 && c.Op == "queue.Send":
		return storagetest.ErrLost
	case n < 120 && c.Op == "queue.Send":
		return storagetest.ErrTwice
	}
	return nil
}

// After is called after every storage operation of an actor.
func (s *sim) After(ctx context.Context, _ storagetest.Call, err error) error {
	if !s.faults || actorOf(ctx) == nil {
		return err
	}
	switch n := s.rng.IntN(1000); {
	case n < 10:
		return fault.New(fault.Unavailable, "injected after")
	case n < 15:
		s.die(actorOf(ctx), n < 13)
		return errDied
	}
	return err
}

func (s *sim) register(ctx context.Context, urls []string, force bool) {
	var sources []source.Source
	var standing []int
	for _, u := range urls {
		src, err := source.DefaultRules().ParseURL(u)
		must(s.t, err)
		sources, standing = append(sources, src), append(standing, s.world.version(u))
	}
	reg := actorOf(ctx).reg
	var alone []func(acknowledged bool) bool
	for _, src := range sources {
		alone = append(alone, s.registering(src.ID()))
	}
	for i, got := range reg.Items.Register(ctx, sources, registry.RegisterOptions{Force: force}) {
		owed := alone[i](got.Err == nil)
		if got.Err != nil {
			if !s.faults && !actorOf(ctx).dead {
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
	_, err := actorOf(ctx).reg.Jobs.Sweep(ctx)
	if err != nil && !s.faults && !actorOf(ctx).dead {
		s.fail("sweep failed without a fault: %v", err)
	}
}

// rebuild visits all items, as the steps of a run do, until something fails.
func (s *sim) rebuild(ctx context.Context, o registry.Rebuild) {
	reg := actorOf(ctx).reg
	step := registry.RebuildStep{}
	for err := error(nil); err == nil && !step.Done; {
		step, err = reg.Rebuilds.Request(ctx, o, step.Next)
		if err != nil && !s.faults {
			s.fail("rebuild failed without a fault: %v", err)
		}
	}
}

// work does what the host and a worker do with one message.
func (s *sim) work(ctx context.Context) {
	// The host's own requests do not fail here: a failure would be a lost or doubled message.
	q, messages := s.receive(ctx, 10*time.Minute)
	if len(messages) == 0 {
		return
	}
	job, err := registry.ParseJob(messages[0].Body)
	must(s.t, err)
	a := actorOf(ctx)
	job.Attempt = a.attempt(job, messages[0])
	s.again(job)
	w := a.worker()
	if messages[0].Dequeued > 5 {
		_ = w.GiveUp(ctx, job, "given up")
		_ = q.Delete(ctx, messages[0])
		return
	}
	if q == s.slow {
		err = w.ProcessSlow(ctx, job)
	} else {
		if s.rng.IntN(6) == 0 {
			crowd(w)
		}
		err = w.Process(ctx, job)
	}
	switch {
	case a.dead:
		s.giveBack(a, q, messages[0])
	case err != nil:
		if !s.faults {
			s.fail("a job failed without a fault: %v", err)
		}
		_, _ = q.Extend(ctx, messages[0], 0)
	default:
		_ = q.Delete(ctx, messages[0])
	}
}

// attempt names the try of a process to do the job of a message.
func (p *process) attempt(job registry.Job, m storage.Message) registry.Attempt {
	return job.AttemptBy(m.ID, p.instance, p.name)
}

// giveBack does what the host does with the message of a handler that died, if the host goes on. Otherwise the message
// becomes visible again by itself.
func (s *sim) giveBack(a *actor, q storage.Queue, m storage.Message) {
	for _, p := range s.processes {
		if p != a.process && p.instance == a.instance {
			at := time.Duration(s.rng.IntN(2)) * simGivenBack // at once: the server of an embedded store was started again
			_, _ = q.Extend(context.Background(), m, at)
		}
	}
}

// again sometimes lets a later process do a job, too, because the host has taken the handler for dead, which goes on.
// Until the first lock ends both may send requests.
func (s *sim) again(job registry.Job) {
	if !s.faults || s.rng.IntN(6) > 0 {
		return
	}
	s.twice[job.Host] = s.now.Add(registry.JobTTL)
	at := s.now.Add(simGivenBack + time.Duration(s.rng.IntN(60))*time.Second)
	s.spawn("again", func(ctx context.Context) {
		if s.pause(ctx, at, "again") == nil {
			job.Attempt.Process = fmt.Sprint("after ", job.Attempt.Process)
			_ = actorOf(ctx).worker().Process(ctx, job)
		}
	})
}

// resource fetches a page that is not an item.
func (s *sim) resource(ctx context.Context, url string) {
	_, err := actorOf(ctx).hosts().FetchResource(ctx, politeness.ResourceRequest{URL: url})
	if err != nil && !s.faults && !fault.Is(err, fault.Throttled) {
		s.fail("a visit failed without a fault: %v", err)
	}
}

// checkVisits checks that a host without an active lease accepts a request at once, whatever process died there.
func (s *sim) checkVisits() {
	s.pass(time.Minute)
	for _, host := range simHosts {
		s.spawn("visit", func(ctx context.Context) {
			if _, err := actorOf(ctx).hosts().FetchResource(ctx, politeness.ResourceRequest{URL: "https://" + host +
				"/list"}); err != nil {
				s.fail("%s is not to be visited: %v", host, err)
			}
		})
		s.settle()
	}
}

// hosts returns the hosts of an invocation.
func (p *process) hosts() *politeness.Hosts {
	return politeness.New(p.reg.Hosts, p.sim.world, politeness.Options{
		Agent: "Tidemark", Strategy: source.ByHost, Clock: p.clock, Sleep: p.sim.sleep,
	})
}

// worker returns the worker of an invocation. In this world invocations share only the registry, except in the
// simulation of deaths.
func (p *process) worker() *Worker {
	if p.shared == nil || p.sim.deaths == nil {
		p.shared = p.newWorker()
	}
	return p.shared
}

func (p *process) newWorker() *Worker {
	s, behind := p.sim, 1
	if s.deaths != nil {
		behind = 4
	}
	snaps := snapshot.New(p.store).By(p.clock)
	pages := NewPlacement(PlacementStores{
		Fields: p.reg.Fields(), Items: p.reg.Items,
		Aliases: p.reg.Aliases, Moves: p.reg.Moves, Snapshots: snaps,
		Manifests: index.NewManifests(p.store), Index: s.index,
	}, PlacementOptions{Clock: p.clock})
	return New(storesOf(p.reg, snaps), p.hosts(), pages, Options{
		Schedule: schedule.Defaults(), Agent: "Tidemark", Rules: source.DefaultRules(),
		Clock: p.clock, Jitter: s.rng.Float64, CommitTime: 10 * time.Second, Behind: behind,
		Started: p.started, Soft404: s.soft404,
		Retention: snapshot.Retention{Count: 1, SameText: 1}, Version: p.version,
	})
}
