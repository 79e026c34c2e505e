//go:build unix

package funchost

import (
	"os"
	"syscall"
)

// killGroup kills the handler and the processes that it started. The real host only ever sends SIGKILL, so a handler
// that relies on SIGTERM must fail here, too.
func killGroup(p *os.Process) {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil {
		p.Kill()
	}
}

// signalOf returns the number of the signal that ended the process, or 0.
func signalOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
