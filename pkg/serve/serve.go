// Package serve is the handler as a process: it listens where the Functions host says, answers
// invocations until it is told to stop, and tells an [Exporter] of them, if it is given one.
// It is a package so that a handler with an exporter can be built in a module of its own.
package serve

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/document"
	"github.com/tidemark/tidemark/pkg/telemetry"
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
	// The host takes every line on stderr for an error, so all that is not one goes to stdout.
	log := slog.New(telemetry.NewHandler(slog.NewJSONHandler(os.Stdout, nil)))
	slog.SetDefault(log) // net/http complains by the standard logger, which would write to stderr
	if err := run(log, export); err != nil {
		_, _ = os.Stderr.WriteString("tidemark handler: " + err.Error() + "\n")
		os.Exit(1)
	}
}

func run(log *slog.Logger, export Exporter) error {
	a, err := app.New(os.Getenv, log, app.Names(os.Environ())...)
	if err != nil {
		return err
	}
	ended, stopExport, err := export(log, a.Metrics())
	if err != nil {
		return err
	}
	defer stopExport()
	listener, err := listen()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Handler: handlers.New(handlers.Options{
			Open: a.Services, Version: app.Version, Log: log, Metrics: a.Metrics(), Ended: ended,
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
	return a.Close()
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

// listen is at the port that the host says.
func listen() (net.Listener, error) {
	port := os.Getenv("FUNCTIONS_CUSTOMHANDLER_PORT")
	if port == "" {
		port = "8080"
	}
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
}
