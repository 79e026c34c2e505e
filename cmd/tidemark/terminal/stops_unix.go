//go:build unix

package terminal

import (
	"os/signal"
	"syscall"
)

// ignoreTerminalStops makes a read of the terminal by a process in the background fail, instead of stopping the
// process, until undo is called.
func ignoreTerminalStops() (undo func()) {
	signal.Ignore(syscall.SIGTTIN)
	return func() { signal.Reset(syscall.SIGTTIN) }
}
