package funchost

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Host is one function app on this machine.
type Host struct {
	opt        Options
	config     hostConfig
	env        environ
	functions  []*function
	loadErrors []error
	handler    *supervisor
	client     *http.Client
	transport  *http.Transport
	queues     []*queueListener
	timers     []*timerLoop
	loops      sync.WaitGroup // of the queues and timers
	gate       gate
	log        *slog.Logger
	ready      chan struct{}

	mu    sync.Mutex
	bound string          // what is served on; Addr of the options until it is bound
	life  context.Context // of invocations: ends after the drain
	busy  sync.WaitGroup
}

// New loads the app and checks all of it; nothing is started. An error of kind Invalid names the
// file and the field. A function that cannot be loaded is logged and listed by [Host.LoadErrors],
// and the others go on; New fails when none is left.
func New(o Options) (*Host, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	local, err := readLocalSettings(o.AppDir)
	if err != nil {
		return nil, err
	}
	h := &Host{opt: o, log: o.Log, bound: o.Addr, env: newEnviron(o.Env), ready: make(chan struct{})}
	h.env.settle(local, o.Log)
	h.env.defaults(map[string]string{
		"AZURE_FUNCTIONS_ENVIRONMENT": "Development",
		"AzureWebJobsScriptRoot":      o.AppDir,
	})
	if h.config, err = readHostConfig(o.AppDir, h.env); err != nil {
		return nil, err
	}
	o.override(&h.config)
	if err := h.load(); err != nil {
		return nil, err
	}
	return h, h.assemble()
}

// hostname is what the app is called by: localhost for an address that says so or nothing.
func hostname(addr string) string {
	name, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(name); err == nil && (name == "" || ip.IsLoopback() || ip.IsUnspecified()) {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

func (h *Host) load() error {
	var err error
	h.functions, h.loadErrors, err = loader{dir: h.opt.AppDir, env: h.env, config: h.config}.load()
	if err != nil {
		return err
	}
	for _, err := range h.loadErrors {
		h.log.Error("function not loaded", "err", err)
	}
	if len(h.functions) == 0 {
		return errors.Join(append([]error{errNoFunctions}, h.loadErrors...)...)
	}
	return h.checkStore()
}

func (h *Host) assemble() error {
	c, err := newCommand(h.opt, h.config.executable, h.env)
	if err != nil {
		return err
	}
	h.handler = newSupervisor(c, h.opt)
	h.client, h.transport = newInvoker(), newProxyTransport()
	h.gate = gate{http.NewCrossOriginProtection(), h.opt.Keys, h.opt.Proxies}
	for _, f := range h.functions {
		switch {
		case f.disabled:
		case f.trigger.Type == queueTrigger:
			h.queues = append(h.queues, newQueueListener(h, f))
		case f.trigger.Type == timerTrigger:
			h.timers = append(h.timers, newTimerLoop(h, f))
		}
	}
	return nil
}

// LoadErrors says which functions were left out and why.
func (h *Host) LoadErrors() []error { return h.loadErrors }

// Addr is the address that HTTP is served on, with the real port once Run has bound it.
func (h *Host) Addr() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bound
}

// Ready is closed when the handler answers for the first time and the listeners run.
func (h *Host) Ready() <-chan struct{} { return h.ready }

// Run serves the app until ctx ends, then stops listening, gives work in flight up to DrainWait and
// kills the handler, without a word, as Azure does. It returns nil after ctx ended, and an error
// when the port is taken or the handler crashed three times in 30 minutes. Run may be called once.
func (h *Host) Run(ctx context.Context) error {
	ln, err := listen(h.opt.Addr)
	if err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	h.begin(life, ln)
	failed := make(chan error, 2)
	server := &http.Server{
		Handler: http.HandlerFunc(h.serve), ReadHeaderTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	var wg sync.WaitGroup
	wg.Go(func() { failed <- h.handler.run(life) })
	wg.Go(func() { failed <- serveOn(server, ln, h.opt.Certificate) })
	h.loops.Go(func() { h.startListeners(ctx) })
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	stop()
	h.drain(server)
	end()
	wg.Wait()
	h.lastWords()
	h.client.CloseIdleConnections()
	h.transport.CloseIdleConnections()
	return err
}

// serveOn serves until the server is shut down, over TLS if there is a certificate.
func serveOn(server *http.Server, ln net.Listener, c *Certificate) error {
	if c == nil {
		return server.Serve(ln)
	}
	server.TLSConfig = c.config()
	return server.ServeTLS(ln, "", "")
}

func (h *Host) begin(life context.Context, ln net.Listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.life, h.bound = life, ln.Addr().String()
	// The handler has not started, so it will see the port that was really bound.
	h.env.defaults(map[string]string{"WEBSITE_HOSTNAME": hostname(h.bound)})
}

// startListeners has every queue and timer listen until ctx ends; what they have started goes on then. It
// waits for the handler, for nothing should be taken from a queue before it can be given to somebody.
func (h *Host) startListeners(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := h.handler.await(ctx)
		if err == nil {
			for _, q := range h.queues {
				h.loops.Go(func() { q.listen(ctx) })
			}
			for _, t := range h.timers {
				h.loops.Go(func() { t.listen(ctx) })
			}
			close(h.ready)
			return
		}
		h.log.Warn("still no handler", "err", err)
	}
}

// drain waits for what runs, once the listeners were told to stop.
func (h *Host) drain(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), h.opt.DrainWait)
	defer cancel()
	idle := make(chan struct{})
	go func() {
		h.loops.Wait()
		if server.Shutdown(ctx) == nil {
			h.busy.Wait()
			close(idle)
		}
	}()
	select {
	case <-idle:
	case <-ctx.Done():
		h.log.Warn("work in flight is cut off", "waited", h.opt.DrainWait)
		server.Close()
	}
}

// lastWords lets invocations that were cut off release their messages.
func (h *Host) lastWords() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.busy.Wait()
	}()
	select {
	case <-done:
	case <-time.After(killWait):
	}
}

// work runs f on a goroutine that the drain waits for. Its context ends with the handler process.
func (h *Host) work(f func(ctx context.Context)) {
	h.mu.Lock()
	life := h.life
	h.mu.Unlock()
	h.busy.Go(func() { f(life) })
}

// wake has idle queue listeners poll soon.
func (h *Host) wake() {
	for _, l := range h.queues {
		poke(l.nudge)
	}
}
