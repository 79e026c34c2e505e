// Command tidemark is all of Tidemark: the server of one machine, the handler that a Functions host starts, and the
// operator's hand on either, which registers sources, searches, and tells what happened to each of them and why.
//
// What is for people goes to standard output, what went wrong to standard error. With --json the
// output is the API's answers, one on a line, and nothing else. The exit code is 0 when all went
// well, 1 when something failed, 2 for wrong usage and 130 after an interrupt; "tidemark azurite"
// passes on that of the command it runs.
package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	_ "golang.org/x/crypto/x509roots/fallback" // for machines without certificates of their own: empty images
	"golang.org/x/term"

	"github.com/tidemark/tidemark/pkg/app/serve"
	"github.com/tidemark/tidemark/pkg/base/pause"
	"github.com/tidemark/tidemark/pkg/content/document"
)

func main() {
	document.Main()
	if isHandler(os.Args[0]) {
		serve.Main(serve.None)
	}
	os.Exit(mainExit())
}

// isHandler says whether a program of this name is to be the handler: host.json names it so, without arguments.
func isHandler(path string) bool {
	return strings.TrimSuffix(filepath.Base(path), ".exe") == handlerFile
}

// mainExit exists so that deferred calls run before the process ends.
func mainExit() int {
	ctx, stop := untilSignal(os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &program{
		self:   os.Args[0],
		in:     os.Stdin,
		out:    os.Stdout,
		err:    os.Stderr,
		getenv: os.Getenv,
		now:    time.Now,
		sleep:  pause.For,
		typed:  term.IsTerminal(int(os.Stdin.Fd())),
		screen: screenOf(os.Stdout, os.Getenv),
		notes:  screenOf(os.Stderr, os.Getenv),
	}
	return p.run(ctx, os.Args[1:])
}

// interruption is why a context of [untilSignal] ended.
type interruption struct{ os.Signal }

func (i interruption) Error() string { return "stopped by signal: " + i.String() }

// untilSignal is a context that the first of the signals ends. After it the signals have their
// usual effect again: a second Ctrl-C kills.
func untilSignal(signals ...os.Signal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		select {
		case s := <-got:
			signal.Stop(got) // first, for the next Ctrl-C may come at once
			cancel(interruption{s})
		case <-ctx.Done():
			signal.Stop(got)
		}
	}()
	return ctx, func() { cancel(nil) }
}
