package command

import (
	"context"
	"os"
	"os/signal"
)

// Interruption is the cause of the end of a context of [UntilSignal].
type Interruption struct{ os.Signal }

// Error names the signal.
func (i Interruption) Error() string { return "stopped by signal: " + i.String() }

// UntilSignal is a context that the first of the signals ends. After it the signals have their usual effect again: a
// second Ctrl-C kills.
func UntilSignal(signals ...os.Signal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		select {
		case s := <-got:
			signal.Stop(got) // first, because the next Ctrl-C may come at once
			cancel(Interruption{s})
		case <-ctx.Done():
			signal.Stop(got)
		}
	}()
	return ctx, func() { cancel(nil) }
}
