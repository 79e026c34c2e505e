//go:build unix

package terminal

import (
	"os/signal"
	"syscall"
)

// Normally, a process in the background that reads the terminal is stopped. ignoreTerminalStops makes the read fail
// instead, until undo is called.
func ignoreTerminalStops() (undo func()) {
	signal.Ignore(syscall.SIGTTIN)
	return func() { signal.Reset(syscall.SIGTTIN) }
}
