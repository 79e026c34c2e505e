// Handler is the executable that the Azure Functions host starts: it listens where the host says
// and answers invocations.
package main

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

func main() {
	document.Main()
	// The host takes every line on stderr for an error, so all that is not one goes to stdout.
	log := slog.New(telemetry.NewHandler(slog.NewJSONHandler(os.Stdout, nil)))
	slog.SetDefault(log) // net/http complains by the standard logger, which would write to stderr
	if err := run(log); err != nil {
		_, _ = os.Stderr.WriteString("tidemark handler: " + err.Error() + "\n")
		os.Exit(1)
	}
}

func run(log *slog.Logger) error {
	a, err := app.New(os.Getenv, log, app.Names(os.Environ())...)
	if err != nil {
		return err
	}
	port := os.Getenv("FUNCTIONS_CUSTOMHANDLER_PORT")
	if port == "" {
		port = "8080"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Handler:           handlers.New(handlers.Options{Open: a.Services, Version: app.Version, Log: log, Metrics: a.Metrics()}),
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       5 * time.Minute, // longer than the host keeps its side
	}
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Shutdown(grace) // what is cut off comes again
	}()
	// Opening early is only to be quick: an invocation would do it too, and try again.
	go func() {
		if _, err := a.Services(ctx); err != nil {
			log.Warn("services are not available yet", "err", err)
		}
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return a.Close()
}
