package command

import (
	"context"
	"os"
	"os/signal"
)

// Interruption is the cause with which a context from [UntilSignal] ends.
type Interruption struct{ os.Signal }

// Error returns a text with the name of the signal.
func (i Interruption) Error() string { return "stopped by signal: " + i.String() }

// UntilSignal returns a context that ends on the first of the signals. Afterwards the signals have their usual effect
// again: a second Ctrl-C kills the process.
func UntilSignal(signals ...os.Signal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		select {
		case s := <-got:
			signal.Stop(got) // must be first, because the next Ctrl-C may follow at once
			cancel(Interruption{s})
		case <-ctx.Done():
			signal.Stop(got)
		}
	}()
	return ctx, func() { cancel(nil) }
}
