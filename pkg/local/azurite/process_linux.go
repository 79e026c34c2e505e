package azurite

import "syscall"

// ownGroup keeps the terminal's Ctrl-C from the child, which is stopped in order, and asks the kernel to end it if
// this process dies first.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
