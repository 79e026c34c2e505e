package app

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/document"
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
	log := slog.New(telemetry.NewHandler(newByLevel(os.Stdout, os.Stderr)))
	slog.SetDefault(log) // net/http logs errors to the standard logger, which would write to stderr
	if err := run(log, export); err != nil {
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

func run(log *slog.Logger, export Exporter) error {
	host := os.Getppid() // read at once: the host may die at any time
	a, err := New(os.Getenv, log, Names(os.Environ())...)
	if err != nil {
		return err
	}
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
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals...)
	defer stop()
	go whileHostLives(ctx, host, stop)
	go giveBackWhenIdle(ctx)
	server := &http.Server{
		Handler: handlers.New(handlers.Options{
			Open: a.Services, Log: log, Metrics: a.Metrics(), Ended: ended,
			Port: port, Secret: os.Getenv(api.HostSecretVar), Access: a.access(), Hosts: a.Hosts(),
			UserScope: a.userScope(),
		}),
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

// hostCheck is the time between two checks that the host is alive.
const hostCheck = time.Second

// whileHostLives calls stop when the host has died. A host may die without notice, or stop waiting for work in flight
// and abandon the handler. On Unix the handler then has another parent process; elsewhere the parent never changes.
func whileHostLives(ctx context.Context, host int, stop func()) {
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
