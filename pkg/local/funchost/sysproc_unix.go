//go:build unix

package funchost

import (
	"os"
	"syscall"
)

// killGroup ends the handler and what it started. SIGKILL is all that the real host ever sends, so
// a handler that counts on SIGTERM must fail here too.
func killGroup(p *os.Process) {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil {
		p.Kill()
	}
}

// signalOf is the number of the signal that ended the process, or 0.
func signalOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
