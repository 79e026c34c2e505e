//go:build unix

package terminal

import (
	"os/signal"
	"syscall"
)

// ignoreTerminalStops lets a read of the terminal fail for a process in the background, instead of stopping it, until
// undo.
func ignoreTerminalStops() (undo func()) {
	signal.Ignore(syscall.SIGTTIN)
	return func() { signal.Reset(syscall.SIGTTIN) }
}
