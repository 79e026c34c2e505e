package azurite

import "syscall"

// ownGroup keeps the terminal's Ctrl-C from the child, which we stop in order, and has the
// kernel end it should we die without doing so.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
