package funchost

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
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
	rounds     *rounds
	timers     []*timerLoop
	loops      sync.WaitGroup // running loops of the queues and timers
	front      *front
	tasks      *tasks
	log        *slog.Logger
	ready      chan struct{}

	mu    sync.Mutex
	bound string // the address on which HTTP is served; Options.Addr until Run binds it
}

// New loads and checks the whole app, and starts nothing. If a function cannot be loaded, New logs the error and adds
// it to [Host.LoadErrors], and the other functions work. New fails if no function can be loaded. Errors: Invalid,
// naming the file and the field.
func New(o Options) (*Host, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	local, err := readLocalSettings(o.AppDir)
	if err != nil {
		return nil, err
	}
	h := &Host{opt: o, log: o.Log, bound: o.Addr, env: newEnviron(o.Env), ready: make(chan struct{}), tasks: &tasks{}}
	h.env.add(local, o.Log)
	h.env.defaults(map[string]string{
		"AZURE_FUNCTIONS_ENVIRONMENT": "Development",
		"AzureWebJobsScriptRoot":      o.AppDir,
	})
	if h.config, err = readHostConfig(o.AppDir, h.env); err != nil {
		return nil, err
	}
	h.config.override(o)
	if err := h.load(); err != nil {
		return nil, err
	}
	return h, h.assemble()
}

// hostname returns the host name for the app: localhost if the address is on this machine, or has no name.
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
	h.client, h.transport = newEnvelopeClient(), newProxyTransport()
	i := &invoker{handler: h.handler, client: h.client, timeout: h.config.timeout, log: h.log, wake: h.wake}
	h.front = &front{
		opt: h.opt, routePrefix: h.config.routePrefix, functions: h.functions,
		gate:  gate{sameSiteBut(h.opt.FromAnywhere), h.opt.Keys, h.opt.Proxies, h.opt.UserHeader, h.opt.BasePath},
		admin: &admin{h.functions, i, h.tasks}, proxy: &proxy{i, h.transport},
	}
	for _, f := range h.functions {
		switch {
		case f.disabled:
		case f.trigger.Type == queueTrigger:
			h.queues = append(h.queues, newQueueListener(h.opt, h.config.queues, i, h.tasks, f))
		case f.trigger.Type == timerTrigger:
			h.timers = append(h.timers, newTimerLoop(h.opt, i, h.tasks, f))
		}
	}
	h.rounds = newRounds(h.opt.Store, h.queues, h.config.queues.rounds)
	return nil
}

// LoadErrors returns an error for each function that was not loaded.
func (h *Host) LoadErrors() []error { return h.loadErrors }

// Addr returns the address on which HTTP is served, with the real port once Run has bound it.
func (h *Host) Addr() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bound
}

// Ready returns a channel that is closed when the handler has answered for the first time and the listeners run.
func (h *Host) Ready() <-chan struct{} { return h.ready }

// Run serves the app until ctx ends. It then stops listening, waits up to DrainWait for work in flight, and kills the
// handler without notice, as Azure does. It returns nil after ctx has ended, and an error when the port is in use or
// the handler has crashed three times in 30 minutes. Run may be called only once.
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
		Handler: h.front, ReadHeaderTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
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
	h.releaseMessages()
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
	h.tasks.begin(life)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bound = ln.Addr().String()
	// The handler has not started yet, so it will get the port on which HTTP is really served.
	h.env.defaults(map[string]string{"WEBSITE_HOSTNAME": hostname(h.bound)})
}

// startListeners waits for the handler, because no message should be received before it can be delivered. Then it
// starts the listeners of all queues and timers. They run until ctx ends. Invocations that they have started continue
// after that.
func (h *Host) startListeners(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := h.handler.await(ctx)
		if err == nil {
			for _, q := range h.queues {
				h.loops.Go(func() { q.listen(ctx) })
			}
			h.loops.Go(func() { h.rounds.walk(ctx) })
			for _, t := range h.timers {
				h.loops.Go(func() { t.listen(ctx) })
			}
			close(h.ready)
			return
		}
		h.log.Warn("still no handler", "err", err)
	}
}

// drain waits for requests and invocations in flight, after the listeners were stopped.
func (h *Host) drain(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), h.opt.DrainWait)
	defer cancel()
	idle := make(chan struct{})
	go func() {
		h.loops.Wait()
		if server.Shutdown(ctx) == nil {
			h.tasks.wait()
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

// releaseMessages waits briefly for interrupted invocations, so that they release their messages.
func (h *Host) releaseMessages() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.tasks.wait()
	}()
	select {
	case <-done:
	case <-time.After(killWait):
	}
}

// wake lets all queues be polled soon.
func (h *Host) wake() {
	for _, l := range h.queues {
		if !l.parked.Load() {
			poke(l.nudge)
		}
	}
	poke(h.rounds.nudge)
}

// checkStore returns an error when the app needs a store and has none.
func (h *Host) checkStore() error {
	hasQueue := func(f *function) bool { return f.trigger.Type == queueTrigger }
	if h.opt.Store == nil && slices.ContainsFunc(h.functions, hasQueue) {
		return fault.Field("Store", "funchost: the app has queues and no store was given")
	}
	return nil
}

// tasks are the running invocations. The host waits for them before it ends.
type tasks struct {
	mu   sync.Mutex
	life context.Context // context of all tasks; it ends after the drain
	busy sync.WaitGroup
}

// begin sets the context of the tasks. It must be called before run.
func (t *tasks) begin(life context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.life = life
}

// run runs f on a goroutine. The context of f ends with the handler process.
func (t *tasks) run(f func(ctx context.Context)) {
	t.mu.Lock()
	life := t.life
	t.mu.Unlock()
	t.busy.Go(func() { f(life) })
}

// wait waits until no task runs.
func (t *tasks) wait() { t.busy.Wait() }

// Options say what to run and where. Only AppDir is required; if there are queues, Store is required, too.
type Options struct {
	AppDir   string        // script root: host.json, function folders, handler executable
	Handler  []string      // absolute path and arguments of the handler; when empty, the one in host.json
	Addr     string        // where to serve HTTP; 127.0.0.1:7071 when empty
	Env      []string      // base environment, NAME=value; os.Environ() when nil
	Store    storage.Store // its queues must keep bodies in base64, as hosts do
	StateDir string        // where timers keep their status; not kept if empty
	Log      *slog.Logger  // discarded when nil

	// BarePaths accepts requests without the route prefix of host.json, which the real host refuses.
	BarePaths bool

	// FromAnywhere are the patterns, as of http.ServeMux, of requests that pages of other sites may send, because the app
	// itself decides about them.
	FromAnywhere []string

	// Keys is set if the app requires keys. Then this host answers to everyone who can reach it, under any host name.
	// The management API, which checks no keys, is off. Without Keys this host answers to localhost only.
	Keys bool
	// Certificate enables TLS, with HTTP/1.1 and HTTP/2.
	Certificate *Certificate
	// Proxies lists the proxies that are trusted to report the client of a forwarded request. If another sender
	// reports a client, the report is dropped.
	Proxies []netip.Prefix
	// UserHeader is the header in which a trusted proxy reports the user of a request. Empty means that none does.
	UserHeader string
	// BasePath is the path below which callers reach this host, such as /tidemark; empty for none. A proxy may pass it on
	// or take it off. The handler, and Home, find the whole path in the header [api.PrefixHeader].
	BasePath string
	// Home answers requests for "/". If nil, they get the page of the real host.
	Home http.Handler

	// Durations that only tests set. Zero means the duration of the real host, which is given below.
	Visibility  time.Duration // how long a received message is hidden: 10 min, renewed at half
	MaxPoll     time.Duration // longest pause between polls of an idle queue: 2 s
	InitTimeout time.Duration // limit for the handler's first answer: 30 s
	Timeout     time.Duration // functionTimeout: as in host.json, or else 30 min
	DrainWait   time.Duration // time limit for work in flight at shutdown: 10 s
	BodyIdle    time.Duration // how long a request's body may stall: 30 s
}

const (
	defaultAddr        = "127.0.0.1:7071"
	defaultVisibility  = 10 * time.Minute
	defaultDrainWait   = 10 * time.Second
	defaultInitTimeout = 30 * time.Second
	defaultBodyIdle    = 30 * time.Second
)

// complete fills in defaults, except those that host.json determines.
func (o Options) complete() (Options, error) {
	if o.AppDir == "" {
		return o, fault.Field("AppDir", "funchost: no script root given")
	}
	dir, err := filepath.Abs(o.AppDir)
	if err != nil {
		return o, fault.Field("AppDir", "funchost: %w", err)
	}
	o.AppDir = dir
	defaults.Log(&o.Log)
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Addr = cmp.Or(o.Addr, defaultAddr)
	o.Visibility = cmp.Or(o.Visibility, defaultVisibility)
	o.DrainWait = cmp.Or(o.DrainWait, defaultDrainWait)
	o.BodyIdle = cmp.Or(o.BodyIdle, defaultBodyIdle)
	o.InitTimeout = cmp.Or(o.InitTimeout, defaultInitTimeout)
	return o, nil
}

// certificateAge is the time for which a certificate is used before its files are checked for changes.
const certificateAge = 10 * time.Second

// Certificate is the certificate for TLS. It is read from two files, which may be replaced while it is in use. If the
// new files cannot be read, or do not match, the old certificate stays in use.
type Certificate struct {
	chain, key string
	log        *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	readAt  time.Time
	changed [2]time.Time // modification times of the two files when current was read
}

// LoadCertificate reads a certificate with its chain, and its private key, both in PEM format.
func LoadCertificate(chain, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{chain: chain, key: key, log: log}
	defaults.Log(&c.log)
	if err := c.load(); err != nil {
		return nil, fault.Field("TLS_CERT_FILE", "TLS_CERT_FILE, TLS_KEY_FILE: %w", err)
	}
	return c, nil
}

func (c *Certificate) load() error {
	changed := [2]time.Time{changedAt(c.chain), changedAt(c.key)}
	pair, err := tls.LoadX509KeyPair(c.chain, c.key)
	if err != nil {
		return err
	}
	c.current, c.changed, c.readAt = &pair, changed, time.Now()
	return nil
}

func changedAt(name string) time.Time {
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// get returns the certificate in the files. It may miss a change of the files in the last certificateAge.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.readAt) < certificateAge {
		return c.current, nil
	}
	c.readAt = time.Now()
	if c.changed != [2]time.Time{changedAt(c.chain), changedAt(c.key)} {
		if err := c.load(); err != nil {
			c.log.Warn("the new certificate cannot be read; the old one stays in use", "err", err)
		} else {
			c.log.Info("a new certificate is in use")
		}
	}
	return c.current, nil
}

// Is reports whether c is the certificate that a server has presented.
func (c *Certificate) Is(presented *x509.Certificate) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Equal(c.current.Certificate[0], presented.Raw)
}

// config returns the TLS configuration of a server.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}
}
