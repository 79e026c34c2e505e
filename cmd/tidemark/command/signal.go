package command

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// Interruption is the cause with which a context from [UntilSignal] ends.
type Interruption struct{ os.Signal }

// Error returns a text with the name of the signal.
func (i Interruption) Error() string { return "stopped by signal: " + i.String() }

// UntilSignal returns a context that ends on the first of the signals. Afterwards the signals have their usual effect
// again: a second Ctrl-C kills the process. A second SIGHUP does not, because the kernel and the shell both send one
// when a terminal closes; nor does SIGPIPE, because what reads the output may have ended with the terminal. Where
// SIGHUP was ignored at the start, as under nohup, it stays ignored.
func UntilSignal(signals ...os.Signal) (ctx context.Context, stop func()) {
	if signal.Ignored(syscall.SIGHUP) {
		signals = slices.DeleteFunc(slices.Clone(signals), func(s os.Signal) bool { return s == syscall.SIGHUP })
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		select {
		case s := <-got:
			signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
			signal.Stop(got) // before the context ends, because the next Ctrl-C may follow at once
			cancel(Interruption{s})
		case <-ctx.Done():
			signal.Stop(got)
		}
	}()
	return ctx, func() { cancel(nil) }
}
