package funchost

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	probeEvery = 25 * time.Millisecond
	// The host stops after maxCrashes crashes within crashWindow.
	maxCrashes  = 3
	crashWindow = 30 * time.Minute
	// restartCode is the exit code by which a handler requests a restart.
	restartCode = 200
	// An invocation waits for the process at most waitFactor times as long as the initialization timeout.
	waitFactor = 4
	killWait   = time.Second
)

// A supervisor keeps one handler process running, by the rules of the real host:
//
//	starting ── any answer to GET / ──▶ ready ── exit 0 ──▶ gone (not restarted)
//	   ▲  ▲                              │  │
//	   │  └── exit 200, killed by host ──┘  │
//	   └───── crash or no answer in time ◀──┘   the third within 30 min ──▶ failed: the host stops
type supervisor struct {
	command     command
	initTimeout time.Duration
	log         *slog.Logger
	probe       *http.Client

	mu      sync.Mutex
	child   *child        // the process that receives requests; nil while none answers
	changed chan struct{} // closed and replaced when child changes
	crashes int
	crashed time.Time // time of the last crash
}

func newSupervisor(c command, o Options) *supervisor {
	return &supervisor{
		command: c, initTimeout: o.InitTimeout,
		log: o.Log, changed: make(chan struct{}),
		// Each probe opens a new connection: a kept connection would hide that the process has ended.
		probe: &http.Client{
			Transport:     &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// run starts the process, and restarts it until ctx ends. It then kills the process and returns nil. It returns an
// error when the host has to stop.
func (s *supervisor) run(ctx context.Context) error {
	defer s.publish(nil)
	for {
		c, err := startChild(s.command, s.log)
		if err != nil {
			return err
		}
		s.log.Info("handler started", "pid", c.pid, "port", c.port)
		again, err := s.tend(ctx, c)
		if err != nil || !again {
			return err
		}
	}
}

// tend watches one process until it ends, and reports whether another process must be started.
func (s *supervisor) tend(ctx context.Context, c *child) (again bool, err error) {
	s.awaitAnswer(ctx, c)
	select {
	case <-c.exited:
	case <-ctx.Done():
		c.drop()
		select {
		case <-c.exited:
		case <-time.After(killWait):
		}
		return false, nil
	}
	if c.code == 0 && !c.dropped.Load() {
		s.log.Error("handler exited with code 0: the host does not restart it, and every invocation fails from now on")
		s.publish(c)
		<-ctx.Done()
		return false, nil
	}
	s.publish(nil)
	return ctx.Err() == nil, s.account(c)
}

// awaitAnswer publishes the process once it gives any answer, and kills it if there is no answer within the
// initialization timeout.
func (s *supervisor) awaitAnswer(ctx context.Context, c *child) {
	ctx, cancel := context.WithTimeout(ctx, s.initTimeout)
	defer cancel()
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		if s.answers(ctx, c) {
			s.log.Info("handler ready", "pid", c.pid)
			s.publish(c)
			return
		}
		select {
		case <-c.exited:
			return
		case <-ctx.Done():
			if context.Cause(ctx) == context.DeadlineExceeded {
				s.log.Error("handler does not answer GET /", "limit", s.initTimeout)
				killGroup(c.cmd.Process)
			}
			return
		case <-tick.C:
		}
	}
}

func (s *supervisor) answers(ctx context.Context, c *child) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url()+"/", nil)
	if err != nil {
		return false
	}
	req.Header.Set(api.HostSecretHeader, c.secret)
	resp, err := s.probe.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return true
}

// account counts the end of a process, and returns an error when a crash exceeds the limit.
func (s *supervisor) account(c *child) error {
	if c.dropped.Load() || c.code == restartCode {
		s.log.Warn("handler restarts", "code", c.code)
		return nil
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.crashed) > crashWindow {
		s.crashes = 0
	}
	s.crashes, s.crashed = s.crashes+1, now
	s.log.Error("handler crashed", "code", c.code, "crashes", s.crashes, "stderr", c.stderr.String())
	if s.crashes < maxCrashes {
		return nil
	}
	return fault.New(fault.Unavailable, "handler crashed %d times, the last with code %d: %s", s.crashes, c.code, c.stderr)
}

// publish makes c the process that receives requests, and wakes callers that wait for one.
func (s *supervisor) publish(c *child) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.child = c
	close(s.changed)
	s.changed = make(chan struct{})
}

// await returns the process that receives requests, once there is one.
func (s *supervisor) await(ctx context.Context) (*child, error) {
	return s.until(ctx, waitFactor*s.initTimeout, func(c *child) bool { return c != nil })
}

// until returns the process that receives requests, once it satisfies a condition. It waits no longer than the given
// duration.
func (s *supervisor) until(ctx context.Context, long time.Duration, is func(c *child) bool) (*child, error) {
	limit := time.NewTimer(long)
	defer limit.Stop()
	for {
		s.mu.Lock()
		c, changed := s.child, s.changed
		s.mu.Unlock()
		if is(c) {
			return c, nil
		}
		select {
		case <-changed:
		case <-limit.C:
			return nil, fault.New(fault.Unavailable, "the handler process is not running")
		case <-ctx.Done():
			return nil, fault.New(fault.Unavailable, "waiting for the handler: %w", ctx.Err())
		}
	}
}

// awaitEnd waits until a process that has not answered receives no more requests, because it is dead. If it lives,
// awaitEnd returns after a moment.
func (s *supervisor) awaitEnd(ctx context.Context, c *child) {
	const moment = 200 * time.Millisecond
	_, _ = s.until(ctx, moment, func(current *child) bool { return current != c })
}

// restart kills the process; run then starts another. Everything in flight fails. If restart is called several times
// for one process, only the first call has an effect.
func (s *supervisor) restart(c *child, why string) {
	if c.dropped.Load() {
		return
	}
	s.log.Warn("handler killed", "why", why)
	c.drop()
}

// listen opens the HTTP port. If the port is in use, the error says what to do.
func listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		_, port, _ := net.SplitHostPort(addr)
		return nil, fault.Field("PORT", "port %s is not free: %w; stop what uses it or set PORT to another", port, err)
	}
	return ln, nil
}
