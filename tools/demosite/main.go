// Command demosite serves a folder as a real web server would, with ETag, Last-Modified and 304, and logs every
// request, so that a demonstration can show which requests were made and which were saved.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	dir := flag.String("dir", "testdata/site", "folder to serve")
	addr := flag.String("addr", "localhost:8099", "address to listen on")
	log := flag.String("log", "", "file that gets one JSON line for each request; standard output when empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	said := func(at string) { fmt.Fprintf(os.Stderr, "serving %s at http://%s\n", *dir, at) }
	if err := run(ctx, *dir, *addr, *log, said); err != nil {
		fmt.Fprintln(os.Stderr, "demosite:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done. When the server listens, run calls ready with the server's address.
func run(ctx context.Context, dir, addr, logName string, ready func(addr string)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	log, err := openLog(logName)
	if err != nil {
		return err
	}
	defer log.Close()
	// The server must listen before it calls ready.
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler:           logged(&site{root: root, now: time.Now}, log, time.Now),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
	}
	done := context.AfterFunc(ctx, func() { srv.Close() })
	defer done()
	ready(l.Addr().String())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// openLog opens the log to append to it, so that a demonstration may start the server twice.
func openLog(name string) (io.WriteCloser, error) {
	if name == "" {
		return struct {
			io.Writer
			io.Closer
		}{os.Stdout, io.NopCloser(nil)}, nil
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}
