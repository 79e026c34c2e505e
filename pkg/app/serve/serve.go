// Package serve is the handler as a process: it listens where the Functions host says, answers
// invocations until it is told to stop or its host is gone, and tells an [Exporter] of them, if it is
// given one.
// It is a package so that a handler with an exporter can be built in a module of its own.
package serve

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
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/document"
)

// Exporter begins to send what the process tells of itself to somewhere else. Of ended,
// [handlers.Options] says how it is called; nil for nobody to tell. stop is called once, at the
// end, and must return within seconds. An error stops the start.
type Exporter func(log *slog.Logger, m *telemetry.Metrics) (ended func(telemetry.Span), stop func(), err error)

// None exports nothing.
func None(*slog.Logger, *telemetry.Metrics) (func(telemetry.Span), func(), error) {
	return nil, func() {}, nil
}

// Main runs the process to its end.
func Main(export Exporter) {
	document.Main()
	log := slog.New(telemetry.NewHandler(newByLevel(os.Stdout, os.Stderr)))
	slog.SetDefault(log) // net/http complains by the standard logger, which would write to stderr
	if err := run(log, export); err != nil {
		_, _ = os.Stderr.WriteString("tidemark handler: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(startAgain)
}

// startAgain is the exit code that the Functions host takes for "start me again": it counts as no
// crash. After code 0 the host never starts a handler again, and all its invocations fail.
const startAgain = 200

// gcPercent is how much of what lives may be garbage before it is collected, below the memory limit. Little lives, so
// that the default of 100 collects all the time: it took a twelfth of the processor in a first crawl.
const gcPercent = 200

// stopSignals ask the process to finish what is in work and end.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

func run(log *slog.Logger, export Exporter) error {
	host := os.Getppid() // at once, for it may die at any time
	a, err := app.New(os.Getenv, log, app.Names(os.Environ())...)
	if err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(a.Memory().Goal())
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
	server := &http.Server{
		Handler: handlers.New(handlers.Options{
			Open: a.Services, Log: log, Metrics: a.Metrics(), Ended: ended,
			Port: port, Secret: os.Getenv(api.HostSecretVar), Access: a.Access(),
		}),
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       5 * time.Minute, // longer than the host keeps its side
	}
	// Opening early is only to be quick: an invocation would do it too, and try again.
	go func() {
		if _, err := a.Services(ctx); err != nil {
			log.Warn("services are not available yet", "err", err)
		}
	}()
	if err := until(ctx, server, listener); err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		log.Error("not closed in order", "err", err) // which is no crash: what was acknowledged is kept
	}
	return nil
}

// hostCheck is how often the handler looks whether its host still lives.
const hostCheck = time.Second

// whileHostLives calls stop when the host has died. It may die without a word, or give up waiting for
// what is in work and leave the handler behind. On unix another process is the parent then; elsewhere
// the parent never changes.
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

// grace is how long a stop waits for what is in work.
const grace = 10 * time.Second

// until serves until ctx is done and what was in work then is through, or its grace over.
func until(ctx context.Context, server *http.Server, listener net.Listener) error {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		_ = server.Shutdown(ctx) // what is cut off comes again
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	<-drained // Serve returns as soon as the shutdown begins
	return nil
}
