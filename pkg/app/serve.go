package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// This file runs the handler as a process. It listens where the Functions host says, and answers invocations
// until it is asked to stop or its host has died. It reports the invocations to an [Exporter], if there is one. A
// module of its own can so build a handler with an exporter.

// Exporter begins to export the telemetry of the process. It may return nil for ended; [handlers.Options] documents
// when ended is called. The function stop is called once, at the end, and must return within seconds. If Exporter
// returns an error, the process does not start.
type Exporter func(log *slog.Logger, m *telemetry.Metrics) (ended func(telemetry.Span), stop func(), err error)

// NoExport is an [Exporter] that exports nothing. It logs a warning if the environment asks for an export.
func NoExport(log *slog.Logger, _ *telemetry.Metrics) (func(telemetry.Span), func(), error) {
	for _, said := range Unexported(Names(os.Environ())) {
		log.Warn(said)
	}
	return nil, func() {}, nil
}

// Serve runs the process of the handler until it ends.
func Serve(export Exporter) {
	document.Main()
	var level slog.LevelVar // set when the settings are read
	log := slog.New(telemetry.NewHandler(newByLevel(os.Stdout, os.Stderr, &level)))
	slog.SetDefault(log) // net/http logs errors to the standard logger, which would write to stderr
	if err := run(log, &level, export); err != nil {
		_, _ = os.Stderr.WriteString("tidemark handler: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(startAgain)
}

// startAgain is an exit code that asks the Functions host to restart the handler, and that does not count as a crash.
// After code 0 the host never restarts a handler, and all its invocations fail.
const startAgain = 200

// gcPercent limits the garbage that may accumulate before a collection, in percent of the live heap. It applies below
// the memory limit. The live heap is small, so with the default of 100 the collector would run all the time: it used
// a twelfth of the processor in a first crawl.
const gcPercent = 200

// stopSignals ask the process to finish its work and end.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

func run(log *slog.Logger, level *slog.LevelVar, export Exporter) error {
	host := os.Getppid() // read at once: the host may die at any time
	src := ReadSources(os.Getenv, os.Environ(), "")
	a, err := New(src.Get, log, src.Names()...)
	if err := errors.Join(src.Err, err); err != nil {
		return err
	}
	a.src = src
	a.cfg.live = Follow(src, a.cfg, log, func(c Config) { level.Set(c.LogLevel) })
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(a.memory().Goal())
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ended, stopExport, err := export(log, a.Metrics())
	if err != nil {
		return err
	}
	defer stopExport()
	port := cmp.Or(os.Getenv("FUNCTIONS_CUSTOMHANDLER_PORT"), "8080")
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return err
	}
	stops := stopSignals
	if !signal.Ignored(syscall.SIGHUP) {
		stops = append(stops, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	defer stop()
	go whileHostLives(ctx, host, stop)
	go GiveBackWhenIdle(ctx)
	server := &http.Server{
		Handler: a.cfg.live.before(handlers.New(handlers.Options{
			Open: a.Services, Log: log, Metrics: a.Metrics(), Ended: ended,
			Port: port, Secret: os.Getenv(api.HostSecretVar), Access: a.access(), Hosts: a.Hosts(),
			UserScope: a.userScope(), BasePath: a.basePath(),
		})),
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       5 * time.Minute, // longer than the host keeps an idle connection
	}
	if file, err := os.ReadFile("host.json"); err == nil { // a container may keep it elsewhere
		if p, err := passingOf(file, os.Environ()); err == nil {
			p.explain(log, a.Hosts())
		}
	}
	// The services are opened early only to save time: an invocation would open them, too, and retry.
	go func() {
		if _, err := a.Services(ctx); err != nil {
			log.Warn("services are not available yet", "err", err)
		}
	}()
	if err := until(ctx, server, listener); err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		log.Error("not closed in order", "err", err) // this is no crash: everything acknowledged is durable
	}
	return nil
}

// hostCheck is the time between two checks that the host is alive, where the system does not tell when it ends.
const hostCheck = time.Second

// whileHostLives calls stop when the host has died. A host may die without notice, or stop waiting for work in flight
// and abandon the handler. On Unix the handler then has another parent process; elsewhere the parent never changes.
func whileHostLives(ctx context.Context, host int, stop func()) {
	if os.Getppid() == host && awaitEnd(ctx, host) == nil {
		stop()
		return
	}
	tick := time.NewTicker(hostCheck)
	defer tick.Stop()
	for os.Getppid() == host {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	stop()
}

// grace limits the time that a stopping process waits for work in flight.
const grace = 10 * time.Second

// until serves until ctx is done, and then until the work in flight has finished or the grace period is over.
func until(ctx context.Context, server *http.Server, listener net.Listener) error {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		_ = server.Shutdown(ctx) // the host delivers interrupted invocations again
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	<-drained // Serve returns as soon as the shutdown begins
	return nil
}

// byLevel writes warnings and errors to the handler bad, and all other lines to the handler rest. The host logs a
// line on stdout as information. It logs a line on stderr as an error, or as a warning if the line contains "warn",
// as lines of that level do.
type byLevel struct{ rest, bad slog.Handler }

func newByLevel(rest, bad io.Writer, least slog.Leveler) slog.Handler {
	o := &slog.HandlerOptions{Level: least, ReplaceAttr: keys.RedactAttr}
	return byLevel{slog.NewJSONHandler(rest, o), slog.NewJSONHandler(bad, o)}
}

func (h byLevel) Enabled(ctx context.Context, level slog.Level) bool {
	return h.rest.Enabled(ctx, level)
}

func (h byLevel) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		return h.bad.Handle(ctx, r)
	}
	return h.rest.Handle(ctx, r)
}

func (h byLevel) WithAttrs(attrs []slog.Attr) slog.Handler {
	return byLevel{h.rest.WithAttrs(attrs), h.bad.WithAttrs(attrs)}
}

func (h byLevel) WithGroup(name string) slog.Handler {
	return byLevel{h.rest.WithGroup(name), h.bad.WithGroup(name)}
}

// passing holds the settings of host.json for passing on HTTP requests.
type passing struct {
	EnableProxyingHTTPRequest   bool
	EnableForwardingHTTPRequest bool
}

// passingOf reads host.json, and the environment variables that override it, in the form NAME=VALUE.
func passingOf(hostJSON []byte, environ []string) (p passing, err error) {
	var file struct{ CustomHandler passing }
	if err := json.Unmarshal(hostJSON, &file); err != nil {
		return p, err
	}
	p = file.CustomHandler
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			continue
		}
		switch strings.ToLower(strings.ReplaceAll(name, ":", "__")) {
		case "azurefunctionsjobhost__customhandler__enableproxyinghttprequest":
			p.EnableProxyingHTTPRequest = on
		case "azurefunctionsjobhost__customhandler__enableforwardinghttprequest":
			p.EnableForwardingHTTPRequest = on
		}
	}
	return p, nil
}

// explain logs what does not work with a host that does not proxy requests. The hosts are those of
// [handlers.Options.Hosts].
func (p passing) explain(log *slog.Logger, hosts []string) {
	switch {
	case p.EnableProxyingHTTPRequest:
	case p.EnableForwardingHTTPRequest:
		log.Warn("the Functions host passes on requests with the names that callers use for it; other names than those "+
			"listed here are refused: "+handlers.ToProxy+", or add names to ALLOWED_HOSTS", "hosts", hosts)
	default:
		log.Error("the Functions host sends HTTP requests as messages, so all of them will fail: " + handlers.ToProxy)
	}
}

const (
	// An interval in which the process allocates less than quietBytes is quiet. Intervals are longer while there is
	// nothing to give back.
	idleInterval = 5 * time.Second
	restInterval = 30 * time.Second
	quietBytes   = 2 << 20
	// workBytes is how much a process must have allocated since it last gave memory back to do so again.
	workBytes = 16 << 20
)

// idleness decides when a process gives back the memory of its work: once, in the second quiet interval after it. The
// collector alone would keep a heap three times as large as what is live until the next work.
type idleness struct {
	allocated uint64 // bytes until the end of the last interval
	given     uint64 // bytes until memory was given back
	quiet     bool   // the last interval was quiet
}

// due is called at the end of each interval with the bytes allocated so far.
func (i *idleness) due(allocated uint64) bool {
	was := i.quiet
	i.quiet = allocated-i.allocated < quietBytes
	i.allocated = allocated
	if !was || !i.quiet || allocated-i.given < workBytes {
		return false
	}
	i.given = allocated
	return true
}

// interval returns the length of the next interval.
func (i *idleness) interval() time.Duration {
	if i.quiet && i.allocated-i.given < workBytes {
		return restInterval
	}
	return idleInterval
}

// restCollector stops the collections that the runtime makes every two minutes, each of which takes a tenth of a
// second, until the process has allocated workBytes. Then there is a collection, and all is as before.
func restCollector() {
	limit := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(-1)
	used, _ := memoryUsed()
	debug.SetMemoryLimit(min(limit, int64(used)+workBytes))
	collected := &struct{ self any }{}
	collected.self = limit // a value with a pointer is no part of a larger one
	runtime.AddCleanup(collected, func(limit int64) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}, limit)
}

// GiveBackWhenIdle returns memory to the system when the process is idle, until ctx ends. The collector rests then,
// too, unless the environment sets it.
func GiveBackWhenIdle(ctx context.Context) {
	rest := os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == ""
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	for i := (idleness{}); defaults.Pause(ctx, i.interval()) == nil; {
		if metrics.Read(sample); i.due(sample[0].Value.Uint64()) {
			sqlitefile.Shrink(ctx)
			debug.FreeOSMemory()
			if rest {
				restCollector()
			}
		}
	}
}
